"""Recognisers without a model: one that hears beeps, one that says what it was told to.

`BeepTranscriber` ties text to sound without any weights, so a test can place a beep at a known time
and see where it comes out. It listens to every seventh sample, in C-speed passes over plain lists:
ten hours take seconds. (Seven, because a tone of a round frequency would vanish in a round stride.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from operator import mul

from kb_core.errors import EngineFailed, KbError
from kb_core.ports.transcriber import (
    SAMPLES_PER_MS,
    AudioWindow,
    HeardLanguages,
    RecognisedWindow,
    TranscriberIdentity,
)
from kb_core.runtime import CancelToken
from kb_core.transcript import TranscriptSegment, Word

_STRIDE_SAMPLES = 7
_FRAME_MS = 10
_FRAME_SAMPLES = _FRAME_MS * SAMPLES_PER_MS

WindowScript = Sequence[RecognisedWindow] | Callable[[AudioWindow], RecognisedWindow]


class BeepTranscriber:
    """Reports every stretch of loud sound as one segment, to 10 ms.

    Attributes:
        calls: how often `transcribe` was called.
        windows: start and end sample of every window heard, in order.
    """

    preferred_batch_windows = 1

    def __init__(
        self,
        *,
        text: str = "beep",
        threshold_rms: float = 0.05,
        joined_gap_ms: int = 50,
        model_version: str = "0" * 64,
    ) -> None:
        self._text = text
        self._threshold_rms = threshold_rms
        self._joined_gap_ms = joined_gap_ms
        self._model_version = model_version
        self.calls = 0
        self.windows: list[tuple[int, int]] = []

    @property
    def identity(self) -> TranscriberIdentity:
        """All that decides the text."""
        return TranscriberIdentity(
            engine="beep",
            engine_version="1",
            model_id="beep",
            model_version=self._model_version,
            decoding={
                "text": self._text,
                "threshold_rms": self._threshold_rms,
                "joined_gap_ms": self._joined_gap_ms,
            },
        )

    def transcribe(
        self,
        windows: Sequence[AudioWindow],
        *,
        language: str,
        cancel: CancelToken | None = None,
    ) -> list[RecognisedWindow]:
        """Return the beeps of each window."""
        self.calls += 1
        recognised = []
        for window in windows:
            if cancel is not None:
                cancel.raise_if_cancelled()
            self.windows.append((window.start_sample, window.end_sample))
            segments = tuple(
                self._segment(start_ms, end_ms, language)
                for start_ms, end_ms in self._beeps(window)
            )
            recognised.append(RecognisedWindow(segments=segments, language=language))
        return recognised

    def detect_languages(
        self,
        windows: Sequence[AudioWindow],
        *,
        among: Sequence[str],
        cancel: CancelToken | None = None,
    ) -> list[HeardLanguages]:
        """Say English, or the first language that is allowed."""
        return [_only_language(among) for _ in _uncancelled(windows, cancel)]

    def _segment(self, start_ms: int, end_ms: int, language: str) -> TranscriptSegment:
        word = Word(start_ms=start_ms, end_ms=end_ms, text=self._text, confidence=1.0)
        return TranscriptSegment(
            start_ms=start_ms,
            end_ms=end_ms,
            text=self._text,
            confidence=1.0,
            language=language,
            words=(word,),
        )

    def _beeps(self, window: AudioWindow) -> list[tuple[int, int]]:
        beeps: list[tuple[int, int]] = []
        for frame in _loud_frames(window.pcm, self._threshold_rms):
            start_ms = frame * _FRAME_MS
            end_ms = min(start_ms + _FRAME_MS, window.duration_ms)
            if beeps and start_ms - beeps[-1][1] <= self._joined_gap_ms:
                beeps[-1] = (beeps[-1][0], end_ms)
            else:
                beeps.append((min(start_ms, end_ms), end_ms))
        return beeps


class ScriptedTranscriber:
    """Returns given results and counts.

    Attributes:
        calls: how often `transcribe` was called.
        windows: start and end sample of every window, in order.
        languages: the language asked for in every call.
    """

    preferred_batch_windows = 1

    def __init__(
        self,
        script: WindowScript,
        *,
        delay_s: float = 0.0,
        fail_at_call: int | None = None,
        error: KbError | None = None,
        model_version: str = "0" * 64,
        language_script: Callable[[AudioWindow], HeardLanguages] | None = None,
    ) -> None:
        self._script = script
        self._language_script = language_script
        self._delay_s = delay_s
        self._fail_at_call = fail_at_call
        self._error = error or EngineFailed("the script says so")
        self._model_version = model_version
        self.calls = 0
        self.windows: list[tuple[int, int]] = []
        self.languages: list[str] = []

    @property
    def identity(self) -> TranscriberIdentity:
        """All that decides the text, were it not for the script."""
        return TranscriberIdentity(
            engine="scripted",
            engine_version="1",
            model_id="scripted",
            model_version=self._model_version,
            decoding={},
        )

    def transcribe(
        self,
        windows: Sequence[AudioWindow],
        *,
        language: str,
        cancel: CancelToken | None = None,
    ) -> list[RecognisedWindow]:
        """Return the next results of the script; after its end, nothing is heard.

        Raises:
            KbError: the given error, at the call numbered `fail_at_call`, counted from 1.
        """
        self.calls += 1
        self.languages.append(language)
        if self.calls == self._fail_at_call:
            raise self._error
        recognised = []
        for window in windows:
            if cancel is not None:
                cancel.raise_if_cancelled()
            time.sleep(self._delay_s)
            recognised.append(self._next(window))
            self.windows.append((window.start_sample, window.end_sample))
        return recognised

    def detect_languages(
        self,
        windows: Sequence[AudioWindow],
        *,
        among: Sequence[str],
        cancel: CancelToken | None = None,
    ) -> list[HeardLanguages]:
        """Say what the given function says of a window, else English or the first one allowed."""
        return [
            self._language_script(window) if self._language_script else _only_language(among)
            for window in _uncancelled(windows, cancel)
        ]

    def _next(self, window: AudioWindow) -> RecognisedWindow:
        if callable(self._script):
            return self._script(window)
        place = len(self.windows)
        return self._script[place] if place < len(self._script) else RecognisedWindow(segments=())


def _uncancelled(
    windows: Sequence[AudioWindow], cancel: CancelToken | None
) -> Iterator[AudioWindow]:
    for window in windows:
        if cancel is not None:
            cancel.raise_if_cancelled()
        yield window


def _only_language(among: Sequence[str]) -> HeardLanguages:
    code = "en" if not among or "en" in among else among[0]
    return HeardLanguages(probabilities={code: 1.0})


def _loud_frames(pcm: memoryview, threshold_rms: float) -> Iterator[int]:
    """Yield the numbers of the 10 ms frames whose root mean square lies above the threshold."""
    heard = pcm[::_STRIDE_SAMPLES].tolist()
    energy = list(accumulate(map(mul, heard, heard), initial=0.0))
    least = threshold_rms * threshold_rms
    first = 0
    for frame, end_sample in enumerate(range(_FRAME_SAMPLES, len(pcm) + 1, _FRAME_SAMPLES)):
        end = -(-end_sample // _STRIDE_SAMPLES)
        if energy[end] - energy[first] > least * (end - first):
            yield frame
        first = end
