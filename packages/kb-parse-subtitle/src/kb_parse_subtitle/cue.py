"""What a reader of one format hands on: cues as the file has them, with lines and perhaps times."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from kb_core import SegmentFlag, Word

_LINE_END = re.compile(r"\r\r\n|\r\n|\n|\r")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(slots=True)
class Cue:
    """One caption or turn.

    Attributes:
        text: without markup; lines as the file breaks them.
        first_line: 1-based line of the file at which it begins, its times included.
        last_line: the last line of its text.
        start_ms: None where the file says none, or says nonsense.
        end_ms: the same; before `start_ms` where the file says so.
        problem: what is wrong with its times, in words before "at line 5"; None when nothing is.
    """

    text: str
    first_line: int
    last_line: int
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str | None = None
    words: tuple[Word, ...] = ()
    confidence: float | None = None
    language: str | None = None
    problem: str | None = None
    flags: tuple[SegmentFlag, ...] = ()


@dataclass(slots=True)
class Cues:
    """All cues of a file and what else it says.

    Attributes:
        in_text_order: the order of the text holds even where times disagree.
        may_roll: whether a caption may show again what the one before it showed.
        is_final: these are segments that kb wrote; nothing of them is left out or moved.
        timed: whether the times mean anything.
        length_ms: length of the recording, where the file names it.
        problems: what else is wrong, as (line, words).
    """

    cues: list[Cue]
    language: str | None = None
    title: str | None = None
    in_text_order: bool = False
    may_roll: bool = False
    is_final: bool = False
    timed: bool = True
    length_ms: int | None = None
    problems: list[tuple[int, str]] = field(default_factory=list)


class TextFile:
    """The decoded text of a file and its lines; line `k` of the file is `lines[k - 1]`.

    Lines end at LF, CR LF or CR alone, not at the rarer separators, which are legal inside a cue.
    A doubled CR before LF, which some conversions leave behind, ends one line, not two.
    """

    def __init__(self, text: str) -> None:
        self.text = text.replace(_BYTE_ORDER_MARK, "")

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends; an end at the very end begins no further line."""
        lines = _LINE_END.split(self.text)
        if lines[-1] == "":
            lines.pop()
        return tuple(lines)


def joined_lines(lines: Iterable[str]) -> str:
    """Return the lines that hold something, each without white space around it."""
    return "\n".join(line for line in map(str.strip, lines) if line)


def lines_in(text: str) -> str:
    """Return text with line ends of any kind as its lines that hold something."""
    return joined_lines(_LINE_END.split(text))


def make_word(text: str, start_ms: int, end_ms: int, confidence: float | None = None) -> Word:
    """Return a word; times that no word can have are moved to the nearest that it can."""
    start_ms = max(0, start_ms)
    return Word(
        start_ms=start_ms, end_ms=max(start_ms, end_ms), text=text.strip(), confidence=confidence
    )
