"""Vectors as one matrix in memory, searched exactly.

Scores must not depend on the order of additions, which changes with the number of threads. So the
product of matrices only finds candidates, by a margin wider than its error; their scores are then
computed in float64, where a product of float16 numbers is a multiple of 2^-48 and the sum of such
products, never far above 1, loses no digit.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kb_core.ports.embedder import Vector
from kb_core.query import SearchScope, VectorMatch
from kb_store_sqlite.scope import Condition, scope_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

STORED_TYPE = np.dtype("<f2")
EVERY_VECTOR: Condition = ("TRUE", {})
DECIMALS = 6
"""Cosines that are equal in so many digits are ties."""
_BLOCK_ROWS = 1024
"""Read and converted at a time: what stays in the cache of a core."""
_FLOAT32 = np.arange(2**16, dtype="<u2").view(STORED_TYPE).astype(np.float32)
"""Every float16 number as float32, by its bits; looking it up is faster than converting it."""

Scored = tuple["NDArray[np.int64]", "NDArray[np.float64]"]
"""Keys of chunks and their cosines, in any order."""


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """Vectors of chunks.

    Attributes:
        chunk_keys: int64, one a row.
        vectors: float32, a row a chunk, each of length 1.
        total: float64, the sum of all rows.
    """

    chunk_keys: NDArray[np.int64]
    vectors: NDArray[np.float32]
    total: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.chunk_keys)

    @classmethod
    def load(
        cls, connection: sqlite3.Connection, dimensions: int, condition: Condition = EVERY_VECTOR
    ) -> VectorMatrix:
        """Read the vectors of all chunks that have one.

        Args:
            connection: to read with.
            dimensions: vectors of another size are damaged and left out.
            condition: on `chunk_key` and `vector_key`.
        """
        where, parameters = condition
        (count,) = connection.execute(
            f"SELECT count(*) FROM chunk_vectors WHERE {where}",  # noqa: S608 (own conditions)
            parameters,
        ).fetchone()
        cursor = connection.execute(
            f"""
            SELECT chunk_key, vector FROM chunk_vectors CROSS JOIN vectors USING (vector_key)
            WHERE length(vector) = :byte_len AND {where} ORDER BY vector_key
            """,  # noqa: S608 (own conditions)
            {**parameters, "byte_len": dimensions * STORED_TYPE.itemsize},
        )
        chunk_keys: list[int] = []
        vectors = np.empty((count, dimensions), dtype=np.float32)
        total = np.zeros(dimensions)
        while rows := cursor.fetchmany(_BLOCK_ROWS):
            start = len(chunk_keys)
            chunk_keys += [chunk_key for chunk_key, _ in rows]
            block = vectors[start : len(chunk_keys)]
            as_float32(b"".join([blob for _, blob in rows]), block)
            total += block.sum(axis=0, dtype=np.float64)
        keys = np.array(chunk_keys, dtype=np.int64)
        return cls(keys, vectors[: len(keys)], total)._without_damage()

    def _without_damage(self) -> VectorMatrix:
        if np.isfinite(self.total).all():
            return self
        is_sound = np.isfinite(self.vectors).all(axis=1)
        vectors = self.vectors[is_sound]
        return VectorMatrix(self.chunk_keys[is_sound], vectors, vectors.sum(axis=0, dtype=float))

    def nearest(
        self,
        query: NDArray[np.float32],
        limit: int,
        is_allowed: NDArray[np.bool_] | None = None,
    ) -> Scored:
        """Return the closest chunks, with every tie of the last one.

        Args:
            query: of the same dimensions, of length 1.
            limit: positive.
            is_allowed: rows that may be found; None for all.
        """
        if is_allowed is None:
            best = self._best(self.vectors @ query, limit)
        else:
            rows = np.flatnonzero(is_allowed)
            if len(rows) < len(self) // 4:  # else it costs more to take the rows out
                rough = self.vectors[rows] @ query
            else:
                rough = (self.vectors @ query)[rows]
            best = rows[self._best(rough, limit)]
        return self.chunk_keys[best], exact_cosines(self.vectors[best], query)

    def _best(self, rough: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
        if len(rough) <= limit:
            return np.arange(len(rough))
        last = np.partition(rough, len(rough) - limit)[len(rough) - limit]
        error = self.vectors.shape[1] * float(np.finfo(np.float32).eps)
        return np.flatnonzero(rough >= last - 2 * error - 10**-DECIMALS)


def as_array(vector: Vector) -> NDArray[np.float32]:
    """Return a stored vector as numbers."""
    return np.frombuffer(vector, dtype=STORED_TYPE).astype(np.float32)


def as_float32(stored: bytes, out: NDArray[np.float32]) -> None:
    """Write stored vectors, one after the other, into the rows of `out`."""
    np.take(_FLOAT32, np.frombuffer(stored, dtype="<u2").reshape(out.shape), out=out, mode="clip")


def exact_cosines(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the cosine of each row to `query`, rounded so that ties are equal."""
    return np.round(vectors.astype(np.float64) @ query.astype(np.float64), DECIMALS)


def rows_in_scope(
    connection: sqlite3.Connection, scope: SearchScope, chunk_keys: NDArray[np.int64]
) -> NDArray[np.bool_] | None:
    """Return which of the chunks are in a scope; None when it is everything."""
    is_allowed: NDArray[np.bool_] | None = None
    for part in scope_parts(scope):
        rows = connection.execute(part.select, {part.name: part.value}).fetchall()
        keys = np.array(rows, dtype=np.int64).ravel()
        passes = np.isin(chunk_keys, keys, invert=not part.is_inside)
        is_allowed = passes if is_allowed is None else is_allowed & passes
    return is_allowed


def ranked(connection: sqlite3.Connection, scored: Scored, limit: int) -> list[VectorMatch]:
    """Return the best of some chunks, best first; equal scores in order of chunk id."""
    keys, scores = scored
    chunk_ids = dict(
        connection.execute(
            "SELECT chunk_key, chunk_id FROM chunks"
            " WHERE chunk_key IN (SELECT value FROM json_each(?))",
            (json.dumps(keys.tolist()),),
        )
    )
    in_order = sorted(
        (-score, chunk_ids[key]) for key, score in zip(keys.tolist(), scores.tolist(), strict=True)
    )
    return [
        VectorMatch(chunk_id=chunk_id, score_cosine=-negative + 0.0)
        for negative, chunk_id in in_order[:limit]
    ]
