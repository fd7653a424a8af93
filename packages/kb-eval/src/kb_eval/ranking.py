"""Measures of one ranking against graded judgements, as trec_eval computes them.

nDCG is that of Järvelin and Kekäläinen (ACM TOIS 20(4), 2002) in the form of trec_eval's
`ndcg_cut`: the gain is the grade itself, the discount of rank r is log2(r + 1), and the ideal
ranking is made of all judgements, also of those that the corpus lacks. A document is relevant from
grade 1; lower grades and documents without one gain nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

NDCG_AT = 10
MRR_AT = 10


@dataclass(frozen=True, slots=True)
class RankingScore:
    """Measures of one ranking, each from 0 to 1.

    Attributes:
        recall: one for each number of results that was asked for.
    """

    ndcg_at_10: float
    mrr_at_10: float
    hit_at_1: float
    recall: tuple[float, ...]

    @property
    def values(self) -> tuple[float, ...]:
        """All of them, `recall` last."""
        return (self.ndcg_at_10, self.mrr_at_10, self.hit_at_1, *self.recall)


def score_ranking(
    ranking: Sequence[str], grades: Mapping[str, int], recall_at: Sequence[int]
) -> RankingScore:
    """Return the measures of a ranking.

    Args:
        ranking: ids, best first, each once.
        grades: by id; at least one is 1 or more.
        recall_at: numbers of results that count for recall.
    """
    gains = [max(grades.get(each, 0), 0) for each in ranking]
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    first = next((rank for rank, gain in enumerate(gains[:MRR_AT], start=1) if gain), None)
    return RankingScore(
        ndcg_at_10=_discounted(gains) / _discounted(ideal),
        mrr_at_10=1 / first if first else 0.0,
        hit_at_1=float(first == 1),
        recall=tuple(sum(map(bool, gains[:count])) / len(ideal) for count in recall_at),
    )


def relevant_ranks(ranking: Sequence[str], grades: Mapping[str, int]) -> tuple[int, ...]:
    """Return the ranks of relevant results, from 1."""
    return tuple(rank for rank, each in enumerate(ranking, start=1) if grades.get(each, 0) > 0)


def _discounted(gains: Iterable[int]) -> float:
    best = islice(gains, NDCG_AT)
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(best, start=1))
