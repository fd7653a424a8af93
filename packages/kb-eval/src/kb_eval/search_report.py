"""From what searches came to, to wire objects: measures with their intervals, by language."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from kb_app.wire_search_evaluation import (
    EstimateV1,
    ModeComparisonV1,
    RankingMeasuresV1,
    RecallV1,
    ResamplingV1,
    SearchModeScoresV1,
    TimePrecisionV1,
)
from kb_eval.asking import ModeRun
from kb_eval.bootstrap import CONFIDENCE, RESAMPLES, SEED, Estimate, ResampledTable

_DIGITS = 6

RESAMPLING = ResamplingV1(confidence=CONFIDENCE, resamples=RESAMPLES, seed=SEED)


@dataclass(frozen=True, slots=True)
class ReportedQueries:
    """What a report must know of the queries.

    Attributes:
        languages: one for each query.
        expect_moments: for each query, whether it expects a moment of a recording.
        recall_at: numbers of results that count for recall.
    """

    languages: tuple[str, ...]
    expect_moments: tuple[bool, ...]
    recall_at: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ModeReport:
    """Scores of modes and their differences, in the order in which they ran."""

    modes: tuple[SearchModeScoresV1, ...] = ()
    comparisons: tuple[ModeComparisonV1, ...] = ()


def report_modes(runs: Sequence[ModeRun], queries: ReportedQueries) -> ModeReport:
    """Return the measures of each mode, and the differences to those before it."""
    if not runs:
        return ModeReport()
    total = _group(None, runs, queries)
    codes = sorted(set(queries.languages))
    if len(codes) == 1:
        groups = [replace(total, lang=codes[0])]
    else:
        groups = [_group(lang, runs, queries) for lang in codes]
    return ModeReport(
        modes=tuple(
            SearchModeScoresV1(
                mode=run.mode,
                total=total.measures(place),
                languages=tuple(group.measures(place) for group in groups),
                times=_times(run, queries.expect_moments),
                elapsed_ms=run.elapsed_ms,
            )
            for place, run in enumerate(runs)
        ),
        comparisons=tuple(
            ModeComparisonV1(
                mode=runs[place].mode,
                against=runs[other].mode,
                total=total.measures(place, other),
                languages=tuple(group.measures(place, other) for group in groups),
            )
            for other, place in combinations(range(len(runs)), 2)
        ),
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """Queries of one language, or all.

    Attributes:
        table: a row for each query; its columns are the measures of the first mode, then those of
            the next one.
    """

    lang: str | None
    count: int
    table: ResampledTable
    recall_at: tuple[int, ...]

    def measures(self, place: int, against: int | None = None) -> RankingMeasuresV1:
        """Return what the run at `place` came to, or what it has more than another one."""
        width = 3 + len(self.recall_at)  # as in RankingScore.values

        def estimate(measure: int) -> EstimateV1:
            column = place * width + measure
            if against is None:
                return _estimate_v1(self.table.estimate(column))
            return _estimate_v1(self.table.difference(column, against * width + measure))

        return RankingMeasuresV1(
            lang=self.lang,
            queries=self.count,
            ndcg_at_10=estimate(0),
            mrr_at_10=estimate(1),
            hit_at_1=estimate(2),
            recall=tuple(
                RecallV1(at=count, share=estimate(3 + number))
                for number, count in enumerate(self.recall_at)
            ),
        )


def _group(lang: str | None, runs: Sequence[ModeRun], queries: ReportedQueries) -> _Group:
    rows = [
        tuple(value for run in runs for value in run.judged[place].score.values)
        for place, its_lang in enumerate(queries.languages)
        if lang in (None, its_lang)
    ]
    return _Group(lang, len(rows), ResampledTable(rows), queries.recall_at)


def _times(run: ModeRun, expect_moments: Sequence[bool]) -> TimePrecisionV1 | None:
    if not any(expect_moments):
        return None
    distances = [each.distance for each in run.judged if each.distance is not None]
    expected = sum(expect_moments)
    right = sum(each.is_right for each in distances)
    rows = [(1.0,)] * right + [(0.0,)] * (expected - right)
    return TimePrecisionV1(
        expected=expected,
        compared=len(distances),
        right=right,
        share_right=_estimate_v1(ResampledTable(rows).estimate(0)),
        median_distance_ms=(
            float(statistics.median(each.distance_ms for each in distances)) if distances else None
        ),
    )


def _estimate_v1(estimate: Estimate) -> EstimateV1:
    return EstimateV1(
        mean=_rounded(estimate.mean), low=_rounded(estimate.low), high=_rounded(estimate.high)
    )


def _rounded(value: float) -> float:
    return round(value, _DIGITS) + 0.0  # no -0.0
