r"""Time marks in written transcripts: `[12:30]`, `\[01:02:03\]`, or a line that is only a time.

A mark says when what follows it was said; nothing says when what stands between two marks was. So
such a stretch is cited from the mark before it to the mark after it, where its moment must lie.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from kb_parse_subtitle.clock import clock_ms

CLOCK = r"\d{1,3}:[0-5]\d(?::[0-5]\d)?(?:[.,]\d{1,3})?"
MARK = re.compile(
    rf"\\?\[\s?({CLOCK})(?:\s?-{{1,2}}>?\s?{CLOCK})?\s?\\?\]|^\s*({CLOCK})\s*$", re.ASCII
)


def mark_ms(clock: str) -> int:
    """Return the time of a clock that `CLOCK` matched; two numbers are minutes and seconds."""
    return clock_ms(clock) or 0


def trusted_marks(times_ms: Sequence[int]) -> list[bool]:
    """Return for each mark whether it belongs to the most that are in order, the latest such."""
    tail_values: list[int] = []
    tail_places: list[int] = []
    before: list[int] = []
    for place, time_ms in enumerate(times_ms):
        pile = bisect_right(tail_values, time_ms)
        before.append(tail_places[pile - 1] if pile else -1)
        tail_values[pile : pile + 1] = [time_ms]
        tail_places[pile : pile + 1] = [place]
    trusted = [False] * len(times_ms)
    place = tail_places[-1] if tail_places else -1
    while place >= 0:
        trusted[place] = True
        place = before[place]
    return trusted
