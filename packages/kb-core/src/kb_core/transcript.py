"""Transcripts: what was said, when, by whom, and how sure the recogniser was."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Literal

from pydantic import Field, model_validator

from kb_core.model import Confidence, Milliseconds, Model, NfcText
from kb_core.spans import LineSpan, TimeSpan

FlagCode = Literal[
    "time_repaired",
    "time_between_marks",
    "bytes_repaired",
    "repeated",
    "suspected_hallucination",
]

SUPPRESSING_FLAGS: frozenset[str] = frozenset({"repeated", "suspected_hallucination"})
"""Flags whose segments are kept in the transcript but stay out of chunks, index and answers."""


class SegmentFlag(Model):
    """Something that a reader should know about a segment."""

    code: FlagCode
    detail: str | None = None


class Word(Model):
    """One word and its time, inside its segment's time."""

    start_ms: Milliseconds
    end_ms: Milliseconds
    text: NfcText
    confidence: Confidence | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Word:
        if self.end_ms < self.start_ms:
            raise ValueError("word ends before its start")
        return self


class TranscriptSegment(Model):
    """A stretch of speech with its text.

    Attributes:
        source_lines: where it stands in the text file that it was read from; None for what was
            recognised, and for files whose lines say nothing.
    """

    start_ms: Milliseconds
    end_ms: Milliseconds
    text: NfcText
    speaker: NfcText | None = None
    confidence: Confidence | None = None
    language: str | None = None
    words: tuple[Word, ...] = ()
    flags: tuple[SegmentFlag, ...] = ()
    source_lines: LineSpan | None = None

    @model_validator(mode="after")
    def _ordered(self) -> TranscriptSegment:
        if self.end_ms < self.start_ms:
            raise ValueError("segment ends before its start")
        return self

    @property
    def suppressed(self) -> bool:
        """Whether the segment stays out of chunks, index and answers."""
        return any(flag.code in SUPPRESSING_FLAGS for flag in self.flags)

    def flagged(self, code: FlagCode, detail: str | None = None) -> TranscriptSegment:
        """Return this segment with one more flag; a flag of the same code stays as it is."""
        if any(flag.code == code for flag in self.flags):
            return self
        return self.model_copy(
            update={"flags": (*self.flags, SegmentFlag(code=code, detail=detail))}
        )


class Transcript(Model):
    """All segments of one recording or transcript file, in order of their start.

    Attributes:
        timed: whether the times mean anything. A written transcript without times has 0 in every
            segment, and is cited by its lines.
    """

    segments: tuple[TranscriptSegment, ...]
    language: str | None = None
    engine: str
    engine_version: str
    model_id: str
    model_version: str = Field(description="digest of the weights; of the file for subtitles")
    transcript_version: str
    timed: bool = True

    @model_validator(mode="after")
    def _has_places(self) -> Transcript:
        if not self.timed and any(segment.source_lines is None for segment in self.segments):
            raise ValueError("a transcript without times needs the lines of every segment")
        return self

    def segment_span(self, ordinal: int) -> TimeSpan | LineSpan:
        """Return what a citation of segment `ordinal` points at: its time, or else its lines."""
        segment = self.segments[ordinal]
        if self.timed or segment.source_lines is None:
            return TimeSpan(start_ms=segment.start_ms, end_ms=segment.end_ms)
        return segment.source_lines

    @cached_property
    def _segment_char_starts(self) -> tuple[int, ...]:
        lengths = (len(segment.text) + 1 for segment in self.segments)
        return tuple(accumulate(lengths, initial=0))[:-1] if self.segments else ()

    @cached_property
    def text(self) -> str:
        """The whole text: segments joined by one space."""
        return " ".join(segment.text for segment in self.segments)

    def segment_char_range(self, ordinal: int) -> tuple[int, int]:
        """Return the half-open range of segment `ordinal` in `text`."""
        start = self._segment_char_starts[ordinal]
        return start, start + len(self.segments[ordinal].text)

    def segment_at_char(self, char_offset: int) -> int:
        """Return the ordinal of the segment that holds `char_offset` of `text`.

        The joining space belongs to the segment before it.

        Raises:
            IndexError: the offset lies outside the text.
        """
        if not 0 <= char_offset < len(self.text):
            raise IndexError(f"no character {char_offset} in a text of {len(self.text)}")
        return bisect_right(self._segment_char_starts, char_offset) - 1
