"""A model of one's own: a folder with `model.onnx` and `tokenizer.json`, as they are published.

A text over the limit is divided into windows of the model's tokens without overlap, and its vector
is the mean of theirs, each weighted by its tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kb_config import Settings
from kb_core.errors import ConfigError, FeatureMissing, ModelError, ModelMissing, printable
from kb_core.ports.embedder import EmbedderIdentity, Vector
from kb_embed_local.sessions import open_session
from kb_embed_local.texts import usable
from kb_embed_local.vectors import as_vector
from kb_embed_local.windows import pooled

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
FIRST_CHOICE = "last_hidden_state"
_HINT = "embedding.model is the folder with model.onnx and tokenizer.json"


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The model in memory.

    Attributes:
        digest: SHA-256 of the files that it came from.
    """

    digest: str
    session: InferenceSession
    tokenizer: Tokenizer


def create_onnx(settings: Settings) -> OnnxEmbedder:
    """Return the embedder that the settings ask for; its model is loaded on first use.

    Raises:
        ConfigError: no folder is named.
    """
    if settings.embedding.model is None:
        raise ConfigError("embedding.engine is onnx and no model is named", hint=_HINT)
    return OnnxEmbedder(Path(settings.embedding.model).expanduser(), settings)


class OnnxEmbedder:
    """`Embedder` with a graph that takes `input_ids` and gives a vector for each token, or one.

    Args:
        folder: with the graph and its tokenizer.
        settings: prefixes, pooling, limit and threads.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder = folder
        self._settings = settings.embedding

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """What decides its vectors; the model is loaded for it, once a process.

        Raises:
            ModelMissing: a file is not there.
            ModelError: the model cannot be used.
        """
        chosen = self._settings
        return EmbedderIdentity(
            engine="onnx",
            model_id=self._folder.name,
            model_version=self._loaded.digest,
            pooling=f"{chosen.pooling}, windows of {chosen.max_tokens} tokens, mean by tokens;"
            f" {chosen.query_prefix!r} {chosen.passage_prefix!r}",
            dimensions=len(self._embed("")) // 2,
        )

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts to be found, in their order.

        Raises:
            ModelError: the model cannot be used.
        """
        return [self._embed(self._settings.passage_prefix + usable(text)) for text in texts]

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question.

        Raises:
            ModelError: the model cannot be used.
        """
        return self._embed(self._settings.query_prefix + usable(text))

    def _embed(self, text: str) -> Vector:
        encoded = self._loaded.tokenizer.encode(text)
        windows = [encoded, *encoded.overflowing]
        tokens = [window.special_tokens_mask.count(0) for window in windows]
        return as_vector(pooled((self._vector_of(window.ids) for window in windows), tokens))

    def _vector_of(self, ids: Sequence[int]) -> NDArray[np.floating]:
        """Return the vector of one window with its special tokens."""
        numbers = np.array([list(ids) or [0]], dtype=np.int64)
        known = {
            "input_ids": numbers,
            "attention_mask": np.ones_like(numbers),
            "token_type_ids": np.zeros_like(numbers),
            "position_ids": np.arange(numbers.shape[1], dtype=np.int64)[np.newaxis],
        }
        session = self._loaded.session
        wanted = [each.name for each in session.get_inputs()]
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise self._unusable(f"its graph asks for {', '.join(unknown)}")
        try:
            outputs = session.run(None, {name: known[name] for name in wanted})
        except Exception as error:
            raise self._unusable(str(error)) from error
        names = [each.name for each in session.get_outputs()]
        return self._vector_among(dict(zip(names, map(np.asarray, outputs), strict=True)))

    def _vector_among(self, outputs: dict[str, NDArray[np.floating]]) -> NDArray[np.floating]:
        """Return the pooled vectors of tokens, or a vector of the text where there are none."""
        in_order = sorted(outputs, key=lambda name: name != FIRST_CHOICE)
        for name in in_order:
            if outputs[name].ndim == 3:
                tokens = outputs[name][0]
                first = self._settings.pooling == "cls"
                return np.asarray(tokens[0] if first else tokens.mean(axis=0, dtype=np.float64))
        for name in in_order:
            if outputs[name].ndim == 2:
                return np.asarray(outputs[name][0])
        raise self._unusable("its graph gives no vectors of tokens, nor of the text")

    @cached_property
    def _loaded(self) -> _Loaded:
        """Hash and load in one go, so that the digest is that of what is in memory."""
        return _Loaded(
            digest=self._digest(), session=self._session(), tokenizer=self._windowing_tokenizer()
        )

    def _session(self) -> InferenceSession:
        return open_session(
            str(self._file(GRAPH)),
            threads=self._settings.threads or 1,
            name=printable(str(self._folder)),
            hint=_HINT,
        )

    def _windowing_tokenizer(self) -> Tokenizer:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise FeatureMissing("an ONNX model of one's own", "kb-embed-local[onnx]") from error
        try:
            tokenizer = Tokenizer.from_file(str(self._file(TOKENIZER)))
            tokenizer.no_padding()
            # What is truncated is not lost: it comes as further windows.
            tokenizer.enable_truncation(self._settings.max_tokens)
        except Exception as error:
            raise self._unusable(str(error)) from error
        return tokenizer

    def _digest(self) -> str:
        """Return SHA-256 over the digests of all files, those of weights beside the graph too."""
        graph, tokenizer = self._file(GRAPH), self._file(TOKENIZER)
        beside = sorted(each for each in self._folder.glob(f"{GRAPH}?*") if each.is_file())
        digest = hashlib.sha256()
        try:
            for path in (graph, tokenizer, *beside):
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise self._unusable(str(error)) from error
        return digest.hexdigest()

    def _file(self, name: str) -> Path:
        path = self._folder / name
        if not path.is_file():
            raise ModelMissing(f"{printable(str(path))} is not there", hint=_HINT)
        return path

    def _unusable(self, reason: str) -> ModelError:
        return ModelError(
            f"{printable(str(self._folder))} cannot be used: {printable(reason.strip())}",
            hint=_HINT,
        )
