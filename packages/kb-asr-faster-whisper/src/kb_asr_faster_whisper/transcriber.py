"""`Transcriber` on faster-whisper.

The model is loaded at the first window, after its digests matched, and stays loaded. Importing this
module loads neither numpy nor the engine: a search never pays for them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kb_asr_faster_whisper.decoding import DECODING, engine_version
from kb_asr_faster_whisper.listening import hear
from kb_asr_faster_whisper.registry import ENGINE, FasterWhisperModelRegistry
from kb_asr_faster_whisper.window import build_window
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
    from kb_asr_faster_whisper.engine import FasterWhisperEngine, Samples

_BATCH_WINDOWS = 8


class FasterWhisperTranscriber:
    """Speech recognition with one CTranslate2 model; calls from several threads take turns."""

    def __init__(
        self, registry: FasterWhisperModelRegistry, model: str, *, threads: int | None = None
    ) -> None:
        self._registry = registry
        self._model = model
        self._threads = threads or default_threads()
        self._turn = threading.Lock()
        self._engine: FasterWhisperEngine | None = None

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
            model_version=self._registry.resolve(self._model).weights.sha256,
            decoding=dict(DECODING),
        )

    @property
    def preferred_batch_windows(self) -> int:
        """Eight: the decoder is twice as fast as with one, and gains little beyond."""
        return _BATCH_WINDOWS

    def transcribe(
        self,
        windows: Sequence[AudioWindow],
        *,
        language: str,
        cancel: CancelToken | None = None,
    ) -> list[RecognisedWindow]:
        """Recognise windows, each on its own, in batches.

        Args:
            windows: at most 30 s each; short ones are padded with silence for the engine.
            language: ISO 639-1 code.
            cancel: checked before each window; one that has begun is finished.

        Raises:
            ModelMissing, ModelDigestMismatch: the weights are absent or not what they should be.
            ModelError: the model does not know the language.
            EngineFailed: faster-whisper reported a failure.
            Cancelled: a stop was asked for.
        """
        recognised: list[RecognisedWindow] = []
        with self._turn:
            for first in range(0, len(windows), _BATCH_WINDOWS):
                batch = windows[first : first + _BATCH_WINDOWS]
                recognised += self._recognise(batch, language, cancel or CancelToken())
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
            EngineFailed: faster-whisper reported a failure.
            Cancelled: a stop was asked for.
        """
        heard = []
        with self._turn:
            for window in windows:
                if cancel is not None:
                    cancel.raise_if_cancelled()
                heard.append(self._detect(window, among))
        return heard

    def close(self) -> None:
        """Free the memory of the model; the next window loads it again."""
        with self._turn:
            self._engine = None

    def _recognise(
        self, windows: Sequence[AudioWindow], language: str, cancel: CancelToken
    ) -> list[RecognisedWindow]:
        begun = {}
        for place, window in enumerate(windows):
            cancel.raise_if_cancelled()
            if len(window.pcm):
                engine = self._loaded()
                engine.check_language(language)
                samples = _samples(window)
                begun[place] = samples, engine.encode(samples)
        recognised = [RecognisedWindow(segments=(), language=language)] * len(windows)
        if begun:
            texts = hear(self._loaded(), list(begun.values()), language)
            for place, text in zip(begun, texts, strict=True):
                recognised[place] = build_window(
                    text, duration_ms=windows[place].duration_ms, language=language
                )
        return recognised

    def _detect(self, window: AudioWindow, among: Sequence[str]) -> HeardLanguages:
        engine = self._loaded()
        for code in among:
            engine.check_language(code)
        if not engine.knows_many_languages:
            return HeardLanguages(probabilities={"en": 1.0})
        if not len(window.pcm):
            return HeardLanguages(probabilities={})
        return allowed_languages(engine.language_probabilities(_samples(window)), among)

    def _loaded(self) -> FasterWhisperEngine:
        if self._engine is None:
            from kb_asr_faster_whisper.engine import FasterWhisperEngine

            folder = self._registry.obtain(self._model)
            self._engine = FasterWhisperEngine(folder, self._threads)
        return self._engine


def _samples(window: AudioWindow) -> Samples:
    import numpy as np

    return np.frombuffer(window.pcm, dtype=np.float32)
