"""kb's own model of meaning, as a module that `search_peers.py` can be given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kb_app.plugins import make_embedder
from kb_config import load_settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EMBEDDER = make_embedder(load_settings())


def embed_passages(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one row of length 1 for each text."""
    return np.stack([_numbers(vector) for vector in _EMBEDDER.embed_passages(texts)])


def embed_queries(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one row of length 1 for each question."""
    return np.stack([_numbers(_EMBEDDER.embed_query(text)) for text in texts])


def _numbers(vector: bytes) -> NDArray[np.float32]:
    return np.frombuffer(vector, dtype="<f2").astype(np.float32)
