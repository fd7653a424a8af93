"""Asking every query in every mode, and keeping what came back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from kb_app.search_evaluation import SearchEvaluationServices
from kb_app.wire_search_evaluation import EvaluatedQueryV1
from kb_core import digest_hex
from kb_core.query import SearchMode
from kb_eval.places import TimeDistance
from kb_eval.ranking import NDCG_AT, RankingScore

SHOWN = 10


class Query(Protocol):
    """What every kind of set has queries of."""

    @property
    def query_id(self) -> str:
        """Which one it is in the set."""
        ...

    @property
    def text(self) -> str:
        """What is asked."""
        ...

    @property
    def lang(self) -> str:
        """ISO 639-1 code of its language, or `und`."""
        ...


_Query = TypeVar("_Query", bound=Query)
_Hit = TypeVar("_Hit")


@dataclass(frozen=True, slots=True)
class Judged:
    """What one search came to.

    Attributes:
        score: of the ranking.
        ranks: of relevant hits, from 1.
        expected: what is relevant, as text.
        distance: to the moment that is expected, where one is and its recording was found.
    """

    score: RankingScore
    ranks: tuple[int, ...]
    expected: tuple[str, ...]
    distance: TimeDistance | None = None


@dataclass(frozen=True, slots=True)
class ModeRun:
    """All queries in one mode.

    Attributes:
        judged: one for each query, in their order.
        elapsed_ms: wall time of the searches.
    """

    mode: SearchMode
    judged: tuple[Judged, ...]
    elapsed_ms: int


class Asking(Generic[_Query, _Hit]):
    """Asks the queries of one set.

    Args:
        services: what is told of each query, and who may stop it.
        search: returns at most so many hits, best first.
        judge: says what the hits of a query are worth.
        name: how a hit is shown.
    """

    def __init__(
        self,
        services: SearchEvaluationServices,
        search: Callable[[SearchMode, str, int], list[_Hit]],
        judge: Callable[[_Query, Sequence[_Hit]], Judged],
        name: Callable[[_Hit], str] = str,
    ) -> None:
        self._services = services
        self._search = search
        self._judge = judge
        self._name = name
        self._limit = depth(services)

    def run(self, mode: SearchMode, queries: Sequence[_Query]) -> ModeRun:
        """Ask every query in one mode.

        Raises:
            Cancelled: a stop was asked for.
            ModelError: the model of meaning cannot be used.
        """
        # What is loaded for the first search is no part of any.
        self._search(mode, queries[0].text, self._limit)
        elapsed_s = 0.0
        judged = []
        for number, query in enumerate(queries, start=1):
            self._services.cancel.raise_if_cancelled()
            started_s = time.perf_counter()
            hits = self._search(mode, query.text, self._limit)
            elapsed_s += time.perf_counter() - started_s
            judged.append(self._judge(query, hits))
            self._services.on_query(self._row(mode, query, hits, judged[-1]))
            self._services.on_step(mode, number, len(queries))
        return ModeRun(mode, tuple(judged), round(elapsed_s * 1000))

    def _row(
        self, mode: SearchMode, query: _Query, hits: Sequence[_Hit], judged: Judged
    ) -> EvaluatedQueryV1:
        score = judged.score
        return EvaluatedQueryV1(
            mode=mode,
            query_id=query.query_id,
            query=query.text,
            lang=query.lang,
            ndcg_at_10=round(score.ndcg_at_10, 6),
            mrr_at_10=round(score.mrr_at_10, 6),
            hit_at_1=score.hit_at_1,
            recall={
                count: round(share, 6)
                for count, share in zip(self._services.options.recall_at, score.recall, strict=True)
            },
            expected=judged.expected,
            found=tuple(self._name(hit) for hit in hits[:SHOWN]),
            ranks=judged.ranks,
            distance_ms=judged.distance.distance_ms if judged.distance else None,
        )


def drawn(queries: Sequence[_Query], limit: int | None) -> list[_Query]:
    """Return at most so many queries, in their order.

    Which ones depends on nothing but their ids, and those of a lower limit are among those of a
    higher one.
    """
    by_digest = sorted(queries, key=lambda query: digest_hex(query.query_id.encode()))
    chosen = {query.query_id for query in by_digest[:limit]}
    return [query for query in queries if query.query_id in chosen]


def depth(services: SearchEvaluationServices) -> int:
    """Return how many hits of each query are looked at."""
    return max(NDCG_AT, *services.options.recall_at)
