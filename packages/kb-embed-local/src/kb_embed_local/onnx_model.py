"""A model of one's own: a folder with `model.onnx` and `tokenizer.json`, as they are published.

A text over the limit is divided into windows of the model's tokens without overlap, and its vector
is the mean of theirs, each weighted by its tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kb_config import Settings
from kb_core.errors import ConfigError, FeatureMissing, ModelError, ModelMissing, printable
from kb_core.ports.embedder import EmbedderIdentity, Vector
from kb_embed_local.texts import usable
from kb_embed_local.vectors import as_vector
from kb_embed_local.windows import pooled, windows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
_HINT = "embedding.model is the folder with model.onnx and tokenizer.json"
_SLICE_BYTES = 1 << 20


def create_onnx(settings: Settings) -> OnnxEmbedder:
    """Return the embedder that the settings ask for.

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
        """What decides its vectors; the files are read for it, once a process.

        Raises:
            ModelMissing: a file is not there.
            ModelError: the model cannot be used.
        """
        chosen = self._settings
        return EmbedderIdentity(
            engine="onnx",
            model_id=self._folder.name,
            model_version=self._digest(),
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
        tokenizer = self._tokenizer
        added = tokenizer.num_special_tokens_to_add(is_pair=False)
        size = max(1, self._settings.max_tokens - added)
        encoded = tokenizer.encode(text, add_special_tokens=False)
        windows = windows_of(encoded.offsets, size)

        def vector_of(window: Sequence[tuple[int, int]]) -> NDArray[np.floating]:
            part = text[window[0][0] : window[-1][1]] if window else ""
            return self._vector_of(tokenizer.encode(part).ids)

        return as_vector(pooled(windows, vector_of))

    def _vector_of(self, ids: Sequence[int]) -> NDArray[np.floating]:
        """Return the vector of one window with its special tokens."""
        numbers = np.array([list(ids) or [0]], dtype=np.int64)
        known = {
            "input_ids": numbers,
            "attention_mask": np.ones_like(numbers),
            "token_type_ids": np.zeros_like(numbers),
            "position_ids": np.arange(numbers.shape[1], dtype=np.int64)[np.newaxis],
        }
        wanted = [each.name for each in self._session.get_inputs()]
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise self._unusable(f"its graph asks for {', '.join(unknown)}")
        try:
            outputs = self._session.run(None, {name: known[name] for name in wanted})
        except Exception as error:
            raise self._unusable(str(error)) from error
        return self._pooled_tokens([np.asarray(output) for output in outputs])

    def _pooled_tokens(self, outputs: Sequence[NDArray[np.floating]]) -> NDArray[np.floating]:
        for output in outputs:
            if output.ndim == 3:
                tokens = output[0]
                chosen = tokens[0] if self._settings.pooling == "cls" else tokens.mean(axis=0)
                return np.asarray(chosen)
        for output in outputs:
            if output.ndim == 2:
                return np.asarray(output[0])
        raise self._unusable("its graph gives no vectors of tokens, nor of the text")

    @cached_property
    def _session(self) -> InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._settings.threads or 1
        options.log_severity_level = 3  # errors
        path = self._file(GRAPH)
        try:
            return onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise self._unusable(str(error)) from error

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise FeatureMissing("an ONNX model of one's own", "kb-embed-local[onnx]") from error
        path = self._file(TOKENIZER)
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:
            raise self._unusable(str(error)) from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _digest(self) -> str:
        """Return SHA-256 over both files."""
        digest = hashlib.sha256()
        for name in (GRAPH, TOKENIZER):
            with self._file(name).open("rb") as file:
                while piece := file.read(_SLICE_BYTES):
                    digest.update(piece)
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
