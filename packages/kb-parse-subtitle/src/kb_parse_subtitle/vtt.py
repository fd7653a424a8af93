"""WebVTT, by the rules of the W3C where files follow them, and without losing a cue where not.

A line with an arrow always begins a cue. Header, notes, styles and regions are no text. Text after
an empty line belongs to no block; behind a cue it is what the cue goes on with, because authors do
not know that rule, and behind a note or a style it goes on with those.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb_parse_subtitle.cue import Cue, Cues, TextFile
from kb_parse_subtitle.markup import voiced_texts
from kb_parse_subtitle.timing_lines import Timing, arrow_timing

_NOT_SHOWN = re.compile(r"(?:NOTE(?:[ \t]|$)|(?:STYLE|REGION)[ \t]*$)")
_LANGUAGE = re.compile(r"language\s*:\s*([\w-]+)", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(r"\s*(\d{1,9})\s*", re.ASCII)


def read_vtt(file: TextFile) -> Cues:
    """Read WebVTT."""
    return _Reader(file.lines).read()


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._cues: list[Cue] = []
        self._timing: Timing | None = None
        self._texts: list[str] = []
        self._first = self._last = 0
        self._number: int | None = None

    def read(self) -> Cues:
        lines = self._lines
        place = self._header_end()
        language = next(
            (match[1] for line in lines[1:place] if (match := _LANGUAGE.match(line))), None
        )
        is_hidden = True
        while place < len(lines):
            if not lines[place]:
                place += 1
                continue
            end = self._block_end(place)
            at = self._timing_place(place)
            if at is not None:
                self._begin(place, at, end)
                is_hidden = False
            elif _NOT_SHOWN.match(lines[place]):
                is_hidden = True
            elif not is_hidden:
                self._go_on(place, end)
            place = end
        self._finish()
        return Cues(self._cues, language=language, may_roll=True)

    def _header_end(self) -> int:
        place = 1
        while place < len(self._lines) and self._lines[place]:
            if arrow_timing(self._lines[place]):
                return place
            place += 1
        return place

    def _timing_place(self, place: int) -> int | None:
        """Return where the times of the block at `place` stand: in its first or second line."""
        for at in (place, place + 1):
            if at < len(self._lines) and self._lines[at] and arrow_timing(self._lines[at]):
                return at
        return None

    def _block_end(self, place: int) -> int:
        """Return where the block ends: at an empty line, or before the times of another cue."""
        at = self._timing_place(place)
        end = place + 1 if at is None else at + 1
        while end < len(self._lines) and self._lines[end]:
            timing = arrow_timing(self._lines[end])
            if timing and timing.start_ms is not None:
                # A line of spaces that was meant as an empty one has the name of a cue behind it.
                is_named = end - place >= 2 and not self._lines[end - 2].strip()
                return end - 1 if is_named and self._lines[end - 1].strip() else end
            end += 1
        return end

    def _begin(self, place: int, at: int, end: int) -> None:
        self._finish()
        self._timing = arrow_timing(self._lines[at])
        match = _NUMBER.fullmatch(self._lines[place]) if at > place else None
        self._number = int(match[1]) if match else None
        self._first, self._last = place + 1, end
        self._texts = list(self._lines[at + 1 : end])

    def _go_on(self, place: int, end: int) -> None:
        """Take a block without times: the cue before it goes on, or one begins without times."""
        match = _NUMBER.fullmatch(self._lines[place])
        if match and self._number is not None and int(match[1]) == self._number + 1:
            self._finish()
            self._timing = Timing(None, None)
            self._number += 1
            self._first = place + 1
            place += 1
        self._texts.extend(self._lines[place:end])
        self._last = end

    def _finish(self) -> None:
        timing = self._timing
        if timing is None:
            return
        for voiced in voiced_texts("\n".join(self._texts), timing.start_ms, timing.end_ms):
            self._cues.append(
                Cue(
                    text=voiced.text,
                    first_line=self._first,
                    last_line=self._last,
                    start_ms=timing.start_ms,
                    end_ms=timing.end_ms,
                    speaker=voiced.speaker,
                    words=voiced.words,
                    problem=timing.problem,
                )
            )
        self._timing, self._texts = None, []
