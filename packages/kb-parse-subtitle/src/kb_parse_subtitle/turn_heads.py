"""Where a turn begins in a written transcript, and whose it is.

Whether `Name: text` begins a turn or is a sentence with a colon depends on the file: in one where
many lines begin like that, each of them does; elsewhere a name has to come again, or to begin a
paragraph and look like a name. Bold names in Markdown leave no doubt, and then plain ones begin
nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kb_parse_subtitle.marks import CLOCK


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _bracketed(group: int) -> str:
    until = rf"(?:\s?-{{1,2}}>?\s?{CLOCK})?"
    return rf"\\?[\[(]\s?(?P<c{group}>{CLOCK}){until}\s?\\?[\])]"


def _behind(group: int) -> str:
    """Return the pattern of a time behind a name."""
    return rf"(?:\s*+[-–—|,]?\s*+{_bracketed(group)}|\s++(?P<c{group + 1}>{CLOCK}))"


_BEFORE = rf"\s*+(?:[-*+>]\s++)?(?:{_bracketed(1)}\s*+[-–—:]?\s*+)?"
NOBODY_KNOWN = "?"
"""Stands where a name would, so that words do not go on with the turn before."""
_COLON = "[:：]"
_PLAIN_NAME = r"[^\s:：\[\](){}<>*#|\\\"“”][^:：\[\](){}<>*#|\\\"“”\n]{0,58}?"
_BOLD = re.compile(
    rf"{_BEFORE}(?P<mark>\*\*|__)(?P<name>[^*\n:：\[\]()]{{1,60}}?)"
    rf"(?:{_behind(2)}?\s*+{_COLON}\s*+(?P=mark){_behind(4)}?|(?P=mark){_behind(6)}?\s*+{_COLON})"
    r"\s*+(?P<rest>.*)",
    re.ASCII,
)
_PLAIN = re.compile(
    rf"{_BEFORE}(?P<name>{_PLAIN_NAME}){_behind(2)}?\s*+(?::(?=\s|$)|：)\s*+(?P<rest>.*)", re.ASCII
)
_ALONE = re.compile(
    rf"\s*+(?:\*\*|__)?(?P<name>{_PLAIN_NAME})(?:\*\*|__)?{_behind(2)}(?:\*\*|__)?\s*+", re.ASCII
)
_SENTENCE_END = re.compile(r"[!?;,。！？、]|\.(?:\s+\S+){3}|…|\.\.")
_NO_NAMES = _word_set(
    "note notes warning example attention date time duration location place venue attendees "
    "participants present absent speakers agenda subject title topic summary source url link links "
    "language recorded transcript version author chapter section ps update edit http https"
)
_CLOCK_GROUPS = 7
_MAX_NAME_WORDS = 6
_MOSTLY_HEADS_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a turn.

    Attributes:
        clock: its time as it is written, None where the head has none.
        rest: what is said on the same line.
    """

    speaker: str
    clock: str | None
    rest: str


def turn_heads(lines: Sequence[str]) -> dict[int, Head]:
    """Return the beginnings of turns by their 0-based line."""
    for pattern in (_BOLD, _PLAIN, _ALONE):
        heads = _matching(lines, pattern)
        if pattern is _BOLD:
            accepted = heads
        elif pattern is _PLAIN:
            accepted = _accepted(lines, heads)
        else:
            accepted = _with_text_below(lines, heads)
        if accepted:
            return accepted
    return {}


def _matching(lines: Sequence[str], pattern: re.Pattern[str]) -> dict[int, Head]:
    heads = {}
    for place, line in enumerate(lines):
        match = pattern.fullmatch(line)
        if match is None:
            continue
        groups = match.groupdict()
        clocks = (groups.get(f"c{number}") for number in range(1, _CLOCK_GROUPS + 1))
        clock = next((each for each in clocks if each is not None), None)
        speaker = " ".join(match["name"].strip(" -–—|,").split())
        if speaker and (speaker == NOBODY_KNOWN or _is_name(speaker) or pattern is _BOLD):
            heads[place] = Head(speaker, clock, (groups.get("rest") or "").strip())
    return heads


def _is_name(text: str) -> bool:
    words = text.split()
    return (
        len(words) <= _MAX_NAME_WORDS
        and any(char.isalpha() for char in text)
        and not _SENTENCE_END.search(text)
    )


def _looks_like_name(text: str) -> bool:
    """Return whether every word begins as names do: with a capital, or in a script without."""
    if text.lower() in _NO_NAMES:
        return False
    small = ("and", "of", "the", "de", "van", "von", "der", "da", "al", "la", "le", "du", "y", "e")
    return all(not word[0].islower() or word in small for word in text.split())


def _accepted(lines: Sequence[str], heads: dict[int, Head]) -> dict[int, Head]:
    line_count = sum(1 for line in lines if line.strip())
    counts = Counter(head.speaker for head in heads.values())
    is_dialogue = len(heads) >= line_count * _MOSTLY_HEADS_SHARE
    accepted = {}
    for place, head in heads.items():
        begins_paragraph = place == 0 or not lines[place - 1].strip()
        is_likely = (is_dialogue or begins_paragraph) and _looks_like_name(head.speaker)
        comes_again = counts[head.speaker] > 1 and head.speaker.lower() not in _NO_NAMES
        if head.clock is not None or is_likely or comes_again:
            accepted[place] = head
    return accepted


def _with_text_below(lines: Sequence[str], heads: dict[int, Head]) -> dict[int, Head]:
    return {
        place: head
        for place, head in heads.items()
        if place + 1 < len(lines) and any(line.strip() for line in lines[place + 1 : place + 3])
    }
