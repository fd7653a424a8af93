"""Packing of text units into chunks: whole where they fit, cut at good places where not.

A chunk is filled unit by unit. A unit that does not fit into what is left begins a chunk of its
own, if it fits there; a longer one is cut where `TextCutter` finds the best place. The next chunk
then begins with the end of the one before, as far as the policy's overlap goes, so that a sentence
is not torn from the one that it refers to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kb_core import ChunkPart, ChunkPolicy, SourceUnit
from kb_core.boundaries import Boundary, Cut, TextCutter, line_starts
from kb_core.chunks import BYTES_PER_TOKEN
from kb_core.spans import LineSpan, PageSpan, SourceSpan

JOINT = "\n\n"
_LINED = frozenset({"code", "table", "list", "quote"})
_KEPT_WHOLE = frozenset({"code", "table"})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range of a unit's text."""

    unit: SourceUnit
    char_start: int
    char_end: int


@dataclass(slots=True)
class _Open:
    """The chunk that is being filled; its first `repeated` stretches are the overlap."""

    stretches: list[Stretch] = field(default_factory=list)
    repeated: int = 0
    byte_len: int = 0

    @property
    def fresh(self) -> Sequence[Stretch]:
        return self.stretches[self.repeated :]


class Packer:
    """Packs the units of one section or page; a packer is used once."""

    def __init__(self, policy: ChunkPolicy) -> None:
        self._max_bytes = policy.target_tokens * BYTES_PER_TOKEN + BYTES_PER_TOKEN - 1
        self._overlap_bytes = policy.overlap_tokens * BYTES_PER_TOKEN
        self._open = _Open()
        self._continues = False

    def pack(self, units: Iterable[SourceUnit]) -> Iterator[list[Stretch]]:
        """Yield the stretches of each chunk, in order; no two of one unit in one chunk."""
        for unit in units:
            self._continues = False
            yield from self._add(unit)
        if self._open.fresh:
            yield self._open.stretches

    def _add(self, unit: SourceUnit) -> Iterator[list[Stretch]]:
        cutter = _cutter(unit)
        char_start, length = 0, len(unit.text)
        while char_start < length:
            room = self._max_bytes - self._open.byte_len - self._joint_bytes()
            rest_bytes = cutter.byte_len(char_start, length)
            if rest_bytes <= room:
                self._append(unit, cutter, char_start, length)
                return
            cut = cutter.longest(char_start, room) if room > 0 else None
            # A single grapheme may be more than there is room for.
            is_nothing = cut is None or cutter.byte_len(char_start, cut.char_offset) > room
            if self._open.fresh and (is_nothing or self._begins_anew(unit, rest_bytes, cut)):
                yield self._close(cutter)
                continue
            is_torn = is_nothing or (cut is not None and cut.boundary is Boundary.GRAPHEME)
            if self._open.repeated and not self._open.fresh and is_torn:
                self._open = _Open()  # what would be repeated takes room that is needed
                self._continues = False
                continue
            cut = cut or cutter.longest(char_start, room)
            self._append(unit, cutter, char_start, cut.char_offset)
            char_start = cut.char_offset
            yield self._close(cutter)

    def _begins_anew(self, unit: SourceUnit, rest_bytes: int, cut: Cut | None) -> bool:
        """Return whether a unit that does not fit here goes into a chunk of its own."""
        if unit.kind in _KEPT_WHOLE and rest_bytes <= self._max_bytes:
            return True
        if all(each.unit.kind == "heading" for each in self._open.fresh):
            return False  # a heading stays with what it is the heading of
        fits_alone = rest_bytes + self._overlap_bytes + len(JOINT) <= self._max_bytes
        return fits_alone or cut is None or cut.boundary > Boundary.CLAUSE

    def _joint_bytes(self) -> int:
        return len(JOINT) if self._open.stretches and not self._continues else 0

    def _append(self, unit: SourceUnit, cutter: TextCutter, start: int, end: int) -> None:
        opened = self._open
        opened.byte_len += self._joint_bytes() + cutter.byte_len(start, end)
        if self._continues and opened.stretches:
            # The overlap is the end of this very unit: one stretch, without a joint.
            start = opened.stretches.pop().char_start
            opened.repeated = 0
        opened.stretches.append(Stretch(unit, start, end))
        self._continues = False

    def _close(self, cutter: TextCutter) -> list[Stretch]:
        closed = self._open.stretches
        self._open = _Open()
        last = closed[-1]
        if last.unit.text is not cutter.text:
            cutter = _cutter(last.unit)
        self._continues = last.unit.text is cutter.text and last.char_end < len(last.unit.text)
        if self._overlap_bytes:
            begin = cutter.tail(last.char_start, last.char_end, self._overlap_bytes)
            is_useful = begin.boundary < Boundary.GRAPHEME and begin.char_offset < last.char_end
            is_later = len(closed) > 1 or begin.char_offset > last.char_start
            if is_useful and is_later:
                self._open.stretches.append(Stretch(last.unit, begin.char_offset, last.char_end))
                self._open.repeated = 1
                self._open.byte_len = cutter.byte_len(begin.char_offset, last.char_end)
        if not self._open.stretches:
            self._continues = False
        return closed


def text_and_parts(stretches: Sequence[Stretch]) -> tuple[str, tuple[ChunkPart, ...]]:
    """Return the text of a chunk and where each stretch of it comes from.

    White space at the end of a stretch is left out: it is the joint's work to keep texts apart.
    """
    texts: list[str] = []
    parts: list[ChunkPart] = []
    position = 0
    for stretch in stretches:
        text = stretch.unit.text[stretch.char_start : stretch.char_end].rstrip()
        if not text:
            continue
        if texts:
            texts.append(JOINT)
            position += len(JOINT)
        end = stretch.char_start + len(text)
        parts.append(
            ChunkPart(
                unit_id=stretch.unit.unit_id,
                char_start=position,
                char_end=position + len(text),
                unit_char_start=stretch.char_start,
                unit_char_end=end,
                span=_span_of(stretch.unit, stretch.char_start, end),
            )
        )
        texts.append(text)
        position += len(text)
    return "".join(texts), tuple(parts)


def _cutter(unit: SourceUnit) -> TextCutter:
    return TextCutter(unit.text, stops=line_starts(unit.text) if unit.kind in _LINED else ())


def _span_of(unit: SourceUnit, char_start: int, char_end: int) -> SourceSpan:
    """Return where a stretch of a unit stands in the source."""
    span = unit.span
    if isinstance(span, LineSpan):
        first = span.start + unit.text.count("\n", 0, char_start)
        last = span.start + unit.text.count("\n", 0, char_end)
        return LineSpan(start=min(first, span.end), end=min(last, span.end))
    if isinstance(span, PageSpan) and span.char_start is not None:
        origin = span.char_start
        return PageSpan(page=span.page, char_start=origin + char_start, char_end=origin + char_end)
    return span
