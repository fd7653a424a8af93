"""Lines that say when a caption is shown: `00:00:04,800 --> 00:00:07,450` and the like.

Files break these rules in every way, so the reading is generous: hours may be missing or have
three digits, fractions one to nine digits after a comma or a full stop. A line that is meant as one
and cannot be read is told apart from text with an arrow in it, so that its caption is not lost.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kb_parse_subtitle.clock import clock_ms

_CLOCK = r"(?:\d{1,5}\s?:\s?)?\d{1,5}\s?:\s?\d{1,2}(?:[.,]\s?\d{1,12})?"
_ARROW = re.compile(rf"\s*({_CLOCK})\s*-{{1,3}}>\s*({_CLOCK})(?![\w:.,])", re.ASCII)
_COMMA = re.compile(rf"\s*({_CLOCK})\s*,\s*({_CLOCK})\s*", re.ASCII)
_MEANT_AS_ARROW = re.compile(r"\s*([^\s<>]*)\s*-->\s*(\S*)")
_LIKE_A_CLOCK = re.compile(r"[\w?]{0,6}\d[\w?]{0,6}[:.,;][\w:.,;?]{1,20}|\d[\w?]{0,6}:", re.ASCII)


class Timing(NamedTuple):
    """What such a line says; None for a time that cannot be read."""

    start_ms: int | None
    end_ms: int | None

    @property
    def problem(self) -> str | None:
        """What is wrong with it, in words before "at line 5"."""
        if self.start_ms is None:
            return "a time that cannot be read"
        if self.end_ms is None:
            return "an end that cannot be read"
        return "an end before the start" if self.end_ms < self.start_ms else None


def arrow_timing(line: str) -> Timing | None:
    """Return the times of a line with an arrow, None when it is text."""
    if "->" not in line:
        return None
    match = _ARROW.match(line)
    if match is not None:
        return Timing(clock_ms(match[1]), clock_ms(match[2]))
    meant = _MEANT_AS_ARROW.match(line)
    if meant is None or not (_LIKE_A_CLOCK.fullmatch(meant[1]) or _LIKE_A_CLOCK.match(meant[2])):
        return None
    return Timing(clock_ms(meant[1]), clock_ms(meant[2]))


def comma_timing(line: str) -> Timing | None:
    """Return the times of a line such as `0:00:01.500,0:00:03.000`, None when it is text."""
    match = _COMMA.fullmatch(line)
    return match and Timing(clock_ms(match[1]), clock_ms(match[2]))
