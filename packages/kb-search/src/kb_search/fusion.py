"""Several rankings to one.

Score fusion looks at how good each hit of a ranking is. A score is scaled so that 0 is what a chunk
gets that has nothing to do with the question, and 1 the best hit: bm25 has 0 by itself, a cosine
its mean over all chunks. So nothing depends on how many hits were looked at, and a ranking that is
sure of one hit says more than one that finds all alike; what is no better than background is no hit
of that ranking. It is the convex combination of S. Bruch,
S. Gai, A. Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (ACM TOIS 2023), with the
mean cosine where they take the least possible one.

Reciprocal rank fusion looks at ranks only: G. Cormack, C. Clarke, S. Büttcher, "Reciprocal Rank
Fusion outperforms Condorcet and individual Rank Learning Methods" (SIGIR 2009), with their
constant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb_core.query import Fusion, LegName

RRF_K = 60
_DECIMALS = 9  # sums of the same parts in another order agree in these


@dataclass(frozen=True, slots=True)
class Leg:
    """One ranking.

    Attributes:
        name: of it.
        weight: its part of the fused score.
        scores: by chunk id, best first.
        background: score of a chunk that has nothing to do with the question.
        is_flat: whether a hit is a hit, however well it scores.
    """

    name: LegName
    weight: float
    scores: Mapping[str, float]
    background: float = 0.0
    is_flat: bool = False


def fuse(legs: Sequence[Leg], method: Fusion) -> dict[str, float]:
    """Return the fused scores by chunk id, best first; equal ones in order of chunk id."""
    part_of = _scaled if method == "scores" else _reciprocal_ranks
    fused: dict[str, float] = {}
    for leg in legs:
        for chunk_id, part in part_of(leg).items():
            fused[chunk_id] = fused.get(chunk_id, 0.0) + leg.weight * part
    rounded = {chunk_id: round(score, _DECIMALS) for chunk_id, score in fused.items()}
    return dict(sorted(rounded.items(), key=lambda item: (-item[1], item[0])))


def _scaled(leg: Leg) -> dict[str, float]:
    if leg.is_flat:
        return dict.fromkeys(leg.scores, 1.0)
    reach = max(leg.scores.values(), default=0.0) - leg.background
    return {
        chunk_id: (score - leg.background) / reach
        for chunk_id, score in leg.scores.items()
        if score > leg.background
    }


def _reciprocal_ranks(leg: Leg) -> dict[str, float]:
    return {chunk_id: 1 / (RRF_K + rank) for rank, chunk_id in enumerate(leg.scores, start=1)}
