"""The one place that talks to whisper.cpp, through the low-level half of pywhispercpp.

The high-level half is not used: it replaces bytes that are no whole character, writes to stderr and
keeps parameters from call to call. What decides the text is set explicitly, from `DECODING`.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from kb_asr_whisper.decoding import DECODING, MINIMUM_SAMPLES
from kb_asr_whisper.interruptible import call_interruptibly
from kb_asr_whisper.passes import Passes
from kb_asr_whisper.tokens import Token, TokenSegment
from kb_core.errors import EngineFailed, ModelError, printable
from kb_core.ports.transcriber import SAMPLES_PER_MS

_CENTISECOND_MS = 10
_SAMPLES_PER_ENCODER_FRAME = 320
_LOG_LEVEL_ERROR = 4
_WAIT_POLICY = "OMP_WAIT_POLICY"
_errors_logged: list[str] = []

Samples = np.ndarray[tuple[int], np.dtype[np.float32]]


class WhisperEngine:
    """A loaded model. Not for two threads at once."""

    def __init__(self, path: Path, threads: int) -> None:
        self._lib = _library()
        self._threads = threads
        settings = self._lib.whisper_context_default_params()
        settings.use_gpu = False
        settings.flash_attn = DECODING["flash_attention"]
        _errors_logged.clear()
        self._context = self._lib.whisper_init_from_file_with_params(str(path), settings)
        if _errors_logged:  # a failed load returns an object like any other
            raise EngineFailed(
                f"whisper.cpp cannot load {printable(str(path))}: {printable(_errors_logged[-1])}",
                hint="`kb models verify` tells whether the file is whole",
            )
        self.close = weakref.finalize(self, self._lib.whisper_free, self._context)
        self._end_of_text: int = self._lib.whisper_token_eot(self._context)

    @property
    def knows_many_languages(self) -> bool:
        """Whether the model was trained on more than English."""
        return bool(self._lib.whisper_is_multilingual(self._context))

    def check_language(self, code: str) -> None:
        """Raise `ModelError` when the model does not know a language."""
        if not self.knows_many_languages and code != "en":
            raise ModelError(
                f"the model knows English only, and the language is set to {printable(code)}",
                hint="choose another model with `kb models use`, or leave the language open",
            )
        if self._lib.whisper_lang_id(code) < 0:
            raise ModelError(
                f"whisper.cpp knows no language {printable(code)}",
                hint="use an ISO 639-1 code such as ko, or leave the language open",
            )

    def language_probabilities(self, samples: Samples) -> dict[str, float]:
        """Return the probability of every language that the model knows, by its code.

        The encoder is run over as much as there is to hear instead of 30 s: for a few seconds that
        takes a tenth of the time, and languages are told apart as surely. (Words are not, so
        `recognise` never does that.)
        """
        lib = self._lib
        self._shorten_context(samples)
        if lib.whisper_pcm_to_mel(self._context, samples, len(samples), self._threads):
            raise EngineFailed("whisper.cpp failed to read the sound")
        probabilities = np.zeros(lib.whisper_lang_max_id() + 1, dtype=np.float32)
        if lib.whisper_lang_auto_detect(self._context, 0, self._threads, probabilities) < 0:
            raise EngineFailed("whisper.cpp failed to detect the language")
        return {lib.whisper_lang_str(place): float(p) for place, p in enumerate(probabilities)}

    def _shorten_context(self, samples: Samples) -> None:
        """Set the length of sound that the encoder sees next.

        The library has no call for that: it keeps the length of the last recognition, so one is
        begun, and given up before its first pass.
        """
        params = self._params("en")
        frames = -(-len(samples) // _SAMPLES_PER_ENCODER_FRAME)
        params.audio_ctx = min(frames, self._lib.whisper_model_n_audio_ctx(self._context))
        self._lib.assign_encoder_begin_callback(params, lambda *_: False)
        try:
            nothing = np.zeros(MINIMUM_SAMPLES, dtype=np.float32)
            self._lib.whisper_full(self._context, params, nothing, len(nothing))
        finally:
            self._lib.clear_encoder_begin_callback(params)

    def recognise(self, samples: Samples, language: str) -> Heard:
        """Return the segments that are heard, in order, and how far the engine listened.

        The engine goes on where its last segment ends only while less than half a window was
        heard; otherwise the caller starts a new, full window there.

        Args:
            samples: at 16 kHz, at least `MINIMUM_SAMPLES`.
            language: code of the language.

        Raises:
            EngineFailed: whisper.cpp reported a failure.
            KeyboardInterrupt: raised by a signal meanwhile; the engine has stopped by then, at its
                next step of decoding.
        """
        stop = threading.Event()
        passes = Passes(self._last_end_ms, len(samples) // SAMPLES_PER_MS)
        params = self._params(language)
        self._lib.assign_abort_callback(params, stop.is_set)
        self._lib.assign_encoder_begin_callback(params, passes)
        _errors_logged.clear()
        try:
            outcome = call_interruptibly(
                lambda: self._lib.whisper_full(self._context, params, samples, len(samples)),
                ask_to_stop=stop.set,
            )
        finally:
            self._lib.clear_abort_callback(params)
            self._lib.clear_encoder_begin_callback(params)
        if outcome:
            reason = printable(_errors_logged[-1]) if _errors_logged else f"code {outcome}"
            raise EngineFailed(f"whisper.cpp failed: {reason}")
        count = self._lib.whisper_full_n_segments(self._context)
        segments = tuple(self._segment(place) for place in range(count))
        return Heard(segments=segments, until_ms=passes.stopped_at_ms)

    def _last_end_ms(self) -> int:
        count = self._lib.whisper_full_n_segments(self._context)
        if not count:
            return 0
        end: int = self._lib.whisper_full_get_segment_t1(self._context, count - 1)
        return end * _CENTISECOND_MS

    def _params(self, language: str) -> Any:
        greedy = self._lib.whisper_sampling_strategy.WHISPER_SAMPLING_GREEDY
        params = self._lib.whisper_full_default_params(greedy)
        params.greedy = {"best_of": DECODING["best_of"]}
        params.n_max_text_ctx = DECODING["text_context_tokens"]
        for name in (
            *("temperature", "temperature_inc", "max_initial_ts", "no_speech_thold"),
            *("logprob_thold", "entropy_thold", "suppress_blank", "suppress_nst"),
            "token_timestamps",
        ):
            setattr(params, name, DECODING[name])
        params.no_context = True
        params.language = language
        params.n_threads = self._threads
        params.print_progress = False
        params.print_realtime = False
        params.print_timestamps = False
        return params

    def _segment(self, place: int) -> TokenSegment:
        lib, context = self._lib, self._context
        tokens = []
        for index in range(lib.whisper_full_n_tokens(context, place)):
            data = lib.whisper_full_get_token_data(context, place, index)
            if data.id < self._end_of_text:
                tokens.append(
                    Token(
                        data=lib.whisper_token_to_bytes(context, data.id),
                        probability=data.p,
                        start_ms=data.t0 * _CENTISECOND_MS if data.t0 >= 0 else None,
                        end_ms=data.t1 * _CENTISECOND_MS if data.t1 >= 0 else None,
                    )
                )
        return TokenSegment(
            start_ms=lib.whisper_full_get_segment_t0(context, place) * _CENTISECOND_MS,
            end_ms=lib.whisper_full_get_segment_t1(context, place) * _CENTISECOND_MS,
            tokens=tuple(tokens),
        )


@dataclass(frozen=True, slots=True)
class Heard:
    """Segments, and where the engine stopped listening; None when it heard all."""

    segments: tuple[TokenSegment, ...]
    until_ms: int | None


def _library() -> ModuleType:
    with _yielding_threads():
        import _pywhispercpp as lib
    lib.whisper_log_set(_on_log)
    # At exit the library would drop the callback after the interpreter is gone.
    atexit.unregister(_forget_log)
    atexit.register(_forget_log)
    return lib  # type: ignore[no-any-return]


@contextlib.contextmanager
def _yielding_threads() -> Iterator[None]:
    """Make OpenMP threads sleep while they wait for each other; read once, when it is loaded.

    By default they spin, and beside one busy process recognition took five times as long.
    """
    if _WAIT_POLICY in os.environ:
        yield
        return
    os.environ[_WAIT_POLICY] = "passive"
    try:
        yield
    finally:
        del os.environ[_WAIT_POLICY]


def _on_log(level: int, text: str) -> None:
    if level == _LOG_LEVEL_ERROR:
        _errors_logged.append(text.strip())


def _forget_log() -> None:
    import _pywhispercpp as lib

    lib.whisper_log_set(None)
