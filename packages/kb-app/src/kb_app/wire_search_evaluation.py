"""Wire objects of `kb eval search`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kb_core import Model
from kb_core.query import SearchMode

Count = Annotated[int, Field(ge=0)]
Milliseconds = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class EstimateV1(Model):
    """A mean over queries, or of differences, with its interval."""

    mean: float
    low: float
    high: float


class RecallV1(Model):
    """How much of what is relevant is among the first results."""

    at: int = Field(ge=1, description="so many results count")
    share: EstimateV1


class RankingMeasuresV1(Model):
    """Measures of one mode, or its measures less those of another mode, query by query."""

    lang: str | None = Field(description="language of the queries; null for all of them")
    queries: Count
    ndcg_at_10: EstimateV1 = Field(description="gain is the grade, discount log2(rank + 1)")
    mrr_at_10: EstimateV1 = Field(description="reciprocal rank of the first relevant result")
    hit_at_1: EstimateV1 = Field(description="share of queries whose first result is relevant")
    recall: tuple[RecallV1, ...]


class TimePrecisionV1(Model):
    """Whether hits point at the right moment of a recording that was found."""

    expected: Count = Field(description="queries that expect a moment of a recording")
    compared: Count = Field(description="those with a hit in that recording; its first one counts")
    right: Count = Field(description="those of the compared that point at the right half minute")
    share_right: EstimateV1 = Field(
        description="of the expected: its hit overlaps, or begins within half a minute of it"
    )
    median_distance_ms: float | None = Field(
        description="between the two starts, of the compared; null where nothing is"
    )


class SearchModeScoresV1(Model):
    """What one mode came to."""

    mode: SearchMode
    total: RankingMeasuresV1
    languages: tuple[RankingMeasuresV1, ...]
    times: TimePrecisionV1 | None = Field(description="null where no moment is expected")
    elapsed_ms: Milliseconds = Field(description="wall time of all searches, models loaded before")


class ModeComparisonV1(Model):
    """Measures of `mode` less those of `against`; an interval without 0 tells them apart."""

    mode: SearchMode
    against: SearchMode
    total: RankingMeasuresV1
    languages: tuple[RankingMeasuresV1, ...]


class EmbedderV1(Model):
    """The model of meaning, and how far its vectors were made."""

    engine: str
    model_id: str
    model_version: str
    dimensions: int
    chunks: Count
    embedded: Count = Field(description="chunks with a vector; others are found by words alone")


class ResamplingV1(Model):
    """How intervals are made: percentiles over resamples of the queries."""

    confidence: Share
    resamples: Count
    seed: int


class UnknownPathV1(Model):
    """A path that is expected and not in the knowledge base: its queries count as misses."""

    path: str
    lines: tuple[int, ...] = Field(description="of the golden file, from 1")


class SearchEvaluationV1(Model):
    """Answer of `kb eval search`."""

    schema_version: Literal["search_evaluation.v1"] = "search_evaluation.v1"
    path: str
    kind: Literal["judged", "golden"] = Field(
        description="a corpus with judgements, or places expected in one's own knowledge base"
    )
    split: str | None = Field(description="of a set with judgements")
    documents: Count
    queries: Count
    left_out: Count = Field(default=0, description="queries that were not drawn; not in `queries`")
    passed_over: Count = Field(description="queries without anything relevant; not in `queries`")
    missing_documents: Count = Field(description="judged relevant and not in the corpus: misses")
    unknown_paths: tuple[UnknownPathV1, ...] = ()
    embedder: EmbedderV1 | None = Field(description="null when no mode used one")
    depth: int = Field(ge=1, description="so many results of each query were looked at")
    resampling: ResamplingV1
    modes: tuple[SearchModeScoresV1, ...]
    comparisons: tuple[ModeComparisonV1, ...]
    index_ms: Milliseconds | None = Field(description="wall time of indexing a corpus")
    cancelled: bool = Field(default=False, description="`modes` are those finished until then")


class EvaluatedQueryV1(Model):
    """One query in one mode, a line of `kb eval search --per-query`."""

    schema_version: Literal["evaluated_query.v1"] = "evaluated_query.v1"
    mode: SearchMode
    query_id: str = Field(description="of the set, or the number of the line in a golden file")
    query: str
    lang: str
    ndcg_at_10: Share
    mrr_at_10: Share
    hit_at_1: Share
    recall: dict[int, Share] = Field(description="by number of results that count")
    expected: tuple[str, ...] = Field(description="relevant documents or places")
    found: tuple[str, ...] = Field(description="the first ten results")
    ranks: tuple[int, ...] = Field(
        description="of relevant results, from 1, among all that were looked at"
    )
    distance_ms: Milliseconds | None = Field(
        default=None, description="from the expected moment to the first hit in its recording"
    )
