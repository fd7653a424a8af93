"""What an engine heard, in terms that every engine can be put into."""

from __future__ import annotations

from kb_core import Transcript
from kb_core.model import Milliseconds, Model


class HeardWord(Model):
    """A word and when it begins."""

    start_ms: Milliseconds
    text: str


class HeardSegment(Model):
    """A stretch of speech and its language.

    Attributes:
        language: ISO 639-1 code; None when the engine does not say.
    """

    start_ms: Milliseconds
    end_ms: Milliseconds
    language: str | None = None


class Heard(Model):
    """What an engine made of one recording; times in milliseconds on the player's clock.

    Attributes:
        text: all that counts as said.
        words: with their times, in order; empty for an engine that gives none.
        segments: with their language, in order.
        duration_ms: length of the recording.
        suppressed_text: what the engine heard and holds back itself; it counts as not said.
    """

    text: str
    words: tuple[HeardWord, ...] = ()
    segments: tuple[HeardSegment, ...] = ()
    duration_ms: Milliseconds
    suppressed_text: str = ""


def heard_in(transcript: Transcript, duration_ms: int) -> Heard:
    """Return what a search would find of a transcript: suppressed segments count as not said."""
    said = [segment for segment in transcript.segments if not segment.suppressed]
    return Heard(
        text=" ".join(segment.text for segment in said),
        words=tuple(
            HeardWord(start_ms=word.start_ms, text=word.text)
            for segment in said
            for word in segment.words
        ),
        segments=tuple(
            HeardSegment(
                start_ms=segment.start_ms,
                end_ms=segment.end_ms,
                language=segment.language or transcript.language,
            )
            for segment in said
        ),
        duration_ms=duration_ms,
        suppressed_text=" ".join(s.text for s in transcript.segments if s.suppressed),
    )
