"""Warnings about a damaged stream, one for each stretch and not one for each packet."""

from __future__ import annotations

from collections.abc import Callable

from kb_core import format_clock
from kb_core.ports.transcriber import SAMPLES_PER_MS
from kb_parse_audio.clock import Event, Placement

WarnCallback = Callable[[str, str, str | None], None]
"""Called with code, message and where: a time on the player's clock."""

MAX_WARNINGS = 20


class DamageLog:
    """Turns what goes wrong while decoding into warnings.

    Codes: `damaged` (sound that could not be decoded, or a timestamp that is none), `gap` (the
    file has no sound for a while, kept as silence), `overlap` (sound that the file holds twice).

    Attributes:
        damaged: whether anything could not be decoded.
    """

    def __init__(self, warn: WarnCallback) -> None:
        self._warn = warn
        self._count = 0
        self._bad_since: int | None = None
        self._overlapping = False
        self.damaged = False

    def bad(self, position: int) -> None:
        """Note that nothing could be decoded at `position` (samples at 16 kHz)."""
        self.damaged = True
        if self._bad_since is None:
            self._bad_since = position

    def placed(self, placement: Placement, end: int) -> None:
        """Note that a frame was decoded and placed; the one before it ended at `end`."""
        was_bad = self._bad_since is not None
        self._close(placement.start)
        if placement.event is Event.GAP and end and not was_bad:
            self._note("gap", "no sound in the file, kept as silence", end, placement.start)
        elif placement.event is Event.OVERLAP and end and not self._overlapping:
            self._note("overlap", "sound that the file holds twice, kept once", end, end)
        elif placement.event is Event.NOT_A_TIME:
            self._note("damaged", "a timestamp that cannot be; went on without it", end, end)
        self._overlapping = placement.event is Event.OVERLAP

    def finish(self, position: int) -> None:
        """Note the end of the recording, and say how many warnings were left out."""
        self._close(position)
        if self._count > MAX_WARNINGS:
            self._warn(
                "damaged", f"{self._count - MAX_WARNINGS} more places like these", _clock(position)
            )

    def _close(self, position: int) -> None:
        if self._bad_since is not None:
            since, self._bad_since = self._bad_since, None
            self._note(
                "damaged", "the recording is damaged here; went on after it", since, position
            )

    def _note(self, code: str, message: str, start: int, end: int) -> None:
        self._count += 1
        if self._count > MAX_WARNINGS:
            return
        span = _clock(start) if end <= start else f"{_clock(start)}-{_clock(end)}"
        self._warn(code, f"{span}: {message}", _clock(start))


def _clock(position: int) -> str:
    seconds, milliseconds = divmod(position // SAMPLES_PER_MS, 1000)
    return f"{format_clock(seconds)}.{milliseconds:03d}"
