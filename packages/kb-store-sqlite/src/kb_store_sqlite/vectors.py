"""Vectors of chunks: which are still to be made, and keeping those that are.

A vector is kept by the digest of its text, so the same text never gets a second one, whichever
document it stands in, and a chunk that comes back finds its vector again. Vectors of several models
may be kept; chunks have those of one model at a time, so one row tells whose they are.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from kb_core.ports.embedder import Vector
from kb_core.ports.store import PendingText, VectorCounts

_PENDING = """
    SELECT text_digest, text FROM chunks
    WHERE chunk_key NOT IN (SELECT chunk_key FROM chunk_vectors)
    GROUP BY text_digest ORDER BY text_digest LIMIT ?
"""


def pending_texts(
    connection: sqlite3.Connection, vector_version: str, limit: int
) -> list[PendingText]:
    """Give chunks the vectors that exist already, and return texts that have none yet."""
    _take_others_away(connection, vector_version)
    while rows := connection.execute(_PENDING, (max(limit, 0),)).fetchall():
        known = _known_digests(connection, vector_version, [digest for digest, _ in rows])
        if not known:
            return [PendingText(*row) for row in rows]
        _give_to_chunks(connection, vector_version, known)
    return []


def put_vectors(
    connection: sqlite3.Connection, vector_version: str, vectors: Mapping[str, Vector]
) -> None:
    """Keep vectors that were checked, and give them to every chunk with their text."""
    _take_others_away(connection, vector_version)
    connection.executemany(
        "INSERT INTO vectors (vector_version, text_digest, vector) VALUES (?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        ((vector_version, digest, vectors[digest]) for digest in sorted(vectors)),
    )
    _give_to_chunks(connection, vector_version, vectors)


def byte_len_of(connection: sqlite3.Connection, vector_version: str) -> int | None:
    """Return the size of one vector of that model; None when there is none."""
    row = connection.execute(
        "SELECT length(vector) FROM vectors WHERE vector_version = ? LIMIT 1", (vector_version,)
    ).fetchone()
    return int(row[0]) if row else None


def chunks_go(connection: sqlite3.Connection, doc_id: str) -> None:
    """Take the vectors from the chunks of a document that is about to be deleted."""
    removed = connection.execute(
        "DELETE FROM chunk_vectors"
        " WHERE chunk_key IN (SELECT chunk_key FROM chunks WHERE doc_id = ?)",
        (doc_id,),
    ).rowcount
    if removed:
        touch(connection)


def remove(connection: sqlite3.Connection, vector_keys: Sequence[int]) -> int:
    """Take vectors out, and from the chunks that have them; return how many there were."""
    if not vector_keys:
        return 0
    keys = json.dumps(list(vector_keys))
    for table in ("chunk_vectors", "vectors"):
        removed = connection.execute(
            f"DELETE FROM {table}"  # noqa: S608 (own names)
            " WHERE vector_key IN (SELECT value FROM json_each(?))",
            (keys,),
        ).rowcount
    touch(connection)
    return removed


def touch(connection: sqlite3.Connection) -> None:
    """Note that the vectors of chunks are others than before."""
    connection.execute("UPDATE vector_state SET generation = generation + 1")


def generation(connection: sqlite3.Connection) -> int:
    """Return a number that is another one whenever the vectors of chunks are."""
    (number,) = connection.execute("SELECT generation FROM vector_state").fetchone()
    return int(number)


def version_in_use(connection: sqlite3.Connection) -> str | None:
    """Return whose vectors the chunks have; None when no chunk has one."""
    row = connection.execute(
        "SELECT vector_version FROM chunk_vectors CROSS JOIN vectors USING (vector_key) LIMIT 1"
    ).fetchone()
    return str(row[0]) if row else None


def vector_counts(connection: sqlite3.Connection, vector_version: str) -> VectorCounts:
    """Return how many chunks there are, and how many of them have a vector."""
    (chunks, embedded) = connection.execute(
        "SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM chunk_vectors)"
    ).fetchone()
    is_in_use = version_in_use(connection) == vector_version
    return VectorCounts(chunks=chunks, embedded=embedded if is_in_use else 0)


def _take_others_away(connection: sqlite3.Connection, vector_version: str) -> None:
    if version_in_use(connection) not in (None, vector_version):
        connection.execute("DELETE FROM chunk_vectors")
        touch(connection)


def _known_digests(
    connection: sqlite3.Connection, vector_version: str, digests: Iterable[str]
) -> list[str]:
    rows = connection.execute(
        "SELECT text_digest FROM vectors WHERE vector_version = ?"
        " AND text_digest IN (SELECT value FROM json_each(?))",
        (vector_version, json.dumps(list(digests))),
    )
    return [digest for (digest,) in rows]


def _give_to_chunks(
    connection: sqlite3.Connection, vector_version: str, digests: Iterable[str]
) -> None:
    """Give every chunk with one of these texts its vector, unless it has one."""
    given = connection.execute(
        """
        INSERT INTO chunk_vectors
        SELECT chunk_key, vector_key FROM json_each(?) AS digest
        CROSS JOIN chunks ON chunks.text_digest = digest.value
        JOIN vectors ON vectors.text_digest = digest.value AND vector_version = ?
        WHERE TRUE
        ON CONFLICT DO NOTHING
        """,
        (json.dumps(sorted(digests)), vector_version),
    ).rowcount
    if given:
        touch(connection)
