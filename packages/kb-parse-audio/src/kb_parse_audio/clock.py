"""The player's clock: where each decoded frame goes, counted in samples at 16 kHz from time 0.

A container's timestamps are the truth about when a sound is heard, and they are also jittery: mkv
rounds them to milliseconds, browsers stamp packets as they arrive. So frames are strung together
by their length as long as the timestamp agrees within `TOLERANCE_SAMPLES`; beyond that the
timestamp wins:

- a jump forward is a gap and becomes silence, never closed up;
- a step back of up to `MAX_OVERLAP_SAMPLES` is sound that was already there; the repeated part is
  left out, to the sample;
- a longer step back, or a jump of more than `MAX_GAP_SAMPLES`, is no time at all. One such frame
  alone is a broken timestamp and is strung on. When the next frame confirms it, the stream's clock
  was restarted (joined files, a wrapped counter) and later frames count from there.

Positions are integers, so the same timestamps give the same places on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from kb_core.ports.transcriber import SAMPLE_RATE_HZ

TOLERANCE_SAMPLES = SAMPLE_RATE_HZ * 80 // 1000
MAX_OVERLAP_SAMPLES = 10 * SAMPLE_RATE_HZ
MAX_GAP_SAMPLES = 24 * 3600 * SAMPLE_RATE_HZ


class Event(Enum):
    """What was out of the ordinary about a frame's timestamp."""

    NONE = "none"
    GAP = "gap"
    OVERLAP = "overlap"
    NOT_A_TIME = "not a time"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a frame goes.

    Attributes:
        start: position of the first sample that is kept, at 16 kHz.
        skip: samples of the frame (at its own rate) that are left out at its beginning.
        joins: whether it follows the frame before it without a gap.
        event: what was out of the ordinary.
        jump: how far the timestamp was off, in samples at 16 kHz; negative for a step back.
    """

    start: int
    skip: int
    joins: bool
    event: Event = Event.NONE
    jump: int = 0


class TickScale:
    """Converts timestamps of one stream to positions, rounded once."""

    def __init__(self, time_base: Fraction, zero_s: Fraction) -> None:
        self._per_tick = time_base * SAMPLE_RATE_HZ
        self._zero = zero_s * SAMPLE_RATE_HZ
        common = self._per_tick.denominator * self._zero.denominator
        self._factor = int(self._per_tick * common)
        self._offset = int(self._zero * common)
        self._common = common

    def position(self, ticks: int) -> int:
        """Return the position at 16 kHz; negative before time 0."""
        return (2 * (ticks * self._factor - self._offset) + self._common) // (2 * self._common)

    def ticks(self, position: int) -> int:
        """Return the last tick at or before `position`."""
        return int((position + self._zero) // self._per_tick)


class PlayerClock:
    """Places frames one after the other.

    Args:
        from_zero: whether decoding began at the beginning of the file. Then time before the first
            frame is silence; otherwise the first frame says where one is.
    """

    def __init__(self, *, from_zero: bool) -> None:
        self._anchored = from_zero
        self._run_start = 0
        self._run_in = 0
        self._rate_hz = SAMPLE_RATE_HZ
        self._fresh = True
        self._shift = 0
        self._other_shift: int | None = None

    @property
    def end(self) -> int:
        """Position right after the last frame."""
        return self._run_start + _scaled(self._run_in, self._rate_hz)

    def place(self, position: int | None, sample_count: int, rate_hz: int) -> Placement:
        """Return where a frame of `sample_count` samples goes, and move on behind it.

        Args:
            position: what its timestamp says, None when it has none.
            sample_count: its length at its own rate.
            rate_hz: its own rate.
        """
        if not self._anchored:
            self._anchored = True
            self._run_start = max(position or 0, 0)
        end = self.end
        jump, is_time = self._jump(position, end)
        joins = not self._fresh and rate_hz == self._rate_hz
        skip = 0
        event = Event.NONE
        if not is_time:
            event = Event.NOT_A_TIME
        elif jump > TOLERANCE_SAMPLES or (jump > 0 and self._fresh):
            event, joins = Event.GAP, False
        elif jump < -TOLERANCE_SAMPLES or (jump < 0 and self._fresh):
            event = Event.OVERLAP
            skip = min(-(jump * rate_hz // SAMPLE_RATE_HZ), sample_count)
        start = end + jump if event is Event.GAP else end
        if not joins:
            self._run_start, self._run_in, self._rate_hz = start, 0, rate_hz
        self._run_in += sample_count - skip
        self._fresh = self._fresh and skip == sample_count
        return Placement(start=start, skip=skip, joins=joins, event=event, jump=jump)

    def resume(self, position: int) -> None:
        """Go to exactly `position`, because frames up to it were not decoded."""
        self._run_start, self._run_in, self._fresh = position, 0, True

    def _jump(self, position: int | None, end: int) -> tuple[int, bool]:
        """Return how far the timestamp is off, and whether it can be believed."""
        if position is None:
            return 0, True
        jump = position + self._shift - end
        if -MAX_OVERLAP_SAMPLES <= jump <= MAX_GAP_SAMPLES:
            return jump, True
        if self._other_shift is not None:
            other_jump = position + self._other_shift - end
            if abs(other_jump) <= TOLERANCE_SAMPLES:
                self._shift, self._other_shift = self._other_shift, self._shift
                return other_jump, True
        self._other_shift = end - position
        return jump, False


def _scaled(sample_count: int, rate_hz: int) -> int:
    return (2 * sample_count * SAMPLE_RATE_HZ + rate_hz) // (2 * rate_hz)
