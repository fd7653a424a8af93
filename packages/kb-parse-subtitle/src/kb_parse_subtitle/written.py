r"""Written transcripts: turns with a name in front, in plain text or Markdown.

A paragraph of a turn is a segment, and a time mark inside it begins another one, so that a long
turn is cited where its words stand. Marks, names and headings are no speech: marks become times,
names speakers, headings are kept as text of nobody. Without any mark there are no times, and lines
are cited instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb_core import SegmentFlag
from kb_parse_subtitle.cue import Cue, Cues, TextFile, joined_lines
from kb_parse_subtitle.marks import MARK, mark_ms, trusted_marks
from kb_parse_subtitle.turn_heads import NOBODY_KNOWN, Head, turn_heads

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<text>.*)")
_RULE = re.compile(r"\s*+(?:[-*_=]\s*+){3,}")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_FENCE = re.compile(r"---\s*")
_MAX_FRONT_MATTER_LINES = 60


@dataclass(slots=True)
class _Stretch:
    """Text of one paragraph up to the next mark.

    Attributes:
        mark: which of the marks of the file stands last at or before it; -1 for none.
        has_mark: whether a mark begins it.
    """

    speaker: str | None
    text: str
    first_line: int
    last_line: int
    mark: int
    has_mark: bool


class NoTurns(Exception):
    """The text has neither turns with names nor time marks."""


def read_written(file: TextFile) -> Cues:
    """Read a written transcript.

    Raises:
        NoTurns: it is none.
    """
    begin = _after_front_matter(file.lines)
    lines = [*("" for _ in range(begin)), *file.lines[begin:]]
    heads = turn_heads(lines)
    reader = _Reader(lines, heads)
    stretches = [each for each in reader.stretches() if each.text]
    if not heads and not reader.marks_ms:
        raise NoTurns
    if not reader.marks_ms:
        cues = [
            Cue(each.text, each.first_line, each.last_line, speaker=each.speaker)
            for each in stretches
        ]
        return Cues(cues, timed=False, in_text_order=True, title=reader.title)
    found = _timed(stretches, reader.marks_ms)
    found.title = reader.title
    return found


class _Reader:
    def __init__(self, lines: Sequence[str], heads: dict[int, Head]) -> None:
        self._lines = lines
        self._heads = heads
        self._speaker: str | None = None
        self._open: _Stretch | None = None
        self._next_has_mark = False
        self.marks_ms: list[int] = []
        self.title: str | None = None
        self._has_begun = False

    def stretches(self) -> Iterator[_Stretch]:
        """Yield the stretches; `marks_ms` is whole when the last one is out."""
        for place, line in enumerate(self._lines):
            head = self._heads.get(place)
            heading = None if head else _HEADING.fullmatch(line)
            if head or heading or not line.strip() or _RULE.fullmatch(line):
                yield from self._closed()
            if head is not None:
                self._speaker = None if head.speaker == NOBODY_KNOWN else head.speaker
                if head.clock is not None:
                    self._mark(head.clock)
                yield from self._take(head.rest, place + 1)
            elif heading is not None and self.title is None and not self._has_begun:
                self.title = _ESCAPE.sub(r"\1", heading["text"]).strip() or None
            elif heading is not None:
                self._speaker, speaker = None, self._speaker
                yield from self._take(heading["text"].rstrip(" #"), place + 1)
                yield from self._closed()
                self._speaker = speaker
            elif line.strip() and not _RULE.fullmatch(line):
                yield from self._take(line, place + 1)
        yield from self._closed()

    def _mark(self, clock: str) -> None:
        self.marks_ms.append(mark_ms(clock))
        self._next_has_mark = True

    def _take(self, text: str, line_number: int) -> Iterator[_Stretch]:
        end = 0
        for match in MARK.finditer(text):
            self._add(text[end : match.start()], line_number)
            yield from self._closed()
            self._mark(match[1] or match[2])
            end = match.end()
        self._add(text[end:], line_number)

    def _add(self, text: str, line_number: int) -> None:
        text = _ESCAPE.sub(r"\1", text).strip()
        if not text:
            return
        self._has_begun = True
        if self._open is None:
            mark = len(self.marks_ms) - 1
            self._open = _Stretch(
                self._speaker, text, line_number, line_number, mark, self._next_has_mark
            )
            self._next_has_mark = False
        else:
            self._open.text += f"\n{text}"
            self._open.last_line = line_number

    def _closed(self) -> Iterator[_Stretch]:
        if self._open is not None:
            self._open.text = joined_lines(self._open.text.split("\n"))
            yield self._open
            self._open = None


def _timed(stretches: Sequence[_Stretch], marks_ms: Sequence[int]) -> Cues:
    trusted = trusted_marks(marks_ms)
    starts_ms: list[int] = []
    latest_ms = 0
    for time_ms, is_trusted in zip(marks_ms, trusted, strict=True):
        latest_ms = time_ms if is_trusted else latest_ms
        starts_ms.append(latest_ms)
    ends_ms: list[int] = []
    next_ms: int | None = None
    for place in range(len(marks_ms) - 1, -1, -1):
        ends_ms.append(starts_ms[place] if next_ms is None else next_ms)
        next_ms = marks_ms[place] if trusted[place] else next_ms
    ends_ms.append(starts_ms[0] if next_ms is None else next_ms)
    ends_ms.reverse()  # by mark + 1, because what stands before the first mark ends with it
    cues = []
    for each in stretches:
        cue = Cue(each.text, each.first_line, each.last_line, speaker=each.speaker)
        cue.start_ms = starts_ms[each.mark] if each.mark >= 0 else 0
        cue.end_ms = ends_ms[each.mark + 1]
        if each.has_mark and not trusted[each.mark]:
            cue.problem = "a time mark out of order"
            cue.flags = (SegmentFlag(code="time_repaired", detail=cue.problem),)
        elif not each.has_mark:
            cue.flags = (SegmentFlag(code="time_between_marks"),)
        cues.append(cue)
    return Cues(cues, in_text_order=True)


def _after_front_matter(lines: Sequence[str]) -> int:
    if not lines or not _FENCE.fullmatch(lines[0]):
        return 0
    for place in range(1, min(len(lines), _MAX_FRONT_MATTER_LINES)):
        if _FENCE.fullmatch(lines[place]):
            return place + 1
    return 0
