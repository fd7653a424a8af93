"""How far one division of a sequence into segments is from another: WindowDiff and Pk.

Both slide a window over the sequence and compare units that are k apart. Pk (Beeferman, Berger and
Lafferty 1999) counts windows that one division has in one segment and the other has not; WindowDiff
(Pevzner and Hearst 2002) those that hold a different number of boundaries, so that a near miss
costs less than a boundary that is missing or made up. 0 is the reference itself.

The papers have N - k windows in N units. nltk counts windows of k marks in the marks that it is
given, so it gets the N - 1 places between units: with a mark for each unit it would see one window
more. Its own choice of k divides by the boundaries, not by the segments, so k is chosen here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

RANDOM_DRAWS = 200
_SEED = 0


@dataclass(frozen=True, slots=True)
class Segmentation:
    """Units in a row, divided into segments that leave nothing out.

    Attributes:
        unit_count: at least one.
        starts: places from 0 of the units that begin a segment, ascending, without the first unit.
    """

    unit_count: int
    starts: tuple[int, ...] = ()

    @property
    def segment_count(self) -> int:
        """How many segments there are."""
        return len(self.starts) + 1

    @property
    def mean_units(self) -> float:
        """Mean length of a segment."""
        return self.unit_count / self.segment_count


class Disagreement(NamedTuple):
    """Shares of windows on which two divisions differ, 0 to 1."""

    window_diff: float
    pk: float


def segmentation(unit_count: int, starts: Iterable[int]) -> Segmentation:
    """Return a division by places in any order; each counts once, the ends are no boundary."""
    inner = {start for start in starts if 0 < start < unit_count}
    return Segmentation(unit_count, tuple(sorted(inner)))


def window_units(reference: Segmentation) -> int:
    """Return k: half the mean length of a segment of the reference, as both papers take it.

    A half is rounded up, and k is at least 1; the papers leave that open.
    """
    segments = reference.segment_count
    return max(1, (reference.unit_count + segments) // (2 * segments))


def disagreement(reference: Segmentation, other: Segmentation) -> Disagreement | None:
    """Compare a division of as many units with the reference; None where no window fits."""
    # nltk imports all of itself, which takes seconds where it finds scipy.
    from nltk.metrics.segmentation import pk, windowdiff

    window = window_units(reference)
    if reference.unit_count - 1 < window:
        return None
    marks, others = _marks(reference), _marks(other)
    return Disagreement(windowdiff(marks, others, window), pk(marks, others, window))


def fixed_length(reference: Segmentation) -> Segmentation:
    """Return as many segments as the reference has, as equal as whole units allow."""
    units, segments = reference.unit_count, reference.segment_count
    # In whole numbers: (2 * a + b) // (2 * b) is a / b rounded, a half up.
    return segmentation(
        units, ((2 * number * units + segments) // (2 * segments) for number in range(1, segments))
    )


def random_ones(reference: Segmentation) -> Iterator[Segmentation]:
    """Yield divisions by chance into as many segments as the reference has, the same every time."""
    # `random` alone gives the same numbers in every version of Python.
    pick = Random(_SEED).random  # noqa: S311 - no secret hangs on it
    for _ in range(RANDOM_DRAWS):
        yield segmentation(
            reference.unit_count, _drawn(reference.unit_count, len(reference.starts), pick)
        )


def without_boundaries(reference: Segmentation) -> Segmentation:
    """Return one segment of all units."""
    return Segmentation(reference.unit_count)


def _marks(divided: Segmentation) -> str:
    """Return `1` for each place between two units that is a boundary, `0` for each other."""
    starts = set(divided.starts)
    return "".join("1" if place in starts else "0" for place in range(1, divided.unit_count))


def _drawn(unit_count: int, count: int, pick: Callable[[], float]) -> list[int]:
    """Return so many different starts, each set of them as likely as any other."""
    places = list(range(1, unit_count))
    for place in range(count):
        other = place + int(pick() * (len(places) - place))
        places[place], places[other] = places[other], places[place]
    return places[:count]
