"""From probabilities of speech to the stretches where somebody speaks.

Two thresholds: speech begins at the higher one and ends where the probability has stayed below the
lower one for a while, so that a doubtful frame neither opens nor closes anything. Too short a
stretch is a click or a cough. Edges lie at frames; what a recogniser gets is padded, see `windows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kb_core.ports.transcriber import SAMPLES_PER_MS

BEGIN_PROBABILITY = 0.5
END_PROBABILITY = 0.35
MIN_SILENCE_MS = 160
MIN_SPEECH_MS = 90

REGION_RULES = (
    f"begin={BEGIN_PROBABILITY}/end={END_PROBABILITY}"
    f"/silence={MIN_SILENCE_MS}/speech={MIN_SPEECH_MS}"
)
"""Names the numbers; part of every recognition version."""


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of speech: half-open range of samples on the player's clock."""

    start: int
    end: int

    @property
    def start_ms(self) -> int:
        """Time of the first sample, rounded down."""
        return self.start // SAMPLES_PER_MS

    @property
    def end_ms(self) -> int:
        """Time after the last sample, rounded up."""
        return -(-self.end // SAMPLES_PER_MS)

    @property
    def samples(self) -> int:
        """Length."""
        return self.end - self.start


def speech_ms(regions: Iterable[Region]) -> int:
    """Return how long somebody speaks in regions."""
    return sum(region.samples for region in regions) // SAMPLES_PER_MS


def beyond(regions: Iterable[Region], sample: int) -> list[Region]:
    """Return what of the regions lies after a sample."""
    return [Region(max(each.start, sample), each.end) for each in regions if each.end > sample]


class RegionTracker:
    """Finds regions in frames that come one after the other.

    Attributes:
        position: one past the last sample that was heard.
        open_since: first sample of the region that has not ended yet, or None.
    """

    def __init__(self, frame_samples: int) -> None:
        self._frame_samples = frame_samples
        self.position = 0
        self._silent_since = 0
        self.open_since: int | None = None

    def hear(self, probabilities: Iterable[float]) -> Iterator[Region]:
        """Take the next frames and yield the regions that end with them."""
        for probability in probabilities:
            start = self.position
            self.position += self._frame_samples
            if self.open_since is None:
                if probability >= BEGIN_PROBABILITY:
                    self.open_since = start
                    self._silent_since = self.position
                continue
            if probability >= END_PROBABILITY:
                self._silent_since = self.position
            elif self.position - self._silent_since >= MIN_SILENCE_MS * SAMPLES_PER_MS:
                yield from _long_enough(self.open_since, self._silent_since)
                self.open_since = None

    def cut(self, start: int, position: int) -> Region:
        """End the region that is open since `start` at `position`, where the next one begins."""
        self.open_since = position
        self._silent_since = max(self._silent_since, position)
        return Region(start, position)

    def finish(self, end: int) -> Iterator[Region]:
        """Yield the region that is still open at the end of the recording."""
        if self.open_since is not None:
            yield from _long_enough(self.open_since, min(self._silent_since, end))
            self.open_since = None


def _long_enough(start: int, end: int) -> Iterator[Region]:
    if end - start >= MIN_SPEECH_MS * SAMPLES_PER_MS:
        yield Region(start, end)
