"""Intervals of means, by resampling queries.

The percentile bootstrap of Efron (1979): queries are drawn with replacement, as many as there are,
and the interval holds the middle of the means of many such draws. All columns of a table share
their draws, so that two modes are compared query by query; and tables of as many rows have the same
draws, so that the interval of a mode does not depend on those beside it.

Most queries share their row with others (one relevant text at rank 1 gives the same figures in any
set), so a draw is counted by distinct row before anything is summed up; thousands of queries take
seconds without an array library.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import mul
from random import Random

from kb_core import Model

CONFIDENCE = 0.95
RESAMPLES = 1000
SEED = 0
_TAIL = round(2 / (1 - CONFIDENCE))  # one part in so many lies beyond either end


class Estimate(Model):
    """A mean and its interval."""

    mean: float
    low: float
    high: float


class ResampledTable:
    """Rows of figures, one a query, and the means of their columns over resamples.

    Args:
        rows: at least one, all of the same length.
    """

    def __init__(self, rows: Sequence[tuple[float, ...]]) -> None:
        counts = Counter(rows)
        self._counts = list(counts.values())
        self._columns = list(zip(*counts, strict=True))
        places = {row: place for place, row in enumerate(counts)}
        draws = _draws([places[row] for row in rows], len(counts))
        self._means = [self._means_of(drawn) for drawn in draws]

    def estimate(self, column: int) -> Estimate:
        """Return the mean of a column."""
        return _estimate(self._mean(column), [means[column] for means in self._means])

    def difference(self, column: int, against: int) -> Estimate:
        """Return the mean of what a column has more than another one."""
        return _estimate(
            self._mean(column) - self._mean(against),
            [means[column] - means[against] for means in self._means],
        )

    def _mean(self, column: int) -> float:
        return math.fsum(map(mul, self._counts, self._columns[column])) / sum(self._counts)

    def _means_of(self, drawn: Sequence[int]) -> list[float]:
        total = sum(self._counts)
        return [sum(map(mul, drawn, column)) / total for column in self._columns]


def _draws(places: Sequence[int], distinct: int) -> Iterator[list[int]]:
    """Yield for each resample how often it has each of so many distinct rows.

    Args:
        places: which of them each row is.
        distinct: how many there are.
    """
    # `random` alone gives the same numbers in every version of Python.
    pick = Random(SEED).random  # noqa: S311 - the same resamples every time
    for _ in range(RESAMPLES):
        drawn = Counter([places[int(pick() * len(places))] for _ in places])
        yield [drawn[place] for place in range(distinct)]


def _estimate(mean: float, means: Sequence[float]) -> Estimate:
    cuts = statistics.quantiles(means, n=_TAIL, method="inclusive")
    return Estimate(mean=mean, low=cuts[0], high=cuts[-1])
