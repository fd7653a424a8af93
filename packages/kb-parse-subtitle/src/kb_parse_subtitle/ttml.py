"""TTML and its older name DFXP: XML in which times of nested elements add.

Read with expat and a stack of our own, so that depth costs nothing and what stands before a damaged
place is kept. A file that declares entities is refused: captions need none, and expanding them is
how a small file fills the memory. Nothing outside the file is ever opened.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from kb_core import Word
from kb_parse_subtitle.cue import Cue, Cues, TextFile, joined_lines, make_word
from kb_parse_subtitle.ttml_time import Rates

_NAMED_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,31});", re.ASCII)
_SPACES = re.compile(r"[ \t\r\n]+")
_BLANKS = re.compile(r"[ \t]+")
_TIMED = frozenset(("body", "div", "p", "span"))
_TIMES = ("begin", "end", "dur")
_NO_TEXT = frozenset(("head", "metadata", "title", "desc", "copyright", "agent", "name"))


class EntitiesDeclared(Exception):
    """The file declares entities of its own."""


@dataclass(slots=True)
class _Element:
    """An open element; `end_ms` is None where nothing limits it."""

    name: str
    start_ms: int = 0
    end_ms: int | None = None
    has_time: bool = False
    is_sequence: bool = False
    next_ms: int = 0
    keeps_space: bool = False
    is_hidden: bool = False
    language: str | None = None
    speaker: str | None = None
    problem: str | None = None


@dataclass(slots=True)
class _Paragraph:
    """The texts of an open paragraph with the element that each stands in."""

    holder: _Element
    line_number: int
    pieces: list[tuple[list[str], _Element]] = field(default_factory=list)

    def add(self, text: str, element: _Element) -> None:
        """Add text, which expat hands over in bits."""
        if not self.pieces or self.pieces[-1][1] is not element:
            self.pieces.append(([], element))
        self.pieces[-1][0].append(text)


def read_ttml(file: TextFile) -> Cues:
    """Read TTML.

    Raises:
        EntitiesDeclared: the file declares entities.
    """
    text = file.text.lstrip()
    lines_before = file.text[: len(file.text) - len(text)].count("\n")
    # Names such as &nbsp; are HTML's, and files use them all the same.
    reader = _Reader(lines_before, len(file.lines))
    reader.read(_NAMED_ENTITY.sub(lambda match: html.unescape(match[0]), text))
    return Cues(reader.cues, language=reader.language, problems=reader.problems, may_roll=True)


class _Reader:
    def __init__(self, lines_before: int, line_count: int) -> None:
        self.cues: list[Cue] = []
        self.problems: list[tuple[int, str]] = []
        self.language: str | None = None
        self._lines_before = lines_before
        self._line_count = line_count
        self._rates = Rates()
        self._stack = [_Element("")]
        self._paragraph: _Paragraph | None = None
        self._agents: dict[str, str] = {}
        self._agent: str | None = None
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity

    def read(self, text: str) -> None:
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            line_number = min(error.lineno + self._lines_before, self._line_count)
            reason = expat.ErrorString(error.code)
            self.problems.append((line_number, f"the XML is damaged ({reason})"))
            self._finish(line_number)
        for cue in self.cues:
            # An agent may be declared after its first use.
            cue.speaker = self._agents.get(cue.speaker) if cue.speaker else None

    def _line_number(self) -> int:
        return int(self._parser.CurrentLineNumber) + self._lines_before

    def _entity(self, *_: object) -> None:
        raise EntitiesDeclared

    def _start(self, qualified: str, attributes: dict[str, str]) -> None:
        name = _local(qualified)
        local = {_local(key): value for key, value in attributes.items()}
        if name == "tt":
            self._rates = Rates.of(local)
            self.language = local.get("lang") or None
        if name == "agent" and "id" in local:
            self._agent = local["id"]
        element = self._opened(name, local, self._stack[-1])
        self._stack.append(element)
        if name in ("p", "span") and self._paragraph is None:
            self._paragraph = _Paragraph(element, self._line_number())
        elif name in ("br", "p") and self._paragraph is not None:
            self._paragraph.add("\n", element)

    def _opened(self, name: str, local: Mapping[str, str], parent: _Element) -> _Element:
        space = local.get("space")
        element = _Element(
            name,
            parent.start_ms,
            parent.end_ms,
            parent.has_time,
            is_sequence=local.get("timeContainer") == "seq",
            keeps_space=parent.keeps_space if space is None else space == "preserve",
            is_hidden=parent.is_hidden or name in _NO_TEXT,
            language=local.get("lang") or parent.language,
            speaker=(local.get("agent") or "").partition(" ")[0] or parent.speaker,
            problem=parent.problem,
        )
        if name in _TIMED and (local or parent.is_sequence):
            self._set_times(element, local, parent)
        element.next_ms = element.start_ms
        return element

    def _set_times(self, element: _Element, local: Mapping[str, str], parent: _Element) -> None:
        times = {key: self._rates.ms_of(local[key]) for key in _TIMES if key in local}
        base_ms = parent.next_ms if parent.is_sequence else parent.start_ms
        begin, end, duration = map(times.get, _TIMES)
        element.start_ms = base_ms + (begin or 0)
        ends = [] if end is None else [base_ms + end]
        if duration is not None:
            ends.append(element.start_ms + duration)
        element.has_time = parent.has_time or begin is not None or bool(ends)
        if ends:
            limit_ms = parent.end_ms if parent.end_ms is not None else min(ends)
            element.end_ms = min(*ends, limit_ms)
        if None in times.values():
            element.problem = "a time that cannot be read"
            element.has_time = begin is not None
        elif element.end_ms is not None and element.end_ms < element.start_ms:
            element.problem = "an end before the start"

    def _end(self, _: str) -> None:
        element = self._stack.pop()
        parent = self._stack[-1]
        if parent.is_sequence and element.name in _TIMED:
            parent.next_ms = element.start_ms if element.end_ms is None else element.end_ms
        if element.name == "agent":
            self._agent = None
        if self._paragraph is not None and element is self._paragraph.holder:
            self._finish(self._line_number())

    def _characters(self, data: str) -> None:
        element = self._stack[-1]
        if self._agent is not None and element.name == "name":
            self._agents[self._agent] = f"{self._agents.get(self._agent, '')}{data}"
        elif self._paragraph is not None and not element.is_hidden:
            is_plain = element.keeps_space or not ("\n" in data or "  " in data or "\t" in data)
            self._paragraph.add(data if is_plain else _SPACES.sub(" ", data), element)

    def _finish(self, line_number: int) -> None:
        if self._paragraph is None:
            return
        paragraph, self._paragraph = self._paragraph, None
        holder = paragraph.holder
        pieces = [("".join(bits), each) for bits, each in paragraph.pieces]
        shown = "".join(piece for piece, _ in pieces)
        text = joined_lines(_BLANKS.sub(" ", line) for line in shown.split("\n"))
        spans = [(piece, each) for piece, each in pieces if piece.strip()]
        if not spans:
            return
        inner = [each for _, each in spans if each is not holder and each.has_time]
        cue = Cue(text, paragraph.line_number, line_number, speaker=holder.speaker)
        cue.language = holder.language
        cue.problem = holder.problem or next((e.problem for e in inner if e.problem), None)
        if holder.has_time:
            cue.start_ms, cue.end_ms = holder.start_ms, holder.end_ms
        elif inner:
            cue.start_ms = min(each.start_ms for each in inner)
            ends = [each.end_ms for each in inner if each.end_ms is not None]
            cue.end_ms = max(ends, default=None)
        else:
            cue.problem = cue.problem or "no time"
        cue.words = tuple(_words(spans, holder, cue))
        self.cues.append(cue)


def _words(spans: list[tuple[str, _Element]], holder: _Element, cue: Cue) -> list[Word]:
    """Return the words where every stretch of the text has a time of its own."""
    if any(each is holder for _, each in spans) or len({e.start_ms for _, e in spans}) < 2:
        return []
    words: list[Word] = []
    for piece, each in spans:
        end_ms = each.end_ms if each.end_ms is not None else (cue.end_ms or each.start_ms)
        words.extend(make_word(token, each.start_ms, end_ms) for token in piece.split())
    return words


def _local(qualified: str) -> str:
    return qualified.rpartition(":")[2]
