"""Word search with FTS5, ranked by bm25, in two indexes of the same chunks.

Rows come best first; the last score that fits is read to its end, so that equal scores are ordered
by chunk id and not by the order in which documents were ingested.
"""

from __future__ import annotations

import json
import sqlite3

from kb_core.canonical import digest_hex
from kb_core.query import LexicalLeg, LexicalMatch, LexicalQuery, SearchScope
from kb_store_sqlite.expression import all_of, any_of
from kb_store_sqlite.schema import CREATE_CHUNK_FTS, CREATE_CHUNK_MORPHEMES
from kb_store_sqlite.scope import Condition, condition_of
from kb_store_sqlite.selectivity import selective_terms
from kb_text import index_text, morpheme_text

_SOME_TEXTS = "SELECT chunk_key, text FROM chunks WHERE chunk_key > ? ORDER BY chunk_key LIMIT 1000"
WORD_INDEXES: dict[LexicalLeg, str] = {"pairs": "chunk_fts", "morphemes": "chunk_morphemes"}
"""The table of each leg."""


def search_lexical(
    connection: sqlite3.Connection,
    query: LexicalQuery,
    *,
    require_all: bool,
    limit: int,
    leg: LexicalLeg,
    scope: SearchScope,
) -> list[LexicalMatch]:
    """Return the best chunks, best first; equal scores in order of chunk id."""
    if not query.terms or limit <= 0:
        return []
    table = WORD_INDEXES[leg]
    # Without the plus, SQLite may look every row of the scope up in the index, one by one.
    condition = condition_of(scope, key="+rowid")
    if require_all:
        expression = all_of(query.terms)
    else:
        expression = any_of(selective_terms(connection, table, query.terms, condition, limit))
    scores = _best_scores(connection, table, expression, condition, limit)
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


def index_chunk(connection: sqlite3.Connection, chunk_key: int, text: str) -> None:
    """Add a chunk to both indexes."""
    connection.execute(
        "INSERT INTO chunk_fts (rowid, tokens) VALUES (?, ?)", (chunk_key, index_text(text))
    )
    connection.execute(
        "INSERT INTO chunk_morphemes (rowid, tokens) VALUES (?, ?)",
        (chunk_key, morpheme_text(text)),
    )


def remove_chunks(connection: sqlite3.Connection, doc_id: str) -> None:
    """Take the chunks of a document out of both indexes."""
    for table in WORD_INDEXES.values():
        connection.execute(
            f"DELETE FROM {table} WHERE rowid IN"  # noqa: S608 (own names)
            " (SELECT chunk_key FROM chunks WHERE doc_id = ?)",
            (doc_id,),
        )


def rebuild(connection: sqlite3.Connection) -> None:
    """Replace both indexes, whatever their state, by ones of the stored chunks.

    The digests of the texts are made anew, too.
    """
    for table in WORD_INDEXES.values():
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    connection.execute(CREATE_CHUNK_FTS)
    connection.execute(CREATE_CHUNK_MORPHEMES)
    # The rows are written to in between, so no statement may be reading them.
    after = -1
    while rows := connection.execute(_SOME_TEXTS, (after,)).fetchall():
        for chunk_key, text in rows:
            index_chunk(connection, chunk_key, text)
            connection.execute(
                "UPDATE chunks SET text_digest = ? WHERE chunk_key = ?",
                (digest_hex(text.encode()), chunk_key),
            )
        after = rows[-1][0]


def _best_scores(
    connection: sqlite3.Connection, table: str, expression: str, condition: Condition, limit: int
) -> dict[int, float]:
    """Return `limit` best rows and all that score as the last of them, by key."""
    where, parameters = condition
    cursor = connection.execute(
        f"SELECT rowid AS chunk_key, rank FROM {table}"  # noqa: S608 (own names)
        f" WHERE {table} MATCH :expression AND {where} ORDER BY rank",
        {**parameters, "expression": expression},
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
