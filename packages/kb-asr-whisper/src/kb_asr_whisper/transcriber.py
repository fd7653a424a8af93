"""`Transcriber` on whisper.cpp.

The model is loaded at the first window, after its digest matched, and stays loaded. Importing this
module loads neither numpy nor the engine: a search never pays for them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kb_asr_whisper.decoding import DECODING, MINIMUM_SAMPLES, engine_version
from kb_asr_whisper.registry import ENGINE, WhisperModelRegistry
from kb_asr_whisper.window import build_window
from kb_config.threads import default_threads
from kb_core.ports.transcriber import (
    AudioWindow,
    HeardLanguages,
    RecognisedWindow,
    TranscriberIdentity,
    allowed_languages,
)
from kb_core.runtime import CancelToken

if TYPE_CHECKING:
    from kb_asr_whisper.engine import Samples, WhisperEngine


class WhisperCppTranscriber:
    """Speech recognition with one model of whisper.cpp; calls from several threads take turns."""

    def __init__(
        self, registry: WhisperModelRegistry, model: str, *, threads: int | None = None
    ) -> None:
        self._registry = registry
        self._model = model
        self._threads = threads or default_threads()
        self._turn = threading.Lock()
        self._engine: WhisperEngine | None = None

    @property
    def identity(self) -> TranscriberIdentity:
        """What decides the text, known without loading the model; the threads are not part of it.

        Raises:
            ModelMissing: nobody knows a model of that name.
        """
        return TranscriberIdentity(
            engine=ENGINE,
            engine_version=engine_version(),
            model_id=self._model,
            model_version=self._registry.resolve(self._model).sha256,
            decoding=dict(DECODING),
        )

    @property
    def preferred_batch_windows(self) -> int:
        """One: whisper.cpp gains nothing from several windows at once."""
        return 1

    def transcribe(
        self,
        windows: Sequence[AudioWindow],
        *,
        language: str,
        cancel: CancelToken | None = None,
    ) -> list[RecognisedWindow]:
        """Recognise windows, each on its own.

        Args:
            windows: at most 30 s each; short ones are padded with silence for the engine.
            language: ISO 639-1 code.
            cancel: checked before each window; one that has begun is finished.

        Raises:
            ModelMissing, ModelDigestMismatch: the weights are absent or not what they should be.
            ModelError: the model does not know the language.
            EngineFailed: whisper.cpp reported a failure.
            Cancelled: a stop was asked for.
        """
        with self._turn:
            recognised = []
            for window in windows:
                if cancel is not None:
                    cancel.raise_if_cancelled()
                recognised.append(self._recognise(window, language))
            return recognised

    def detect_languages(
        self,
        windows: Sequence[AudioWindow],
        *,
        among: Sequence[str],
        cancel: CancelToken | None = None,
    ) -> list[HeardLanguages]:
        """Tell the language of short stretches of speech; see the port.

        Raises:
            ModelMissing, ModelDigestMismatch: the weights are absent or not what they should be.
            ModelError: the model does not know one of the languages.
            EngineFailed: whisper.cpp reported a failure.
            Cancelled: a stop was asked for.
        """
        with self._turn:
            heard = []
            for window in windows:
                if cancel is not None:
                    cancel.raise_if_cancelled()
                heard.append(self._detect(window, among))
            return heard

    def close(self) -> None:
        """Free the memory of the model; the next window loads it again."""
        with self._turn:
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    def _recognise(self, window: AudioWindow, language: str) -> RecognisedWindow:
        if not len(window.pcm):
            return RecognisedWindow(segments=(), language=language)
        engine = self._loaded()
        engine.check_language(language)
        heard = engine.recognise(_padded(window.pcm), language)
        recognised = build_window(heard.segments, duration_ms=window.duration_ms, language=language)
        return recognised.model_copy(update={"heard_until_ms": heard.until_ms})

    def _detect(self, window: AudioWindow, among: Sequence[str]) -> HeardLanguages:
        engine = self._loaded()
        for code in among:
            engine.check_language(code)
        if not engine.knows_many_languages:
            return HeardLanguages(probabilities={"en": 1.0})
        if not len(window.pcm):
            return HeardLanguages(probabilities={})
        return allowed_languages(engine.language_probabilities(_padded(window.pcm)), among)

    def _loaded(self) -> WhisperEngine:
        if self._engine is None:
            from kb_asr_whisper.engine import WhisperEngine

            path: Path = self._registry.obtain(self._model)
            self._engine = WhisperEngine(path, self._threads)
        return self._engine


def _padded(pcm: memoryview) -> Samples:
    import numpy as np

    samples = np.frombuffer(pcm, dtype=np.float32)
    missing = MINIMUM_SAMPLES - len(samples)
    return np.pad(samples, (0, missing)) if missing > 0 else samples
