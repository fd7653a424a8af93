"""Vectors that come in are looked at once, so that search need not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kb_core.errors import StoreError
from kb_core.ports.embedder import Vector
from kb_store_sqlite.vector_matrix import STORED_TYPE


def require_sound(vectors: Mapping[str, Vector], byte_len: int | None) -> None:
    """Check that vectors are of one size and hold numbers.

    Args:
        vectors: by the digest of their text.
        byte_len: of the vectors that the model has already; None when there are none.

    Raises:
        StoreError: they are not.
    """
    sizes = {len(vector) for vector in vectors.values()} | ({byte_len} if byte_len else set())
    if len(sizes) > 1 or any(not size or size % STORED_TYPE.itemsize for size in sizes):
        raise _unsound(f"it gave vectors of {_listed(sizes)} bytes where all must be of one size")
    numbers = np.frombuffer(b"".join(vectors.values()), STORED_TYPE)
    if not np.isfinite(numbers).all():
        raise _unsound("it gave a vector that holds something else than numbers")


def _unsound(reason: str) -> StoreError:
    return StoreError(
        f"the model of meaning cannot be used: {reason}",
        hint="check the embedding model and its server; what was stored before is kept",
    )


def _listed(sizes: set[int]) -> str:
    return ", ".join(map(str, sorted(sizes)))
