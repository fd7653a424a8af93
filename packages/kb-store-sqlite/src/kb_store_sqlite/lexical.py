"""Word search with FTS5, ranked by bm25.

Every token is quoted, so nothing that a person types is an operator. Rows come best first; the last
score that fits is read to its end, so that equal scores are ordered by chunk id and not by the
order in which documents were ingested.
"""

from __future__ import annotations

import json
import sqlite3

from kb_core.query import LexicalMatch, LexicalQuery, QueryTerm
from kb_store_sqlite.schema import CREATE_CHUNK_FTS
from kb_text import index_text

# FTS5 parses an expression in time that grows with the square of its terms; what has more distinct
# words than this is no question, and its first words are enough to find it.
MAX_TERMS = 1000


def search_lexical(
    connection: sqlite3.Connection, query: LexicalQuery, *, require_all: bool, limit: int
) -> list[LexicalMatch]:
    """Return the best chunks, best first; equal scores in order of chunk id."""
    if not query.terms or limit <= 0:
        return []
    scores = _best_scores(connection, match_expression(query, require_all=require_all), limit)
    chunk_ids = connection.execute(
        """
        SELECT chunk_key, chunk_id FROM chunks
        WHERE chunk_key IN (SELECT value FROM json_each(?))
        """,
        (json.dumps(list(scores)),),
    )
    ranked = sorted((-scores[chunk_key], chunk_id) for chunk_key, chunk_id in chunk_ids)
    return [
        LexicalMatch(chunk_id=chunk_id, score_bm25=-negative_score)
        for negative_score, chunk_id in ranked[:limit]
    ]


def rebuild(connection: sqlite3.Connection) -> None:
    """Replace the index, whatever its state, by one of the stored chunks."""
    connection.execute("DROP TABLE chunk_fts")
    connection.execute(CREATE_CHUNK_FTS)
    chunks = connection.execute("SELECT chunk_key, text FROM chunks ORDER BY chunk_key")
    connection.executemany(
        "INSERT INTO chunk_fts (rowid, tokens) VALUES (?, ?)",
        ((chunk_key, index_text(text)) for chunk_key, text in chunks),
    )


def match_expression(query: LexicalQuery, *, require_all: bool) -> str:
    """Return the FTS5 expression for a query with terms."""
    operator = " AND " if require_all else " OR "
    return operator.join(_phrase(term) for term in query.terms[:MAX_TERMS])


def _phrase(term: QueryTerm) -> str:
    quoted = " ".join(term.tokens).replace('"', '""')
    return f'"{quoted}" *' if term.prefix else f'"{quoted}"'


def _best_scores(connection: sqlite3.Connection, expression: str, limit: int) -> dict[int, float]:
    """Return `limit` best rows and all that score as the last of them, by key."""
    cursor = connection.execute(
        "SELECT rowid, rank FROM chunk_fts WHERE chunk_fts MATCH ? ORDER BY rank", (expression,)
    )
    scores: dict[int, float] = {}
    last_rank = 0.0
    for chunk_key, rank in cursor:
        if len(scores) >= limit and rank != last_rank:
            break
        scores[chunk_key] = -rank
        last_rank = rank
    cursor.close()
    return scores
