"""A server that speaks the OpenAI protocol: Ollama, llama.cpp, vLLM, LM Studio, or a service.

A text over the limit is divided at white space, best at the last one that fits, and its vector is
the mean of the parts', each weighted by its bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kb_config import Settings
from kb_core.chunks import BYTES_PER_TOKEN
from kb_core.errors import ConfigError, FeatureMissing, ModelError, printable
from kb_core.ports.embedder import EmbedderIdentity, Vector
from kb_embed_local.texts import usable
from kb_embed_local.vectors import as_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from openai import OpenAI

_HINT = "check embedding.url and embedding.model, and that the server runs"
_NO_KEY = "none"  # the client insists on one, servers on this machine look at none
_TIMEOUT_S = 60.0
_TEXTS_A_REQUEST = 16


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

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """What decides its vectors, as far as a server tells; it is asked once for their size.

        Raises:
            ModelError: the server gives no vector.
        """
        chosen = self._settings
        return EmbedderIdentity(
            engine="openai",
            model_id=str(chosen.model),
            model_version=str(chosen.url),
            pooling=f"windows of {self._limit_bytes} bytes, mean by bytes;"
            f" {chosen.query_prefix!r} {chosen.passage_prefix!r}",
            dimensions=len(self._ask(["size"])[0]),
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
        parts = [parts_of(text, self._limit_bytes) for text in texts]
        flat = [part for several in parts for part in several]
        rows: list[NDArray[np.float64]] = []
        for start in range(0, len(flat), _TEXTS_A_REQUEST):
            rows += self._ask(flat[start : start + _TEXTS_A_REQUEST])
        vectors = []
        place = 0
        for several in parts:
            weights = [len(part.encode()) for part in several]
            mine = np.stack(rows[place : place + len(several)])
            vectors.append(as_vector(np.average(mine, axis=0, weights=weights)))
            place += len(several)
        return vectors

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
            raise self._failed(str(error)) from error
        sizes = {len(row) for row in rows}
        if len(rows) != len(texts) or len(sizes) != 1 or 0 in sizes:
            raise self._failed(f"{len(rows)} vectors for {len(texts)} texts, sizes {sorted(sizes)}")
        return rows

    @cached_property
    def _client(self) -> OpenAI:
        try:
            from openai import OpenAI
        except ImportError as error:
            raise FeatureMissing("vectors from a server", "kb-embed-local[openai]") from error
        key = self._settings.api_key
        return OpenAI(
            base_url=self._settings.url,
            api_key=key.get_secret_value() if key else _NO_KEY,
            timeout=_TIMEOUT_S,
            max_retries=1,
        )

    def _failed(self, reason: str) -> ModelError:
        key = self._settings.api_key
        if key is not None:
            reason = reason.replace(key.get_secret_value(), "…")
        where = printable(f"{self._settings.model} at {self._settings.url}")
        return ModelError(f"{where} gives no vectors: {printable(reason)}", hint=_HINT)


def parts_of(text: str, limit_bytes: int) -> list[str]:
    """Return the text in parts of at most so many bytes, none of them empty."""
    if len(text.encode()) <= limit_bytes:
        return [text or " "]
    parts: list[str] = []
    part = ""
    part_bytes = 0
    for word in _words(text, limit_bytes):
        word_bytes = len(word.encode())
        if part and part_bytes + word_bytes > limit_bytes:
            parts.append(part)
            part, part_bytes = "", 0
        part += word
        part_bytes += word_bytes
    if part.strip() or not parts:
        parts.append(part if part.strip() else " ")
    return parts


def _words(text: str, limit_bytes: int) -> list[str]:
    """Return words with the space behind them; what is too long for a part goes by characters."""
    words: list[str] = []
    for word in text.split(" "):
        spaced = f"{word} "
        words += list(spaced) if len(spaced.encode()) > limit_bytes else [spaced]
    return words
