"""Which language a window is recognised in.

A fold over what was heard before the window and nothing else, so that a run that was killed and
resumed decides the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kb_core import TranscriptSegment
from kb_core.ports.transcriber import RecognisedWindow

MIN_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """The language that the next window is recognised in.

    A language that the user set wins. Otherwise each window detects its own until one with text
    was sure of it; that language stays for the rest of the recording.

    Attributes:
        language: ISO 639-1 code, None to detect it.
    """

    language: str | None

    def after(self, window: RecognisedWindow) -> LanguageChoice:
        """Return the choice for the window that follows `window`."""
        if self.language is not None or window.language is None:
            return self
        confidence = window.language_confidence
        sure = confidence is None or confidence >= MIN_CONFIDENCE
        has_text = any(segment.text.strip() for segment in window.segments)
        return replace(self, language=window.language) if sure and has_text else self


def most_spoken_language(segments: Iterable[TranscriptSegment]) -> str | None:
    """Return the language of the longest speech; of equals the first by code."""
    spoken_ms: dict[str, int] = {}
    for segment in segments:
        if segment.language is not None and segment.text.strip():
            duration_ms = segment.end_ms - segment.start_ms
            spoken_ms[segment.language] = spoken_ms.get(segment.language, 0) + duration_ms
    return min(spoken_ms, key=lambda code: (-spoken_ms[code], code), default=None)
