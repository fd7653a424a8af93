"""Which chunks a search may find, as a condition in SQL.

Everything is decided before ranking, so a limit counts only what may be found.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kb_core.query import SearchScope
from kb_store_sqlite.expression import all_of, any_of

Condition = tuple[str, dict[str, str | int]]
"""A condition in SQL without the word WHERE, and its parameters."""

_OF_DOCUMENTS = """
    SELECT chunk_key FROM chunks WHERE doc_id IN (SELECT value FROM json_each(:{name}))
"""
# Ids of blocks are made from those of their documents, so they are enough to find their units.
_SAID_BY = """
    SELECT unit.chunk_key FROM segments AS said CROSS JOIN chunk_units AS unit
        ON unit.block_id = said.block_id AND unit.segment_ordinal = said.ordinal
    WHERE said.speaker IN (SELECT value FROM json_each(:{name}))
"""
_OF_MODULES = """
    SELECT chunk_key FROM chunks WHERE module IN (SELECT value FROM json_each(:{name}))
"""
_MATCHING = "SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH :{name}"


class ScopePart(NamedTuple):
    """One of the conditions that make a scope.

    Attributes:
        select: query for keys of chunks, with one parameter.
        is_inside: whether the chunks of the scope are among these keys, or not among them.
        name: of the parameter.
        value: of the parameter.
    """

    select: str
    is_inside: bool
    name: str
    value: str


def scope_parts(scope: SearchScope) -> Iterator[ScopePart]:
    """Yield the conditions of a scope, all of which hold; none for everything."""
    if scope.doc_ids is not None:
        yield _part(_OF_DOCUMENTS, "doc_ids", _json_list(scope.doc_ids))
    if scope.speakers is not None:
        yield _part(_SAID_BY, "speakers", _json_list(scope.speakers))
    if scope.without_speakers:
        names = _json_list(scope.without_speakers)
        yield _part(_SAID_BY, "without_speakers", names, is_inside=False)
    if scope.modules is not None:
        yield _part(_OF_MODULES, "modules", _json_list(scope.modules))
    if scope.without_modules:
        names = _json_list(scope.without_modules)
        yield _part(_OF_MODULES, "without_modules", names, is_inside=False)
    if scope.required:
        yield _part(_MATCHING, "required", all_of(scope.required))
    if scope.excluded:
        yield _part(_MATCHING, "excluded", any_of(scope.excluded), is_inside=False)


def condition_of(scope: SearchScope, key: str = "chunk_key") -> Condition:
    """Return the condition for a scope; one that is always true for everything.

    Args:
        scope: of the search.
        key: the column that it is about, which holds keys of chunks.
    """
    parts = list(scope_parts(scope))
    conditions = [f"{key} {'IN' if part.is_inside else 'NOT IN'} ({part.select})" for part in parts]
    return " AND ".join(conditions) or "TRUE", {part.name: part.value for part in parts}


def chunks_in_scope(connection: sqlite3.Connection, scope: SearchScope, limit: int) -> list[str]:
    """Return ids of chunks of a scope, by path of their document and then in its order."""
    condition, parameters = condition_of(scope)
    rows = connection.execute(
        f"""
        SELECT chunk_id FROM documents CROSS JOIN chunk_runs USING (doc_id)
        CROSS JOIN chunks USING (doc_id, module)
        WHERE {condition} ORDER BY workspace_path, place, chunk_index LIMIT :limit
        """,  # noqa: S608 (own conditions)
        {**parameters, "limit": max(limit, 0)},
    )
    return [chunk_id for (chunk_id,) in rows]


def _part(select: str, name: str, value: str, *, is_inside: bool = True) -> ScopePart:
    return ScopePart(select.format(name=name), is_inside, name, value)


def _json_list(values: Iterable[str]) -> str:
    return json.dumps(sorted(values), ensure_ascii=False)
