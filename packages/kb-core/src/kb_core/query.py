"""What a question looks like once it is analysed, and what comes back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from kb_core.chunks import Chunk
from kb_core.citation import Citation
from kb_core.model import Model, NfcText
from kb_core.spans import SourceSpan


class QueryTerm(Model):
    """One word of a query.

    Attributes:
        text: as the person wrote it.
        tokens: index tokens that must stand next to each other, in this order.
        prefix: whether the last token may be the beginning of a longer one.
    """

    text: NfcText
    tokens: tuple[NfcText, ...] = Field(min_length=1)
    prefix: bool = False


class LexicalQuery(Model):
    """An analysed query; without terms it matches nothing."""

    terms: tuple[QueryTerm, ...] = ()


class LexicalMatch(Model):
    """A chunk that the lexical index found; a higher score is a better match."""

    chunk_id: str
    score_bm25: float


class PassageUnit(Model):
    """One source unit inside a chunk's text: `chunk.text[char_start:char_end]` is its text."""

    unit_id: str
    char_start: int = Field(ge=0)
    char_end: int = Field(ge=0)
    span: SourceSpan
    speaker: NfcText | None = None


def shared_speaker(units: Iterable[PassageUnit]) -> str | None:
    """Return the speaker whom all units have; unknown agrees with nobody."""
    speakers = {unit.speaker for unit in units}
    return speakers.pop() if len(speakers) == 1 else None


class StoredPassage(Model):
    """A stored chunk with what is needed to cite it."""

    chunk: Chunk
    doc_path: NfcText
    doc_title: NfcText
    media_type: str
    lang: str | None
    units: tuple[PassageUnit, ...]


class Highlight(Model):
    """Half-open code-point range of a snippet that matched the query."""

    char_start: int = Field(ge=0)
    char_end: int = Field(ge=0)


class SearchHit(Model):
    """One result, best first.

    Attributes:
        score: meaning depends on `score_kind`; comparable only within one response.
        snippet: the units that matched with their context, cut from the chunk's text, without
            marks.
        highlights: what matched, as ranges of `snippet`.
        citation: the span of exactly the units that `snippet` shows, not of the whole chunk.
    """

    rank: int = Field(ge=1)
    score: float
    score_kind: Literal["bm25", "cosine", "rrf"]
    passage: StoredPassage
    snippet: NfcText
    highlights: tuple[Highlight, ...]
    citation: Citation
