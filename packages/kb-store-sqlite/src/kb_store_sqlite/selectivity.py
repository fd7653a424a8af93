"""Which words of a long question are worth asking for.

FTS5 computes bm25 for every row that holds any of the words, a few microseconds each: among 100,000
chunks a question with `the` takes half a second, though the word decides nothing. So where more
rows match than are needed for a ranking, the commonest words are left out. What is left out depends
on what is stored alone, not on how it came there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from kb_core.query import QueryTerm
from kb_store_sqlite.expression import any_of

ROWS = 3000
"""Rows that are ranked, unless single words have more."""
LEAST_TERMS = 3
"""The rarest words are asked for in any case, so many of them."""


def selective_terms(
    connection: sqlite3.Connection, table: str, terms: Sequence[QueryTerm], rows: int = ROWS
) -> Sequence[QueryTerm]:
    """Return the terms to ask for: all where few rows match, else the rarest ones.

    Args:
        connection: in a transaction.
        table: the word index.
        terms: any of which may match.
        rows: how many are to be ranked.
    """
    if len(terms) <= 1 or _rows_with(connection, table, terms, rows) <= rows:
        return terms
    counted = sorted(
        (_rows_with(connection, table, [term], rows), place) for place, term in enumerate(terms)
    )
    rare = [(count, place) for count, place in counted if count <= rows]
    chosen: list[int] = []
    total = 0
    for count, place in rare:
        total += count
        if total > rows and len(chosen) >= LEAST_TERMS:
            break
        chosen.append(place)
    return [terms[place] for place in sorted(chosen)] if chosen else terms


def _rows_with(
    connection: sqlite3.Connection, table: str, terms: Sequence[QueryTerm], most: int
) -> int:
    """Return how many rows hold one of the terms; one more than `most` for all that is above."""
    (count,) = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {table}"  # noqa: S608 (own names)
        f" WHERE {table} MATCH ? LIMIT ?)",
        (any_of(terms), most + 1),
    ).fetchone()
    return int(count)
