"""Hits in a knowledge base against the places that a person expects.

A hit is relevant when it cites the document of an expectation and, where that names a place in it,
overlaps the place. Each expectation is found once: a later hit on it gains nothing, and those that
one hit covers together count as one, so that a longer hit is neither better nor worse for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb_core import Citation, LineSpan, PageSpan, SourceSpan, TimeSpan
from kb_eval.golden import Expectation

NEAR_MS = 30_000


@dataclass(frozen=True, slots=True)
class JudgedHits:
    """Hits as a ranking of ids, with the grades of these.

    Attributes:
        ranking: an id for each hit.
        grades: 1 for each place, or places that one hit covers; also of those not found.
    """

    ranking: list[str]
    grades: dict[str, int]


@dataclass(frozen=True, slots=True)
class TimeDistance:
    """How far a hit is from the moment that is expected.

    Attributes:
        distance_ms: between the two starts.
        is_right: whether it is the right half minute.
    """

    distance_ms: int
    is_right: bool


def judge_hits(hits: Sequence[Citation], expected: Sequence[Expectation]) -> JudgedHits:
    """Return the hits as a ranking in which relevant ones have a grade."""
    ranking: list[str] = []
    unfound = list(expected)
    found = 0
    for rank, hit in enumerate(hits, start=1):
        covered = [each for each in unfound if covers(hit, each)]
        unfound = [each for each in unfound if each not in covered]
        found += bool(covered)
        ranking.append(f"place {found}" if covered else f"hit {rank}")
    total = found + len(unfound)
    return JudgedHits(ranking, {f"place {number}": 1 for number in range(1, total + 1)})


def covers(hit: Citation, expected: Expectation) -> bool:
    """Return whether a hit shows some of what is expected."""
    if hit.path != expected.path:
        return False
    return expected.span is None or overlap(hit.span, expected.span)


def overlap(one: SourceSpan, other: SourceSpan) -> bool:
    """Return whether two places in one document have anything in common.

    Places of different kinds have not. A page without a range is the whole page; a moment of no
    length lies in the stretch around it.
    """
    if isinstance(one, TimeSpan) and isinstance(other, TimeSpan):
        return _ranges_overlap((one.start_ms, one.end_ms), (other.start_ms, other.end_ms))
    if isinstance(one, LineSpan) and isinstance(other, LineSpan):
        return one.start <= other.end and other.start <= one.end
    if isinstance(one, PageSpan) and isinstance(other, PageSpan):
        return one.page == other.page and _stretches_overlap(one, other)
    return False


def time_distance(hits: Sequence[Citation], expected: Sequence[Expectation]) -> TimeDistance | None:
    """Return how far the first hit in a recording is from the nearest moment expected in it.

    None when no moment is expected, or nothing in those recordings was found.
    """
    for hit in hits:
        distances = [
            _distance(hit.span, each.span)
            for each in expected
            if each.path == hit.path
            and isinstance(hit.span, TimeSpan)
            and isinstance(each.span, TimeSpan)
        ]
        if distances:
            return min(distances, key=lambda each: (not each.is_right, each.distance_ms))
    return None


def _distance(hit: TimeSpan, expected: TimeSpan) -> TimeDistance:
    distance_ms = abs(hit.start_ms - expected.start_ms)
    return TimeDistance(distance_ms, distance_ms <= NEAR_MS or overlap(hit, expected))


def _stretches_overlap(one: PageSpan, other: PageSpan) -> bool:
    if one.char_start is None or one.char_end is None:
        return True
    if other.char_start is None or other.char_end is None:
        return True
    return _ranges_overlap((one.char_start, one.char_end), (other.char_start, other.char_end))


def _ranges_overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether half-open ranges overlap; an empty one stands for the point where it is."""
    (start, end), (other_start, other_end) = one, other
    return start < max(other_end, other_start + 1) and other_start < max(end, start + 1)
