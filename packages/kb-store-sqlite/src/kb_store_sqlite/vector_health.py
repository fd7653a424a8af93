"""Are the vectors sound, and does the approximate index find what the exact search finds."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kb_core.ports.upkeep import HealthFinding
from kb_store_sqlite import vector_file
from kb_store_sqlite.connection import Database
from kb_store_sqlite.vector_file import VectorFile, stored_vectors
from kb_store_sqlite.vector_matrix import as_array, exact_cosines
from kb_store_sqlite.vector_search import OVERSAMPLING
from kb_store_sqlite.vectors import byte_len_of, version_in_use

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIN_RECALL = 0.95
_SAMPLE = 64
_NEAREST = 10
_LENGTH_TOLERANCE = 0.01
_ROUNDING = 1e-5
_REMOVE = (
    "`kb doctor --mend` takes them out; the next `kb ingest` makes them anew, nothing else is lost"
)
_REBUILD = "`kb doctor --mend` makes it anew; until then such searches are slower or find less"


def damaged_keys(connection: sqlite3.Connection) -> list[int]:
    """Return the vectors whose size is odd for their model, or that are not of length 1."""
    versions = connection.execute(
        """
        SELECT vector_version, length(vector) AS byte_len FROM vectors
        GROUP BY vector_version, byte_len ORDER BY vector_version, count(*) DESC, byte_len
        """
    ).fetchall()
    usual: dict[str, int] = {}
    for vector_version, byte_len in versions:
        usual.setdefault(vector_version, byte_len)
    keys = []
    for vector_version, byte_len in usual.items():
        keys += [
            key
            for (key,) in connection.execute(
                "SELECT vector_key FROM vectors WHERE vector_version = ? AND length(vector) <> ?",
                (vector_version, byte_len),
            )
        ]
        for some_keys, vectors in stored_vectors(connection, vector_version, byte_len):
            lengths = np.linalg.norm(vectors.astype(np.float32), axis=1)
            is_sound = np.abs(lengths - 1) < _LENGTH_TOLERANCE  # false for NaN, too
            keys += [some_keys[place] for place in np.flatnonzero(~is_sound)]
    return keys


def check_vectors(database: Database, exact_limit: int) -> Iterator[HealthFinding]:
    """Yield what is wrong with vectors and their file."""
    with database.read() as connection:
        damaged = len(damaged_keys(connection))
        if damaged:
            message = f"{damaged} vectors are damaged"
            yield HealthFinding(code="damaged_vectors", message=message, hint=_REMOVE)
            return
        (count,) = connection.execute("SELECT count(*) FROM chunk_vectors").fetchone()
        vector_version = version_in_use(connection)
        if vector_version is None or count <= exact_limit or not vector_file.is_available():
            return
        row = vector_file.row_of(database, connection, vector_version)
        file = VectorFile.open(row) if row is not None and row.is_whole() else None
        if file is None:
            message = f"{count} chunks have vectors, and the index file for so many is not there"
            yield HealthFinding(code="vector_file_missing", message=message, hint=_REBUILD)
        elif vector_file.is_behind(connection, vector_version, file.row):
            message = "the index file of vectors has fallen behind"
            yield HealthFinding(code="vector_file_behind", message=message, hint=_REBUILD)
        elif (recall := measured_recall(connection, vector_version, file)) < MIN_RECALL:
            message = f"the index file finds {recall:.0%} of the {_NEAREST} closest vectors"
            yield HealthFinding(code="vector_file_inaccurate", message=message, hint=_REBUILD)


def measured_recall(connection: sqlite3.Connection, vector_version: str, file: VectorFile) -> float:
    """Return which share of the closest vectors to a sample of stored ones the file finds."""
    byte_len = byte_len_of(connection, vector_version) or 0
    sample = _sample(connection, vector_version, file.row.last_key)
    best = np.full((len(sample), _NEAREST), -np.inf, dtype=np.float32)
    for keys, vectors in stored_vectors(connection, vector_version, byte_len):
        in_file = vectors[np.array(keys) <= file.row.last_key].astype(np.float32)
        scores = np.hstack([best, sample @ in_file.T])
        best = np.partition(scores, -_NEAREST, axis=1)[:, -_NEAREST:]
    found = [
        np.count_nonzero(_scores_found(connection, file, query) >= last - _ROUNDING)
        for query, last in zip(sample, best.min(axis=1), strict=True)
    ]
    return float(np.minimum(found, _NEAREST).mean()) / _NEAREST


def _sample(
    connection: sqlite3.Connection, vector_version: str, last_key: int
) -> NDArray[np.float32]:
    """Return stored vectors at even distances in the order of text digest."""
    rows = [
        connection.execute(
            "SELECT vector FROM vectors"
            " WHERE vector_version = ? AND text_digest >= ? AND vector_key <= ?"
            " ORDER BY text_digest LIMIT 1",
            (vector_version, f"{place * 256 // _SAMPLE:02x}", last_key),
        ).fetchone()
        for place in range(_SAMPLE)
    ]
    return np.vstack([as_array(row[0]) for row in rows if row is not None])


def _scores_found(
    connection: sqlite3.Connection, file: VectorFile, query: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the cosines of what the file holds for the closest vectors."""
    near = json.dumps(file.nearest(query, OVERSAMPLING * _NEAREST).tolist())
    rows = connection.execute(
        "SELECT vector FROM vectors WHERE vector_key IN (SELECT value FROM json_each(?))", (near,)
    ).fetchall()
    return exact_cosines(np.vstack([as_array(blob) for (blob,) in rows]), query)
