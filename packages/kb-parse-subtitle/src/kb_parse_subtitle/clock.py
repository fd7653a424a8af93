"""Times as files write them, in whole milliseconds.

Fractions are decimal: `4,8` is 4.8 s. Everything is counted in integers and rounded once, so that
no binary fraction moves a time by a millisecond.
"""

from __future__ import annotations

import math
import re

MAX_MS = 10_000 * 3_600_000
"""More than a year: what lies beyond is no time but damage."""

_FRACTION = r"[.,]\s?(\d{1,12})"
_CLOCK = re.compile(rf"(?:(\d{{1,5}})\s?:\s?)?(\d{{1,5}})\s?:\s?(\d{{1,2}})(?:{_FRACTION})?", re.A)


def decimal_ms(whole_seconds: str, fraction: str | None) -> int:
    """Return the milliseconds of seconds written in decimal, rounded half up."""
    digits = f"{fraction or ''}0000"
    return int(whole_seconds) * 1000 + int(digits[:3]) + (digits[3] >= "5")


def clock_ms(text: str) -> int | None:
    """Return the time of `h:mm:ss.fff` or `mm:ss,fff`, None when `text` is no such clock."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds, fraction = match.groups()
    total_ms = (int(hours or 0) * 60 + int(minutes)) * 60_000 + decimal_ms(seconds, fraction)
    return total_ms if total_ms <= MAX_MS else None


def seconds_ms(value: object) -> int | None:
    """Return the milliseconds of a number of seconds, or of text that holds one or a clock.

    None for what is no time: null, truth values, negative or endless numbers.
    """
    if isinstance(value, str):
        clock = clock_ms(value)
        if clock is not None:
            return clock
        try:
            value = float(value.strip().removesuffix("s"))
        except ValueError:
            return None
    return number_ms(value, 1000)


def number_ms(value: object, ms_per_unit: int) -> int | None:
    """Return the milliseconds of a number of units, None for what is no time."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if not 0 <= value <= MAX_MS // ms_per_unit:
        return None
    return round(value * ms_per_unit)
