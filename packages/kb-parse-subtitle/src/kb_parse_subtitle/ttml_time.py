"""Time expressions of TTML: clocks, clocks with frames, and numbers with a unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from kb_parse_subtitle.clock import MAX_MS, decimal_ms

_CLOCK = re.compile(
    r"(\d{1,5}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,12})|:(\d{1,4})(?:\.(\d{1,4}))?)?", re.ASCII
)
_SHORT_CLOCK = re.compile(r"(\d{1,5}):(\d{1,2})(?:[.,](\d{1,12}))?", re.ASCII)
_OFFSET = re.compile(r"(\d{1,12})(?:\.(\d{1,12}))?\s*(h|m|s|ms|f|t)?", re.ASCII)
_MS_PER_UNIT = {"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1, None: 1000}


@dataclass(frozen=True, slots=True)
class Rates:
    """How many frames, parts of frames and ticks a second has."""

    frames: Fraction = Fraction(30)
    sub_frames: int = 1
    ticks: Fraction = Fraction(1)

    @classmethod
    def of(cls, attributes: Mapping[str, str]) -> Rates:
        """Read the rates from the attributes of the root, names without their prefix."""
        frames = _positive(attributes.get("frameRate"))
        up, _, down = attributes.get("frameRateMultiplier", "1 1").replace(":", " ").partition(" ")
        multiplier = (_positive(up) or Fraction(1)) / (_positive(down) or Fraction(1))
        rate = (frames or Fraction(30)) * multiplier
        sub_frames = int(_positive(attributes.get("subFrameRate")) or 1)
        ticks = _positive(attributes.get("tickRate"))
        return cls(rate, sub_frames, ticks or (rate * sub_frames if frames else Fraction(1)))

    def ms_of(self, expression: str) -> int | None:
        """Return the milliseconds of a time expression, None when it is none."""
        expression = expression.strip()
        ms = _whole_ms(expression)
        if ms is None:
            exact_ms = self._exact_ms(expression)
            ms = None if exact_ms is None else int(exact_ms + Fraction(1, 2))
        return None if ms is None or ms > MAX_MS else ms

    def _exact_ms(self, expression: str) -> Fraction | None:
        if match := _CLOCK.fullmatch(expression):
            hours, minutes, seconds, fraction, frames, parts = match.groups()
            total = Fraction((int(hours) * 60 + int(minutes)) * 60 + int(seconds))
            total += _decimal("0", fraction)
            total += (int(frames or 0) + Fraction(int(parts or 0), self.sub_frames)) / self.frames
            return total * 1000
        if match := _SHORT_CLOCK.fullmatch(expression):
            return (int(match[1]) * 60 + _decimal(match[2], match[3])) * 1000
        match = _OFFSET.fullmatch(expression)
        if match is None:
            return None
        number = _decimal(match[1], match[2])
        if match[3] == "f":
            return number / self.frames * 1000
        if match[3] == "t":
            return number / self.ticks * 1000
        return number * _MS_PER_UNIT[match[3]]


def _whole_ms(expression: str) -> int | None:
    """Return the milliseconds of the usual forms, without fractions, which take their time."""
    match = _CLOCK.fullmatch(expression)
    if match is not None:
        hours, minutes, seconds, fraction, frames, _ = match.groups()
        if frames is None:
            return (int(hours) * 60 + int(minutes)) * 60_000 + decimal_ms(seconds, fraction)
    match = _OFFSET.fullmatch(expression)
    if match is not None and match[3] in ("s", None):
        return decimal_ms(match[1], match[2])
    return int(match[1]) if match and match[3] == "ms" and match[2] is None else None


def _decimal(whole: str, fraction: str | None) -> Fraction:
    return Fraction(f"{whole}.{fraction or '0'}")


def _positive(text: str | None) -> Fraction | None:
    match = re.fullmatch(r"\s*(\d{1,9})\s*", text or "", re.ASCII)
    return Fraction(int(match[1])) if match and int(match[1]) > 0 else None
