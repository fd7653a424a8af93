"""Which language each stretch of speech is recognised in.

A fold over the stretches before it and nothing else, so that a run that was killed and resumed
decides the same. It changes reluctantly: a short stretch, or one that could be this or that, stays
in the language that was spoken before it, and a language that nobody allowed by name and nobody
spoke yet must be heard more clearly than one of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kb_core import TranscriptSegment
from kb_core.ports.transcriber import SAMPLE_RATE_HZ, SAMPLES_PER_MS, AudioWindow, HeardLanguages
from kb_parse_audio.regions import MIN_SILENCE_MS, speech_ms
from kb_parse_audio.stretches import SpeechReader, Stretch
from kb_parse_audio.windows import SpeechWindow

MIN_SPEECH_MS = 1500
PADDING_SAMPLES = SAMPLE_RATE_HZ // 2
GLANCE_SAMPLES = 3 * SAMPLE_RATE_HZ
LOOK_SAMPLES = 6 * SAMPLE_RATE_HZ
STAYS_FROM_PROBABILITY = 0.6
CHANGES_FROM_PROBABILITY = 0.6
NEW_FROM_PROBABILITY = 0.8

LANGUAGE_RULES = (
    f"speech={MIN_SPEECH_MS}/padding={PADDING_SAMPLES}/glance={GLANCE_SAMPLES}/look={LOOK_SAMPLES}"
    f"/stays={STAYS_FROM_PROBABILITY}/changes={CHANGES_FROM_PROBABILITY}"
    f"/new={NEW_FROM_PROBABILITY}"
)
"""Names the numbers; part of every recognition version."""

DetectLanguages = Callable[[AudioWindow], HeardLanguages]


class LanguageFold:
    """Tells the language of stretches in their order.

    Args:
        allowed: ISO 639-1 codes; with one, nothing is listened to; empty means any.
        detect: asks the recogniser, which minds what is allowed.
    """

    def __init__(self, allowed: Sequence[str], detect: DetectLanguages) -> None:
        self._allowed = frozenset(allowed)
        self._detect = detect
        self._current = allowed[0] if len(self._allowed) == 1 else None
        self._spoken: set[str] = set()

    def language_of(self, stretch: Stretch, reader: SpeechReader) -> str | None:
        """Return the language of the next stretch, None while there was too little to tell."""
        if len(self._allowed) == 1 or stretch.speech_ms < MIN_SPEECH_MS:
            return self._current
        if self._current is not None and self._still_spoken(self._current, stretch, reader):
            return self._current
        best = self._detect(_beginning(stretch, reader, LOOK_SAMPLES)).best
        if best is not None and best[1] >= self._needed(best[0]):
            self._current = best[0]
            self._spoken.add(best[0])
        return self._current

    def guess(self, stretches: Sequence[Stretch], reader: SpeechReader) -> str:
        """Return the language of the longest of stretches that nothing more is waited for."""
        longest = max(stretches, key=lambda each: (each.speech_ms, -each.start))
        best = self._detect(_beginning(longest, reader, LOOK_SAMPLES)).best
        return best[0] if best is not None else min(self._allowed, default="en")

    def language_again(self, window: SpeechWindow) -> str:
        """Return the language of speech that was passed over: another one if that is clear."""
        if len(self._allowed) == 1 or speech_ms(window.regions) < MIN_SPEECH_MS:
            return window.language
        sound = window.audio.pcm[:LOOK_SAMPLES]
        best = self._detect(AudioWindow(window.audio.start_sample, sound)).best
        return best[0] if best is not None and best[1] >= NEW_FROM_PROBABILITY else window.language

    def _still_spoken(self, language: str, stretch: Stretch, reader: SpeechReader) -> bool:
        if stretch.end - stretch.start < LOOK_SAMPLES // 2:
            return False
        heard = self._detect(_beginning(stretch, reader, GLANCE_SAMPLES))
        return heard.probabilities.get(language, 0.0) >= STAYS_FROM_PROBABILITY

    def _needed(self, language: str) -> float:
        known = self._current is None or language in self._allowed or language in self._spoken
        return CHANGES_FROM_PROBABILITY if known else NEW_FROM_PROBABILITY


def most_spoken_language(segments: Iterable[TranscriptSegment]) -> str | None:
    """Return the language of the longest speech that counts; of equals the first by code."""
    spoken_ms: dict[str, int] = {}
    for segment in segments:
        if segment.language is not None and segment.text.strip() and not segment.suppressed:
            duration_ms = segment.end_ms - segment.start_ms
            spoken_ms[segment.language] = spoken_ms.get(segment.language, 0) + duration_ms
    return min(spoken_ms, key=lambda code: (-spoken_ms[code], code), default=None)


def _beginning(stretch: Stretch, reader: SpeechReader, samples: int) -> AudioWindow:
    start = max(0, stretch.start - PADDING_SAMPLES)
    end = min(start + samples, stretch.end + MIN_SILENCE_MS * SAMPLES_PER_MS, reader.end)
    return AudioWindow(start_sample=start, pcm=reader.sound(start, end).data)
