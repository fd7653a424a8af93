"""What a question looks like once it is analysed, and what comes back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
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


LexicalLeg = Literal["pairs", "morphemes"]
"""The two ways in which text is indexed by words: `pairs` keeps what was written, with overlapping
pairs of characters for scripts without spaces; `morphemes` has the words of the language, each in
the form that its inflections share."""


class SearchScope(Model):
    """Which chunks may be found at all; what is outside takes no part in a ranking.

    Attributes:
        doc_ids: documents; None for all.
        speakers: a chunk has a unit said by one of these; None for any, also unknown ones.
        without_speakers: a chunk has no unit said by one of these.
        modules: keys of chunk modules; None for all.
        without_modules: keys of chunk modules whose chunks stay out.
        required: terms, each of which stands in a chunk.
        excluded: terms, none of which stands in a chunk.
    """

    doc_ids: frozenset[str] | None = None
    speakers: frozenset[NfcText] | None = None
    without_speakers: frozenset[NfcText] = frozenset()
    modules: frozenset[str] | None = None
    without_modules: frozenset[str] = frozenset()
    required: tuple[QueryTerm, ...] = ()
    excluded: tuple[QueryTerm, ...] = ()


EVERYTHING = SearchScope()


class LexicalMatch(Model):
    """A chunk that the lexical index found; a higher score is a better match."""

    chunk_id: str
    score_bm25: float


class VectorMatch(Model):
    """A chunk that is close in meaning; 1 is the same, 0 has nothing in common."""

    chunk_id: str
    score_cosine: float


FilterField = Literal["speaker", "path", "lang", "type", "tag", "module"]


class FieldFilter(Model):
    """A wish such as `speaker:Kim`, or with `excluded`, `-speaker:Kim`."""

    field: FilterField
    value: NfcText
    excluded: bool = False


class SearchQuery(Model):
    """What a person typed, taken apart.

    Attributes:
        text: the question without filters and exclusions; what a model of meaning gets.
        exact: each word or phrase as a term of `pairs`, for a search of all and for marking.
        loose: every token of them as a term of its own, for a search of any.
        morphemes: the words of the question as terms of `morphemes`.
        required: phrases in quotes.
        excluded: words and phrases with a minus before them.
        fields: wishes about documents and speakers. Those of one field are alternatives, those of
            different fields hold together, and an excluded one never holds.
        after: first day that counts.
        before: first day that does not count any more.
    """

    text: NfcText = ""
    exact: LexicalQuery = LexicalQuery()
    loose: LexicalQuery = LexicalQuery()
    morphemes: LexicalQuery = LexicalQuery()
    required: tuple[QueryTerm, ...] = ()
    excluded: tuple[QueryTerm, ...] = ()
    fields: tuple[FieldFilter, ...] = ()
    after: date | None = None
    before: date | None = None


class DocumentFacts(Model):
    """What filters look at.

    Attributes:
        languages: of the document and of what is said in it, ISO 639-1.
        created: as the document itself says, ISO 8601; None when it does not.
        modified_on: day on which its file was changed last, UTC.
    """

    doc_id: str
    doc_path: NfcText
    media_type: str
    languages: tuple[str, ...] = ()
    speakers: tuple[NfcText, ...] = ()
    tags: tuple[NfcText, ...] = ()
    created: str | None = None
    modified_on: date


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
    """A stored chunk with what is needed to cite it.

    Attributes:
        module: key of the chunk module that made it.
    """

    chunk: Chunk
    module: str
    doc_path: NfcText
    doc_title: NfcText
    media_type: str
    lang: str | None
    units: tuple[PassageUnit, ...]


SearchMode = Literal["hybrid", "lexical", "vector", "pairs", "morphemes"]
"""How passages are found: by words and meaning, by words, by meaning, or by one index of words."""

Fusion = Literal["scores", "rrf"]
"""How several rankings become one: by how good each score is, or by ranks alone."""

LegName = Literal["exact", "pairs", "morphemes", "meaning"]
"""One ranking among those that are fused; `exact` has the chunks with every word as written."""


class LegScore(Model):
    """Where one ranking has a hit; `score` is bm25, or a cosine for `meaning`."""

    leg: LegName
    rank: int = Field(ge=1)
    score: float


class Highlight(Model):
    """Half-open code-point range of a snippet that matched the query."""

    char_start: int = Field(ge=0)
    char_end: int = Field(ge=0)


class SearchHit(Model):
    """One result, best first.

    Attributes:
        score: meaning depends on `score_kind`; comparable only within one response.
        score_kind: `fused` is a sum of the rankings' scores, each scaled to what it says; `rrf` one
            of their reciprocal ranks; `none` means that filters alone were asked for.
        snippet: the units that matched with their context, cut from the chunk's text, without
            marks.
        highlights: what matched, as ranges of `snippet`.
        citation: the span of exactly the units that `snippet` shows, not of the whole chunk.
        unit_ids: of these units.
        legs: where each ranking has it, for those who ask why.
        merged_chunk_ids: further chunks whose moment follows or precedes this one without a gap;
            they are part of `snippet` and `citation`.
    """

    rank: int = Field(ge=1)
    score: float
    score_kind: Literal["bm25", "cosine", "fused", "rrf", "none"]
    passage: StoredPassage
    snippet: NfcText
    highlights: tuple[Highlight, ...]
    citation: Citation
    legs: tuple[LegScore, ...] = ()
    merged_chunk_ids: tuple[str, ...] = ()
    unit_ids: tuple[str, ...] = ()
