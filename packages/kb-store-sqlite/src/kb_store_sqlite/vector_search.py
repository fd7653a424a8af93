"""Search by vectors: what is held in memory for it, when that is old, and when a file helps."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kb_core.ports.embedder import Vector
from kb_core.query import EVERYTHING, SearchScope, VectorMatch
from kb_store_sqlite import vector_file
from kb_store_sqlite.connection import Database
from kb_store_sqlite.scope import Condition, condition_of
from kb_store_sqlite.vector_file import VectorFile, VectorFileRow
from kb_store_sqlite.vector_matrix import (
    DECIMALS,
    EVERY_VECTOR,
    Scored,
    VectorMatrix,
    as_array,
    ranked,
    rows_in_scope,
)
from kb_store_sqlite.vectors import byte_len_of, generation, version_in_use

if TYPE_CHECKING:
    from numpy.typing import NDArray

OVERSAMPLING = 4
"""So many times the wanted vectors are taken from the file, to be compared exactly."""
_NEAR = "vector_key IN (SELECT value FROM json_each(:near))"
_FEW_CHUNKS = 10_000
"""A scope of so many chunks is read and compared exactly even where there is a file."""


@dataclass(frozen=True, slots=True)
class _Held:
    """The vectors of one state of the store.

    Attributes:
        state: generation of the store, model, dimensions.
        matrix: all vectors, or those that are not in the file.
        file: all others; None when the matrix is everything.
    """

    state: tuple[int, str, int]
    matrix: VectorMatrix
    file: VectorFile | None


class VectorSearch:
    """Searches the vectors of one database; methods may be called from any thread.

    Args:
        database: to search in.
        exact_limit: with more chunks than this, a file of an approximate index is used.
    """

    def __init__(self, database: Database, exact_limit: int) -> None:
        self._database = database
        self._exact_limit = exact_limit
        self._lock = threading.Lock()
        self._held: _Held | None = None

    def search(
        self, vector_version: str, vector: Vector, *, limit: int, scope: SearchScope
    ) -> list[VectorMatch]:
        """Return the closest chunks of a scope, closest first."""
        query = as_array(vector)
        with self._database.read() as connection:
            held = self._hold(connection, vector_version, len(query))
            if limit <= 0 or held is None:
                return []
            is_allowed = rows_in_scope(connection, scope, held.matrix.chunk_keys)
            scored = held.matrix.nearest(query, limit, is_allowed)
            if held.file is not None:
                others = _nearest_in_file(connection, held.file, query, limit, scope)
                scored = _together(scored, others)
            return ranked(connection, scored, limit)

    def background_cosine(self, vector_version: str, vector: Vector) -> float:
        """Return the mean cosine to all chunks; where there is a file, to all different texts."""
        query = as_array(vector)
        with self._database.read() as connection:
            held = self._hold(connection, vector_version, len(query))
        if held is None:
            return 0.0
        total, count = held.matrix.total, len(held.matrix)
        if held.file is not None:
            total, count = total + held.file.row.total, count + len(held.file)
        return round(float(total @ query) / count, DECIMALS) if count else 0.0

    def rebuild_file(self, *, only_if_behind: bool) -> bool:
        """Make the file of the approximate index where there should be one.

        Args:
            only_if_behind: keep one that is good enough.

        Returns:
            Whether it was made.

        Raises:
            StoreError: it cannot be written.
        """
        if self._database.read_only or not vector_file.is_available():
            return False
        with self._database.read() as connection:
            vector_version = self._version_with_file(connection)
            byte_len = vector_version and byte_len_of(connection, vector_version)
            if not vector_version or not byte_len:
                return False
            row = vector_file.row_of(self._database, connection, vector_version)
            if only_if_behind and _is_good(connection, vector_version, row):
                return False
        vector_file.build(self._database, vector_version, byte_len)
        with self._lock:
            self._held = None
        return True

    def _version_with_file(self, connection: sqlite3.Connection) -> str | None:
        """Return the model in use when there are enough vectors for a file."""
        (count,) = connection.execute("SELECT count(*) FROM chunk_vectors").fetchone()
        return version_in_use(connection) if count > self._exact_limit else None

    def _hold(
        self, connection: sqlite3.Connection, vector_version: str, dimensions: int
    ) -> _Held | None:
        """Return the vectors as they are in this transaction, or None when there are none."""
        if version_in_use(connection) != vector_version:
            return None
        state = (generation(connection), vector_version, dimensions)
        with self._lock:
            if self._held is None or self._held.state != state:
                file = self._open_file(connection)
                condition = EVERY_VECTOR
                if file is not None:
                    condition = "vector_key > :last_key", {"last_key": file.row.last_key}
                matrix = VectorMatrix.load(connection, dimensions, condition)
                self._held = _Held(state, matrix, file)
            return self._held

    def _open_file(self, connection: sqlite3.Connection) -> VectorFile | None:
        vector_version = self._version_with_file(connection)
        if vector_version is None:
            return None
        row = vector_file.row_of(self._database, connection, vector_version)
        return VectorFile.open(row) if row is not None else None


def _is_good(
    connection: sqlite3.Connection, vector_version: str, row: VectorFileRow | None
) -> bool:
    if row is None or VectorFile.open(row) is None:
        return False
    return not vector_file.is_behind(connection, vector_version, row)


def _nearest_in_file(
    connection: sqlite3.Connection,
    file: VectorFile,
    query: NDArray[np.float32],
    limit: int,
    scope: SearchScope,
) -> Scored:
    """Return about the closest chunks of a scope among those whose vectors are in the file."""
    where, parameters = condition_of(scope)
    in_file = f"vector_key <= :last_key AND {where}"
    everywhere: Condition = in_file, {**parameters, "last_key": file.row.last_key}
    wanted = OVERSAMPLING * limit
    if scope == EVERYTHING or not _has_few(connection, scope):
        while wanted < len(file) // OVERSAMPLING:
            near = json.dumps(file.nearest(query, wanted).tolist())
            near_ones: Condition = f"{_NEAR} AND {where}", {**parameters, "near": near}
            matrix = VectorMatrix.load(connection, len(query), near_ones)
            # There may be too few, because vectors outlive chunks and scopes leave some out.
            if len(matrix) >= limit:
                return matrix.nearest(query, limit)
            wanted *= OVERSAMPLING
    return VectorMatrix.load(connection, len(query), everywhere).nearest(query, limit)


def _has_few(connection: sqlite3.Connection, scope: SearchScope) -> bool:
    where, parameters = condition_of(scope)
    (count,) = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM chunks WHERE {where} LIMIT :most)",  # noqa: S608
        {**parameters, "most": _FEW_CHUNKS + 1},
    ).fetchone()
    return bool(count <= _FEW_CHUNKS)


def _together(some: Scored, others: Scored) -> Scored:
    return np.concatenate([some[0], others[0]]), np.concatenate([some[1], others[1]])
