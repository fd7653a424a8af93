"""An embedder without a model: texts are alike when they share words."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence

from kb_core import nfc
from kb_core.canonical import digest_hex
from kb_core.errors import ModelError
from kb_core.ports.embedder import EmbedderIdentity, Vector

_UNUSABLE = re.compile("[\0\ud800-\udfff]")


class WordEmbedder:
    """`Embedder` that gives each word an axis, by its digest.

    Args:
        dimensions: of its vectors; with few, different words share one.
        model_id: another one is another model, whose vectors are others, too.

    Attributes:
        embedded: every passage that it was asked for, in order.
        fails: set it to make every call fail.
    """

    def __init__(self, dimensions: int = 64, *, model_id: str = "words") -> None:
        self._dimensions = dimensions
        self._model_id = model_id
        self.embedded: list[str] = []
        self.fails = False

    @property
    def identity(self) -> EmbedderIdentity:
        """What decides its vectors."""
        return EmbedderIdentity(
            engine="testing",
            model_id=self._model_id,
            model_version="1",
            pooling="count of words",
            dimensions=self._dimensions,
        )

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts, in their order.

        Raises:
            ModelError: it is to fail.
        """
        vectors = [self._embed(text) for text in texts]
        self.embedded.extend(texts)
        return vectors

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question.

        Raises:
            ModelError: it is to fail.
        """
        return self._embed(text)

    def _embed(self, text: str) -> Vector:
        if self.fails:
            raise ModelError("the fake model fails", hint="that is what it was told to do")
        counts = [0.0] * self._dimensions
        for word in re.findall(r"\w+", nfc(_UNUSABLE.sub(" ", text)).casefold()):
            counts[int(digest_hex((self._model_id + word).encode())[:8], 16) % len(counts)] += 1.0
        length = math.sqrt(math.fsum(count * count for count in counts))
        if length == 0.0:
            counts[0] = length = 1.0
        return struct.pack(f"<{len(counts)}e", *(count / length for count in counts))
