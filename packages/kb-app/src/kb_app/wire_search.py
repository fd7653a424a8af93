"""Wire objects of `kb search`, and the citation that others carry, too."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from kb_core import Model
from kb_core.query import LegName, SearchMode
from kb_core.runtime import StepWarning


class CitationV1(Model):
    """A citation: fields in milliseconds, and the spellings for people and for links."""

    kind: Literal["time", "page", "line"]
    path: str
    start_ms: int | None = None
    end_ms: int | None = None
    page: int | None = None
    char_start: int | None = None
    char_end: int | None = None
    start: int | None = Field(default=None, description="first line, 1-based")
    end: int | None = Field(default=None, description="last line, included")
    section: str | None = None
    speaker: str | None = None
    text: str = Field(description="the spelling for people")
    uri: str = Field(description="the spelling as a relative URI reference")


class TextRangeV1(Model):
    """Half-open range of a text, in code points."""

    char_start: int
    char_end: int


class LegScoreV1(Model):
    """Where one ranking has a hit: bm25, or a cosine for `meaning`."""

    leg: LegName
    rank: int
    score: float


class NeighbourV1(Model):
    """A chunk before or after a hit."""

    chunk_id: str
    text: str
    citation: CitationV1


class SearchHitV1(Model):
    """One hit; `text` is the whole chunk.

    `snippet` is for reading as it is: what matched stands between `**`, which the text may hold by
    itself. Programs take `snippet_plain` and `highlights`, the ranges of it that matched.
    """

    schema_version: Literal["search_hit.v1"] = "search_hit.v1"
    rank: int
    score: float
    score_kind: Literal["bm25", "cosine", "fused", "rrf", "none"]
    chunk_id: str
    doc_id: str
    doc_path: str
    doc_title: str
    media_type: str
    module: str = Field(description="chunk module that made the chunk")
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="what the chunk module says of the chunk"
    )
    snippet: str
    snippet_plain: str
    highlights: tuple[TextRangeV1, ...]
    text: str
    heading_path: tuple[str, ...]
    citation: CitationV1
    legs: tuple[LegScoreV1, ...] = Field(
        default=(), description="why it is here: its place in each ranking that has it"
    )
    merged_chunk_ids: tuple[str, ...] = Field(
        default=(), description="further chunks that snippet and citation go over"
    )
    before: tuple[NeighbourV1, ...] = Field(default=(), description="chunks before it, if asked")
    after: tuple[NeighbourV1, ...] = Field(default=(), description="chunks after it, if asked")


class SearchResponseV1(Model):
    """Answer of `kb search`."""

    schema_version: Literal["search_response.v1"] = "search_response.v1"
    query: str
    mode: SearchMode = Field(default="lexical", description="how passages were found")
    by_document: bool = Field(default=False, description="whether hits stand by document")
    warnings: tuple[StepWarning, ...] = ()
    hits: tuple[SearchHitV1, ...]
