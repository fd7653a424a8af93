r"""Where text may be divided: sentences, clauses, words, and what a reader sees as one character.

The rules are for English, Korean, Chinese and Japanese, also mixed in one line, so they ask the
characters around a place and never the language of the text. They are short on purpose: a wrong
boundary costs a little context, and none of them can lose or move a character.

A boundary is the offset at which the following stretch begins, in code points; white space
belongs to what stands before it. No boundary lies inside a grapheme cluster (`\X`, Unicode annex
29), so stretches of NFC text are NFC themselves.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import regex

_CLOSERS = "\"'”’»›)\\]}」』】〕〉》）］｝｣*_"
_OPENERS = "\"'“‘«‹([{「『【〔〈《（［｛｢*_¿¡"
_FULL_STOPS = frozenset("。！？｡॥।")
_CLUSTER = regex.compile(r"\X")
_NEW_LINE = r"(?>\r\n|\n|\r|\u2028|\u2029)"
_BLANK_LINE = regex.compile(rf"{_NEW_LINE}[^\S\r\n\u2028\u2029]*+{_NEW_LINE}|\u2029")
_SENTENCE_END = regex.compile(
    rf"(?P<marks>[.!?…。！？｡．‼⁇⁈⁉।॥؟]++)(?P<closers>[{_CLOSERS}]*+(?:\[\d{{1,3}}\]){{0,3}}+)"
    rf"(?P<gap>\s*+)|(?P<blank>{_BLANK_LINE.pattern})\s*+",
)
_CLAUSE_END = regex.compile(
    rf"(?P<spaced>[,;:،؛—–―]++[{_CLOSERS}]*+)\s*+"
    rf"|(?:[，、；：､…]++[{_CLOSERS}]*+|\.{{2,}}+|{_NEW_LINE})\s*+",
)
_WORD_END = regex.compile(
    r"\s++"
    r"|(?<=\p{Hiragana})(?=[\p{Han}\p{Katakana}\p{Latin}\p{Nd}])(?!々)"
    r"|(?<=\p{Han})(?=[\p{Han}\p{Latin}])(?!々)",
)
_JOINS_WHAT_STANDS_BEFORE = regex.compile(r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]")
_CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
_SAID_SO = regex.compile(r"と|って|なんて|[\p{Hangul}]")
"""What goes on with the sentence around a quotation: particles of Japanese and Korean."""
_DATE = regex.compile(r"\d{2,4}\.\s?\d{1,2}\.(?:\s?\d{1,2}\.)?")
_INITIALS = regex.compile(r"(?:\p{L}{1,3}\.)*+\p{Lu}|(?:\p{L}{1,2}\.)+\p{L}{1,2}")
_WORD = regex.compile(r"[\p{L}'’]++")
_LOOK_BACK_CHARS = 20


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NEVER_LAST = _words(
    "dr mr mrs ms mx prof mt rev hon gen col sgt capt lt cmdr gov sen messrs mme mlle "
    "vs fig figs eq eqs e.g i.e cf viz ph.d"
)
"""Abbreviations that something always follows; of the others a capital letter tells the end."""
_BEFORE_NUMBERS = _words(
    "no nos p pp ch sec art al approx ca est vol tab app ver v jan feb mar apr jun jul aug sep "
    "sept oct nov dec"
)
_BEGIN_SENTENCES = _words(
    "a an and after as at before but by for from he her here his how however i if in it its my no "
    "not now of on our she so some that the their then there these they this those to we what "
    "when where which while who why with yes you your"
)
_ITEM_LABELS = frozenset("가나다라마바사차카타파하")


class TextRange(NamedTuple):
    """A half-open range of code points."""

    char_start: int
    char_end: int


class Boundary(IntEnum):
    """Kinds of boundaries, the coarser the smaller."""

    WHOLE = 0
    STOP = 1
    SENTENCE = 2
    CLAUSE = 3
    WORD = 4
    GRAPHEME = 5


class Cut(NamedTuple):
    """A place to cut at, and what kind of boundary is there."""

    char_offset: int
    boundary: Boundary


class TextCutter:
    """Finds the best places to cut one text at; what it looked for once it keeps.

    Args:
        text: NFC.
        stops: boundaries that the text's own form has, such as its lines; these come before
            sentences. Offsets, ascending.
    """

    def __init__(self, text: str, *, stops: Iterable[int] = ()) -> None:
        self.text = text
        self._stops = _inside(text, stops)

    def byte_len(self, char_start: int, char_end: int) -> int:
        """Return the length of that range in UTF-8."""
        return self._byte_offsets[char_end] - self._byte_offsets[char_start]

    def longest(self, char_start: int, max_bytes: int) -> Cut:
        """Return how far a stretch that begins at `char_start` may go.

        It ends at the last of the coarsest boundaries that fit. Where not even one grapheme fits,
        it is that grapheme.
        """
        last = bisect_right(self._byte_offsets, self._byte_offsets[char_start] + max_bytes) - 1
        if last >= len(self.text):
            return Cut(len(self.text), Boundary.WHOLE)
        for boundary, offsets in self._levels():
            place = bisect_right(offsets, last) - 1
            if place >= 0 and offsets[place] > char_start:
                return Cut(offsets[place], boundary)
        char_end = _end_of_cluster(self.text, char_start)
        while char_end < last and (following := _end_of_cluster(self.text, char_end)) <= last:
            char_end = following
        return Cut(char_end, Boundary.GRAPHEME)

    def tail(self, char_start: int, char_end: int, max_bytes: int) -> Cut:
        """Return where in a range the part begins that leads up to its end.

        It begins at the first of the coarsest boundaries from which the rest fits: at `char_end`,
        when nothing does. Both ends of the range are boundaries.
        """
        first = bisect_left(self._byte_offsets, self._byte_offsets[char_end] - max_bytes)
        if first <= char_start:
            return Cut(char_start, Boundary.WHOLE)
        for boundary, offsets in self._levels():
            place = bisect_left(offsets, first)
            if place < len(offsets) and offsets[place] < char_end:
                return Cut(offsets[place], boundary)
        begin = char_start
        while begin < first:
            begin = _end_of_cluster(self.text, begin)
        return Cut(begin, Boundary.GRAPHEME)

    def _levels(self) -> Iterator[tuple[Boundary, Sequence[int]]]:
        yield Boundary.STOP, self._stops
        yield Boundary.SENTENCE, self._sentences
        yield Boundary.CLAUSE, self._clauses
        yield Boundary.WORD, self._words

    @cached_property
    def _byte_offsets(self) -> Sequence[int]:
        if self.text.isascii():
            return range(len(self.text) + 1)
        lengths = (1 + (c > "\x7f") + (c > "\u07ff") + (c > "\uffff") for c in self.text)
        return array("L", accumulate(lengths, initial=0))

    @cached_property
    def _sentences(self) -> Sequence[int]:
        return sentence_boundaries(self.text)

    @cached_property
    def _clauses(self) -> Sequence[int]:
        found = _CLAUSE_END.finditer(self.text)
        return _inside(self.text, (each.end() for each in found if each.end("spaced") < each.end()))

    @cached_property
    def _words(self) -> Sequence[int]:
        return _inside(self.text, (match.end() for match in _WORD_END.finditer(self.text)))


def pieces(text: str, max_bytes: int) -> Iterator[TextRange]:
    """Yield neighbouring ranges of at most `max_bytes` UTF-8 bytes that together are all of `text`.

    Cut between sentences; within one only where it does not fit: then between clauses, then words,
    then graphemes. A single grapheme that does not fit stands alone.
    """
    cutter = TextCutter(text)
    char_start = 0
    while char_start < len(text):
        char_end = cutter.longest(char_start, max_bytes).char_offset
        yield TextRange(char_start, char_end)
        char_start = char_end


def sentence_spans(text: str) -> Iterator[TextRange]:
    """Yield the range of each sentence, without the white space around it."""
    for start, end in pairwise((0, *sentence_boundaries(text), len(text))):
        sentence = text[start:end]
        if visible := sentence.strip():
            char_start = start + len(sentence) - len(sentence.lstrip())
            yield TextRange(char_start, char_start + len(visible))


def sentence_boundaries(text: str) -> Sequence[int]:
    """Return where the second and every later sentence begins, ascending.

    Closing quotes and brackets belong to the sentence that they close. A blank line ends a
    sentence, a single line break does not.
    """
    found: list[int] = []
    for match in _SENTENCE_END.finditer(text):
        sentence_start = found[-1] if found else 0
        if match["blank"] is not None or _ends_sentence(text, match, sentence_start):
            found.append(match.end())
    return _inside(text, found)


def line_starts(text: str) -> Iterator[int]:
    """Yield where the second and every later line begins; only a line feed ends a line."""
    return (place + 1 for place, char in enumerate(text) if char == "\n")


def _ends_sentence(text: str, match: regex.Match[str], sentence_start: int) -> bool:
    marks, closers, gap = match["marks"], match["closers"], match["gap"]
    end = match.end()
    if end == len(text) or _BLANK_LINE.search(gap):
        return True
    if any(mark in _FULL_STOPS for mark in marks):
        return not (closers and not gap and _SAID_SO.match(text, end))
    if not gap:
        return _ends_without_space(text, match)
    following = _first_letter(text, end)
    if marks.strip(".．…"):
        return not (closers and following.islower())
    if len(marks) > 1 or marks == "…":
        return following.isupper()
    if following.islower():
        return False
    return bool(closers) or not _belongs_to_word(text, match.start(), end, sentence_start)


def _ends_without_space(text: str, match: regex.Match[str]) -> bool:
    """Return whether marks end a sentence although the next one follows at once.

    Full stops of the half-width kind do so only after the usual last syllables of Korean: they are
    in numbers, file names and addresses as well, and Korean joins words by them (시.도).
    """
    marks, start, end = match["marks"], match.start(), match.end()
    before, following = text[start - 1 : start], text[end]
    if match["closers"]:
        can_end = "." not in marks and "．" not in marks
        return can_end and bool(_CJK.match(following)) and not _SAID_SO.match(text, end)
    if marks == "．":
        return not (before.isalnum() and following.isascii()) and not following.isdecimal()
    if marks == ".":
        return before in frozenset("다요까죠") and bool(regex.match(r"\p{Hangul}", following))
    if not marks.strip(".．…"):
        return False
    return bool(_CJK.match(following)) and "://" not in _last_word(text, start, 0, 200)


def _first_letter(text: str, char_offset: int) -> str:
    return text[char_offset : char_offset + 4].lstrip(_OPENERS)[:1] or text[char_offset]


def _last_word(text: str, char_end: int, sentence_start: int, max_chars: int) -> str:
    before = text[max(sentence_start, char_end - max_chars) : char_end]
    return "" if not before or before[-1].isspace() else before.split()[-1]


def _belongs_to_word(text: str, stop: int, after: int, sentence_start: int) -> bool:
    """Return whether a full stop is part of an abbreviation, a number or the label of an item."""
    word = _last_word(text, stop, sentence_start, _LOOK_BACK_CHARS).lstrip(_OPENERS)
    name = word.casefold()
    if name in _NEVER_LAST:
        return True
    following = _first_letter(text, after)
    if name in _BEFORE_NUMBERS and following.isdecimal():
        return True
    if word.isdecimal() or name in _ITEM_LABELS:
        word_start = stop - len(word)
        before = text[max(sentence_start, word_start - _LOOK_BACK_CHARS) : word_start]
        before = before.rstrip(" \t>")
        if (not before or before.endswith("\n")) and len(word) <= len("999"):
            return True
        return word.isdecimal() and _is_in_date(text, stop)
    if _INITIALS.fullmatch(word):
        first_word = _WORD.match(text, after)
        return first_word is None or first_word.group().casefold() not in _BEGIN_SENTENCES
    return False


def _is_in_date(text: str, stop: int) -> bool:
    """Return whether a full stop is one of a date as Korean writes it: 2024. 3. 15."""
    offset = max(0, stop - _LOOK_BACK_CHARS)
    return any(
        match.start() <= stop - offset < match.end()
        for match in _DATE.finditer(text[offset : stop + _LOOK_BACK_CHARS])
    )


def _inside(text: str, offsets: Iterable[int]) -> array[int]:
    """Return those offsets that lie inside the text and not inside a grapheme."""
    return array("L", (at for at in offsets if 0 < at < len(text) and not _continues(text[at])))


def _continues(char: str) -> bool:
    return char > "\u02ff" and _JOINS_WHAT_STANDS_BEFORE.match(char) is not None


def _end_of_cluster(text: str, char_start: int) -> int:
    match = _CLUSTER.match(text, char_start)
    return match.end() if match else char_start + 1
