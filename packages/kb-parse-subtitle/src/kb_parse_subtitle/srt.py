"""SubRip and SBV: a line of times, then text up to the next one.

Numbers are the difficulty: a line of digits may be the index of a cue or what was said. The first
cue decides, because nothing can stand before its index: where it has none, no cue has. In a
numbered file the last line of digits before a line of times is its index, everything else is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from kb_parse_subtitle.cue import Cue, Cues, TextFile
from kb_parse_subtitle.markup import voiced_texts, without_overrides
from kb_parse_subtitle.speakers import take_prefixed_speakers
from kb_parse_subtitle.timing_lines import Timing, arrow_timing, comma_timing

_INDEX = re.compile(r"\s*(\d{1,9})\s*", re.ASCII)
_BREAK = "[br]"


def read_srt(file: TextFile) -> Cues:
    """Read SubRip."""
    return _read(file.lines, arrow_timing)


def read_sbv(file: TextFile) -> Cues:
    """Read the SubViewer form that YouTube exports."""
    return _read([line.replace(_BREAK, " ") for line in file.lines], comma_timing)


def _read(lines: Sequence[str], timing_of: Callable[[str], Timing | None]) -> Cues:
    reader = _Reader(lines, timing_of)
    cues = reader.cues()
    take_prefixed_speakers(cues)
    return Cues(cues, may_roll=True)


class _Reader:
    def __init__(self, lines: Sequence[str], timing_of: Callable[[str], Timing | None]) -> None:
        self._lines = lines
        self._timings: dict[int, Timing] = {}
        for place, line in enumerate(lines):
            timing = timing_of(line)
            # What cannot be read counts as times only where times have to stand.
            if timing and (timing.start_ms is not None or self._begins_block(place)):
                self._timings[place] = timing
        first = next(iter(self._timings), len(lines))
        self._is_numbered = first > 0 and self._number(first - 1) is not None
        self._cues: list[Cue] = []

    def cues(self) -> list[Cue]:
        """Return the cues in the order of the file."""
        places = list(self._timings)
        end = self._index_place(places[0], None) if places else len(self._lines)
        self._add_untimed(0, end)
        number = None
        for at, place in enumerate(places):
            number = self._number(place - 1) if self._index_place(place, number) < place else None
            following = places[at + 1] if at + 1 < len(places) else None
            end = len(self._lines) if following is None else self._index_place(following, number)
            self._add_timed(place, end, number)
        return self._cues

    def _begins_block(self, place: int) -> bool:
        if place == 0 or not self._lines[place - 1].strip():
            return True
        has_index = self._number(place - 1) is not None
        return has_index and (place == 1 or not self._lines[place - 2].strip())

    def _number(self, place: int) -> int | None:
        match = _INDEX.fullmatch(self._lines[place])
        return int(match[1]) if match else None

    def _index_place(self, place: int, number_before: int | None) -> int:
        """Return where the cue with its times at `place` begins: at its index, if it has one."""
        if not self._is_numbered or place == 0:
            return place
        number = self._number(place - 1)
        if number is None or (place - 1) in self._timings:
            return place
        stands_alone = place == 1 or not self._lines[place - 2].strip()
        follows = number_before is not None and number == number_before + 1
        return place - 1 if stands_alone or follows or number_before is None else place

    def _add_timed(self, place: int, end: int, number: int | None) -> None:
        timing = self._timings[place]
        limits = [*self._untimed_blocks(place + 1, end, number), end]
        self._add(place, place + 1, limits[0], timing)
        for begin, stop in pairwise(limits):
            self._add(begin, begin + 1, stop, Timing(None, None))

    def _untimed_blocks(self, begin: int, end: int, number: int | None) -> list[int]:
        """Return where numbered cues without times begin."""
        found: list[int] = []
        if number is None:
            return found
        for place in range(begin, end - 1):
            is_alone = not self._lines[place - 1].strip() and self._lines[place + 1].strip()
            if is_alone and self._number(place) == number + 1:
                found.append(place)
                number += 1
        return found

    def _add_untimed(self, begin: int, end: int) -> None:
        while begin < end and not self._lines[begin].strip():
            begin += 1
        if begin < end:
            has_index = self._is_numbered and self._number(begin) is not None
            self._add(begin, begin + has_index, end, Timing(None, None))

    def _add(self, place: int, text_begin: int, text_end: int, timing: Timing) -> None:
        while text_end > text_begin and not self._lines[text_end - 1].strip():
            text_end -= 1
        text = without_overrides("\n".join(self._lines[text_begin:text_end]))
        problem = timing.problem if (timing.start_ms, timing.end_ms) != (None, None) else None
        if timing.start_ms is None:
            problem = "no time that can be read"
        for voiced in voiced_texts(text, timing.start_ms, timing.end_ms):
            self._cues.append(
                Cue(
                    text=voiced.text,
                    first_line=place + 1,
                    last_line=max(place + 1, text_end),
                    start_ms=timing.start_ms,
                    end_ms=timing.end_ms,
                    speaker=voiced.speaker,
                    words=voiced.words,
                    problem=problem,
                )
            )
