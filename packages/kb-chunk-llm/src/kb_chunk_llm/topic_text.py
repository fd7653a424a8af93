"""The whole text of a transcript, and the way from a range of it back to segments.

Segments are joined by one space, as `Transcript.text` joins them, but only those that are units:
what is suppressed is shown to no model and is in no chunk. Offsets are code points.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from kb_core import (
    ChunkPart,
    LineSpan,
    SourceSpan,
    SourceUnit,
    TimeSpan,
    format_clock,
)
from kb_core.boundaries import TextRange, line_starts, pieces, sentence_boundaries

JOINT = " "
LONG_PAUSE_MS = 2000
"""A speaker who is silent for that long has ended a sentence, whether or not a mark says so."""
_FIRST_GRAPHEME_CHARS = 32
"""White space with more marks on it than that is no text of any language."""


class WholeText:
    """Text and segment table of a transcript.

    Args:
        units: its segments, in order.
    """

    def __init__(self, units: Sequence[SourceUnit]) -> None:
        self.units = tuple(units)
        self.text = JOINT.join(unit.text for unit in units)
        lengths = (len(unit.text) + len(JOINT) for unit in units)
        self._starts = tuple(accumulate(lengths, initial=0))[: len(self.units)]

    def unit_at(self, char_offset: int) -> SourceUnit:
        """Return the segment that holds an offset; a joint belongs to the one before it."""
        return self.units[self._place_at(char_offset)]

    def moment_at(self, char_offset: int) -> str:
        """Return where in the source an offset is, for people: a time, or a line."""
        span = self.unit_at(char_offset).span
        if isinstance(span, TimeSpan):
            return format_clock(span.start_ms // 1000)
        return f"L{span.start}" if isinstance(span, LineSpan) else f"p{span.page}"

    def visible(self, char_start: int, char_end: int) -> TextRange | None:
        """Return a range without the white space around it; None when nothing else is in it.

        White space that bears a combining mark is a visible grapheme and stays whole.
        """
        char_end = char_start + len(self.text[char_start:char_end].rstrip())
        while char_start < char_end and self.text[char_start].isspace():
            head = self.text[char_start : min(char_end, char_start + _FIRST_GRAPHEME_CHARS)]
            grapheme = next(pieces(head, 1))
            if not head[: grapheme.char_end].isspace():
                break
            char_start += grapheme.char_end
        return TextRange(char_start, char_end) if char_start < char_end else None

    def parts(self, stretch: TextRange) -> tuple[ChunkPart, ...]:
        """Return what each segment contributes to the text of `stretch`."""
        first, last = self._place_at(stretch.char_start), self._place_at(stretch.char_end - 1)
        parts = []
        for place in range(first, last + 1):
            unit, origin = self.units[place], self._starts[place]
            char_start = max(origin, stretch.char_start)
            char_end = min(origin + len(unit.text), stretch.char_end)
            if char_start >= char_end:
                continue
            within = TextRange(char_start - origin, char_end - origin)
            parts.append(
                ChunkPart(
                    unit_id=unit.unit_id,
                    char_start=char_start - stretch.char_start,
                    char_end=char_end - stretch.char_start,
                    unit_char_start=within.char_start,
                    unit_char_end=within.char_end,
                    span=_span_within(unit, within),
                )
            )
        return tuple(parts)

    @cached_property
    def sentence_starts(self) -> Sequence[int]:
        """Where the second and every later sentence begins, ascending."""
        return sentence_boundaries(self.text)

    @cached_property
    def line_starts(self) -> Sequence[int]:
        """Where the second and every later line or segment begins, ascending."""
        return sorted({*line_starts(self.text), *self._starts[1:]})

    @cached_property
    def pause_starts(self) -> Sequence[int]:
        """Where a segment begins after a long pause, ascending."""
        return [
            start
            for start, (before, unit) in self._joins()
            if isinstance(before.span, TimeSpan)
            and isinstance(unit.span, TimeSpan)
            and unit.span.start_ms - before.span.end_ms >= LONG_PAUSE_MS
        ]

    @cached_property
    def turn_starts(self) -> Sequence[int]:
        """Where a segment of another speaker begins, ascending."""
        return [start for start, (before, unit) in self._joins() if before.speaker != unit.speaker]

    def _joins(self) -> Iterator[tuple[int, tuple[SourceUnit, SourceUnit]]]:
        return zip(self._starts[1:], pairwise(self.units), strict=True)

    def _place_at(self, char_offset: int) -> int:
        return bisect_right(self._starts, char_offset) - 1


def between(offsets: Sequence[int], stretch: TextRange) -> Sequence[int]:
    """Return those of ascending `offsets` that divide `stretch`."""
    first = bisect_right(offsets, stretch.char_start)
    return offsets[first : bisect_left(offsets, stretch.char_end)]


def _span_within(unit: SourceUnit, within: TextRange) -> SourceSpan:
    """Return where a stretch of a segment stands in the source.

    Lines are exact where each line of the text is one of the source; a time is the segment's.
    """
    span = unit.span
    if not isinstance(span, LineSpan) or unit.text.count("\n") != span.end - span.start:
        return span
    first = span.start + unit.text.count("\n", 0, within.char_start)
    last = span.start + unit.text.count("\n", 0, within.char_end)
    return LineSpan(start=first, end=last)
