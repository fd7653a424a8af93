"""Which words of a long question are worth asking for.

FTS5 computes bm25 for every row that holds any of the words, a few microseconds each: among 100,000
chunks a question with `the` takes half a second, though the word decides nothing. So where more
rows match than are needed for a ranking, the commonest words are left out. What is left out depends
on what is stored alone, not on how it came there.

Only what a search may find counts, and the rest must still fill it, unless that would take too
long: a word that is common everywhere may be the only one that a single document has.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from kb_core.query import QueryTerm
from kb_store_sqlite.expression import any_of
from kb_store_sqlite.scope import Condition

ROWS = 3000
"""Rows that are ranked, unless the rarest word alone has more."""
MOST_ROWS = 4000
"""Rows that are ranked where the rare words have too few."""
COUNTED_ROWS = 8000
"""Words with more rows than this are equally common."""


def selective_terms(
    connection: sqlite3.Connection,
    table: str,
    terms: Sequence[QueryTerm],
    condition: Condition,
    limit: int,
) -> Sequence[QueryTerm]:
    """Return the terms to ask for: all where few rows match, else the rarest ones, one at least.

    Args:
        connection: in a transaction.
        table: the word index.
        terms: any of which may match.
        condition: on `rowid`, for the rows that may be found.
        limit: with fewer rows than this, the rarest ones are not enough, unless all together have
            more than `MOST_ROWS`.
    """

    def rows_with(some: Sequence[QueryTerm], most: int) -> int:
        return _rows_with(connection, table, some, condition, most)

    if len(terms) <= 1 or rows_with(terms, ROWS) <= ROWS:
        return terms
    counted = sorted((rows_with([term], COUNTED_ROWS), place) for place, term in enumerate(terms))
    asked = [each for each in counted if each[0]]  # words that nobody said cost nothing
    chosen = [place for count, place in counted if not count]
    total = 0
    for number, (count, place) in enumerate(asked):
        total += count
        if number and total > ROWS:
            break
        chosen.append(place)
    rarest = [terms[place] for place in sorted(chosen)]
    is_enough = rows_with(rarest, limit) >= limit or rows_with(terms, MOST_ROWS) > MOST_ROWS
    return rarest if is_enough else terms


def _rows_with(
    connection: sqlite3.Connection,
    table: str,
    terms: Sequence[QueryTerm],
    condition: Condition,
    most: int,
) -> int:
    """Return how many rows hold one of the terms; one more than `most` for all that is above."""
    where, parameters = condition
    (count,) = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {table}"  # noqa: S608 (own names)
        f" WHERE {table} MATCH :expression AND {where} LIMIT :rows)",
        {**parameters, "expression": any_of(terms), "rows": most + 1},
    ).fetchone()
    return int(count)
