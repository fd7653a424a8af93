"""LRC lyrics: lines with one or more times in front, and perhaps times in front of words.

A line lasts until the next one begins; a time with nothing behind it ends the line before. A
positive offset lets all lines come that much earlier.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from kb_core import SegmentFlag, Word
from kb_parse_subtitle.clock import MAX_MS, decimal_ms
from kb_parse_subtitle.cue import Cue, Cues, TextFile, joined_lines, make_word
from kb_parse_subtitle.speakers import take_prefixed_speakers

_TIME = re.compile(r"\s*\[\s*(\d{1,4}):(\d{1,2})(?:([.:,])(\d{1,3})(?:[.,](\d{1,3}))?)?\s*\]", re.A)
_ANY_TIME = re.compile(r"\[\s*\d{1,4}:\d{1,2}(?:[.:,]\d{1,3}){0,2}\s*\]", re.ASCII)
_TURN = re.compile(r"\s*\[[\d:]+\]\s*[^\W\d_][^:：\[\]]{0,40}(?::\s|：)")
_WORD_TIME = re.compile(r"<\s*(\d{1,4}):(\d{1,2})(?:[.:,](\d{1,3}))?\s*>", re.ASCII)
_META = re.compile(r"\s*\[\s*([A-Za-z#][\w #]{0,20})\s*:([^\[\]]*)\]\s*$", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d{1,2})(?:[.:,](\d{1,3}))?", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,9}", re.ASCII)


@dataclass(slots=True)
class _Lyrics:
    cues: list[Cue] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)


def is_lrc(file: TextFile) -> bool:
    """Return whether at least half of the lines with text begin with a time in brackets.

    Where most of them go on with a name, in whole seconds, they are the turns of a transcript.
    """
    lines = [line for line in file.lines if line.strip() and not _META.match(line)]
    timed = sum(1 for line in lines if _ANY_TIME.match(line.lstrip()))
    turns = sum(1 for line in lines if _TURN.match(line))
    return timed > 0 and timed * 2 >= len(lines) and turns * 2 < timed


def read_lrc(file: TextFile) -> Cues:
    """Read LRC."""
    has_hours = _has_hours(file)
    lyrics = _Lyrics()
    for line_number, line in enumerate(file.lines, 1):
        _read_line(line, line_number, lyrics, has_hours=has_hours)
    facts = lyrics.facts
    number = _NUMBER.fullmatch(facts.get("offset", "").strip())
    _set_ends(lyrics)
    length_ms = _length_ms(facts.get("length", ""))
    _shift(lyrics.cues, -int(number[0]) if number else 0, length_ms)
    take_prefixed_speakers(lyrics.cues)
    return Cues(
        lyrics.cues,
        language=facts.get("la") or facts.get("lang") or facts.get("language"),
        title=facts.get("ti", "").strip() or None,
        length_ms=length_ms,
    )


def _has_hours(file: TextFile) -> bool:
    """Return whether `[a:b:c]` counts hours: `c` is seconds where it never exceeds 59."""
    thirds = [
        int(match[4])
        for line in file.lines
        if (match := _TIME.match(line)) and match[3] == ":" and match[5] is None
    ]
    return bool(thirds) and max(thirds) < 60 and not any(map(_META.match, file.lines))


def _read_line(line: str, line_number: int, lyrics: _Lyrics, *, has_hours: bool) -> None:
    starts = []
    end = 0
    while match := _TIME.match(line, end):
        starts.append(_tag_ms(match, has_hours=has_hours))
        end = match.end()
    if not starts:
        meta = _META.match(line)
        if meta:
            lyrics.facts.setdefault(meta[1].strip().lower(), meta[2].strip())
        elif line.strip():
            text = joined_lines([line])
            problem = "no time that can be read"
            lyrics.cues.append(Cue(text, line_number, line_number, problem=problem))
        return
    text, words = _words(line[end:])
    if not text:
        lyrics.ends.extend(starts)
    for start_ms in starts if text else ():
        moved = [_moved(word, start_ms - starts[0]) for word in words]
        cue = Cue(text, line_number, line_number, start_ms=start_ms, words=tuple(moved))
        cue.problem = None if start_ms <= MAX_MS else "a time that cannot be read"
        lyrics.cues.append(cue)


def _tag_ms(match: re.Match[str], *, has_hours: bool) -> int:
    first, second, mark, third, fraction = match.groups()
    if mark == ":" and (has_hours or fraction is not None):
        return (int(first) * 60 + int(second)) * 60_000 + decimal_ms(third, fraction)
    return int(first) * 60_000 + decimal_ms(second, third)


def _words(text: str) -> tuple[str, list[Word]]:
    """Return the text without times in front of words, and the words that have one."""
    matches = list(_WORD_TIME.finditer(text))
    if not matches:
        return joined_lines([text]), []
    times = [int(match[1]) * 60_000 + decimal_ms(match[2], match[3]) for match in matches]
    words: list[Word] = []
    for place, match in enumerate(matches):
        is_last = place + 1 == len(matches)
        stop = len(text) if is_last else matches[place + 1].start()
        end_ms = times[place] if is_last else times[place + 1]
        tokens = text[match.end() : stop].split()
        words.extend(make_word(token, times[place], end_ms) for token in tokens)
    return " ".join(_WORD_TIME.sub("", text).split()), words


def _moved(word: Word, by_ms: int) -> Word:
    return make_word(word.text, word.start_ms + by_ms, word.end_ms + by_ms, word.confidence)


def _set_ends(lyrics: _Lyrics) -> None:
    """End each line where a later line begins or a time stands alone."""
    starts = {cue.start_ms for cue in lyrics.cues if cue.start_ms is not None}
    places = sorted(starts.union(lyrics.ends))
    following = dict(pairwise(places))
    for cue in lyrics.cues:
        if cue.start_ms is not None:
            cue.end_ms = following.get(cue.start_ms)


def _shift(cues: list[Cue], by_ms: int, length_ms: int | None) -> None:
    before: Cue | None = None
    for cue in cues:
        if cue.start_ms is None:
            if before is not None:  # its moment is in the time of the line before it
                cue.start_ms, cue.end_ms = before.start_ms, before.end_ms
                cue.flags = (SegmentFlag(code="time_repaired", detail=cue.problem),)
            continue
        before = cue
        latest_ms = max((word.end_ms for word in cue.words), default=cue.start_ms)
        end_ms = cue.end_ms
        if end_ms is None and length_ms is not None:
            end_ms = length_ms - by_ms
        cue.end_ms = max(end_ms if end_ms is not None else latest_ms, cue.start_ms) + by_ms
        cue.start_ms += by_ms
        cue.words = tuple(_moved(word, by_ms) for word in cue.words)


def _length_ms(text: str) -> int | None:
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds, fraction = match.groups()
    return (int(hours or 0) * 60 + int(minutes)) * 60_000 + decimal_ms(seconds, fraction)
