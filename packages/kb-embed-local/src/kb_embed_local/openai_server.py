"""A server that speaks the OpenAI protocol: Ollama, llama.cpp, vLLM, LM Studio, or a service.

A text over the limit is divided between sentences, else clauses, words, or what a reader sees as
one character, and its vector is the mean of the parts', each weighted by its bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from kb_config import Settings
from kb_core.boundaries import pieces
from kb_core.chunks import BYTES_PER_TOKEN
from kb_core.errors import ConfigError, FeatureMissing, ModelError, printable
from kb_core.ports.embedder import EmbedderIdentity, Vector
from kb_embed_local.texts import usable
from kb_embed_local.vectors import as_vector
from kb_embed_local.windows import pooled

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from openai import OpenAI

_HINT = "check embedding.url and embedding.model, and that the server runs"
_HINTS = {
    401: "set the server's key in KB_EMBEDDING__API_KEY",
    403: "set a key that may use this model in KB_EMBEDDING__API_KEY",
    404: "check embedding.model, and that embedding.url ends as the server wants, often in /v1",
    413: "lower embedding.max_tokens",
    429: "wait until the server takes more, and run the same command again",
}
"""By status of the answer."""
_NO_KEY = "none"  # the client insists on one, servers on this machine look at none
_CONNECT_S, _ANSWER_S = 5.0, 60.0
_TEXTS_A_REQUEST = 16
_LONGEST_REASON_CHARS = 300


def create_openai(settings: Settings) -> OpenAIEmbedder:
    """Return the embedder that the settings ask for; nothing is sent yet.

    Raises:
        ConfigError: no address or no model is named.
    """
    if settings.embedding.url is None or settings.embedding.model is None:
        raise ConfigError(
            "embedding.engine is openai, which needs embedding.url and embedding.model",
            hint="such as http://127.0.0.1:11434/v1 and the name of a model for embeddings there",
        )
    return OpenAIEmbedder(settings)


class OpenAIEmbedder:
    """`Embedder` that asks a server.

    Args:
        settings: address, model, key, prefixes and limit.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.embedding
        self._address = _without_secrets(str(settings.embedding.url))
        self._dimensions: int | None = None

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """What decides its vectors, as far as a server tells.

        It is asked for their size, once a process and only where no vector has come yet.

        Raises:
            ModelError: the server gives no vector.
        """
        chosen = self._settings
        return EmbedderIdentity(
            engine="openai",
            model_id=str(chosen.model),
            model_version=self._address,
            pooling=f"parts of {self._limit_bytes} bytes, mean by bytes;"
            f" {chosen.query_prefix!r} {chosen.passage_prefix!r}",
            dimensions=self._dimensions or len(self._ask(["size"])[0]),
        )

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts to be found, in their order.

        Raises:
            ModelError: the server cannot be reached, or gives no vectors.
        """
        return self._embed([self._settings.passage_prefix + usable(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question.

        Raises:
            ModelError: the server cannot be reached, or gives no vector.
        """
        return self._embed([self._settings.query_prefix + usable(text)])[0]

    @property
    def _limit_bytes(self) -> int:
        return self._settings.max_tokens * BYTES_PER_TOKEN

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        divided = [parts_of(text, self._limit_bytes) for text in texts]
        rows = self._ask_all([part for parts in divided for part in parts])
        return [
            as_vector(pooled(islice(rows, len(parts)), (len(part.encode()) for part in parts)))
            for parts in divided
        ]

    def _ask_all(self, texts: Sequence[str]) -> Iterator[NDArray[np.float64]]:
        for start in range(0, len(texts), _TEXTS_A_REQUEST):
            yield from self._ask(texts[start : start + _TEXTS_A_REQUEST])

    def _ask(self, texts: Sequence[str]) -> list[NDArray[np.float64]]:
        client = self._client
        from openai import OpenAIError

        try:
            answer = client.embeddings.create(
                input=list(texts), model=str(self._settings.model), encoding_format="float"
            )
            rows = [
                np.array(each.embedding, dtype=np.float64)
                for each in sorted(answer.data, key=lambda each: each.index)
            ]
        except (OpenAIError, AttributeError, TypeError, ValueError) as error:
            hint = _HINTS.get(getattr(error, "status_code", 0), _HINT)
            raise self._failed(str(error), hint) from error
        shapes = {row.shape for row in rows}
        if self._dimensions is None and len(shapes) == 1 and len(rows[0].shape) == 1:
            self._dimensions = len(rows[0]) or None
        if len(rows) != len(texts) or shapes != {(self._dimensions,)}:
            sizes = ", ".join(sorted("×".join(map(str, shape)) for shape in shapes))
            raise self._failed(f"{len(rows)} vectors for {len(texts)} texts, sizes {sizes}")
        if not all(np.isfinite(row).all() for row in rows):
            raise self._failed("a vector holds what is no number")
        return rows

    @cached_property
    def _client(self) -> OpenAI:
        try:
            from openai import OpenAI, Timeout
        except ImportError as error:
            raise FeatureMissing("vectors from a server", "kb-embed-local[openai]") from error
        key = self._settings.api_key
        return OpenAI(
            base_url=self._settings.url,
            api_key=key.get_secret_value() if key else _NO_KEY,
            timeout=Timeout(_ANSWER_S, connect=_CONNECT_S),
            # A server may ask to wait a minute before each; who waits should know.
            max_retries=0,
        )

    def _failed(self, reason: str, hint: str = _HINT) -> ModelError:
        key = self._settings.api_key
        if key:
            reason = reason.replace(key.get_secret_value(), "…")
        where = printable(f"{self._settings.model} at {self._address}")
        shown = printable(reason[:_LONGEST_REASON_CHARS])
        return ModelError(f"{where} gives no vectors: {shown}", hint=hint)


def parts_of(text: str, limit_bytes: int) -> list[str]:
    """Return the text in parts of at most so many bytes, none of them empty.

    A single grapheme that is longer stands alone.
    """
    parts = (text[start:end] for start, end in pieces(text, limit_bytes))
    # Servers refuse an empty text.
    return [part for part in parts if part.strip()] or [" "]


def _without_secrets(url: str) -> str:
    """Return an address without a name, a password and a query, which may hold keys."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
