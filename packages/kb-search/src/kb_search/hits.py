"""From ranked chunks to hits: what to show of each, what to cite, and what belongs together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kb_core.citation import Citation
from kb_core.query import Highlight, LegScore, SearchHit, SearchQuery, StoredPassage
from kb_core.spans import TimeSpan, cover, overlap
from kb_search.citing import cite
from kb_search.fusion import Leg
from kb_text import excerpt

MERGE_GAP_MS = 1000
"""A pause between two moments that still makes one of them."""
MERGED_MS = 60_000
"""How long a moment may become by merging: what somebody listens to in one go."""
_OMITTED = "…"


def make_hit(
    passage: StoredPassage, query: SearchQuery, score: float, kind: str, legs: Sequence[LegScore]
) -> SearchHit:
    """Return the hit of one passage, with rank 1 for the time being."""
    found = excerpt(passage.chunk.text, passage.units, query)
    shown = passage.units[found.unit_start : found.unit_end]
    return SearchHit.model_validate(
        {
            "rank": 1,
            "score": score,
            "score_kind": kind,
            "passage": passage,
            "snippet": found.snippet,
            "highlights": found.highlights,
            "citation": cite(passage, shown, (found.char_start, found.char_end)),
            "unit_ids": tuple(unit.unit_id for unit in shown),
            "legs": tuple(legs),
        }
    )


def leg_scores(legs: Iterable[Leg], chunk_id: str) -> list[LegScore]:
    """Return where each ranking has a chunk."""
    return [
        LegScore(leg=leg.name, rank=list(leg.scores).index(chunk_id) + 1, score=score)
        for leg in legs
        if (score := leg.scores.get(chunk_id)) is not None
    ]


def add_hit(hits: list[SearchHit], hit: SearchHit) -> None:
    """Append a hit, or let it join a better one that it goes on from or that shows the same."""
    for place, better in enumerate(hits):
        if better.passage.chunk.doc_id != hit.passage.chunk.doc_id:
            continue
        if better.citation == hit.citation and better.snippet == hit.snippet:
            hits[place] = _joined_by(better, hit)
            return
        if _is_shown_already(better, hit):
            hits[place] = _joined_by(better, hit)
            return
        if _is_one_moment(better, hit):
            hits[place] = _merged(better, hit)
            return
    hits.append(hit)


def numbered(hits: Iterable[SearchHit]) -> list[SearchHit]:
    """Return the hits with their ranks."""
    return [hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(hits, start=1)]


def grouped(hits: Sequence[SearchHit], *, documents: int, per_document: int) -> list[SearchHit]:
    """Return the hits document by document, the document with the best hit first."""
    groups: dict[str, list[SearchHit]] = {}
    for hit in hits:
        groups.setdefault(hit.passage.chunk.doc_id, []).append(hit)
    chosen = list(groups.values())[:documents]
    return [hit for group in chosen for hit in group[:per_document]]


def _is_one_moment(one: SearchHit, other: SearchHit) -> bool:
    """Whether two neighbouring chunks of a recording are shown from one stretch of speech."""
    first, second = one.citation.span, other.citation.span
    if not (isinstance(first, TimeSpan) and isinstance(second, TimeSpan)):
        return False
    if one.citation.speaker != other.citation.speaker or not _are_neighbours(one, other):
        return False
    gap_ms = max(first.start_ms, second.start_ms) - min(first.end_ms, second.end_ms)
    length_ms = max(first.end_ms, second.end_ms) - min(first.start_ms, second.start_ms)
    return gap_ms <= MERGE_GAP_MS and length_ms <= MERGED_MS


def _is_shown_already(better: SearchHit, hit: SearchHit) -> bool:
    """Whether another chunk module cut the same place, so that a better hit shows it.

    Spans alone do not tell: all turns of a transcript on one line have that line.
    """
    if better.passage.module == hit.passage.module:
        return False
    if set(better.unit_ids).isdisjoint(hit.unit_ids):
        return False
    return overlap(better.citation.span, hit.citation.span)


def _are_neighbours(one: SearchHit, other: SearchHit) -> bool:
    """Whether the chunk of `other` stands beside one of those that `one` shows.

    Merged ones are counted by their number, since they are neighbours in a row.
    """
    if one.passage.module != other.passage.module:
        return False
    distance = abs(one.passage.chunk.index - other.passage.chunk.index)
    return 0 < distance <= 1 + len(one.merged_chunk_ids)


def _joined_by(better: SearchHit, hit: SearchHit) -> SearchHit:
    chunk_ids = (*better.merged_chunk_ids, hit.passage.chunk.chunk_id)
    return better.model_copy(update={"merged_chunk_ids": chunk_ids})


def _merged(better: SearchHit, hit: SearchHit) -> SearchHit:
    """Return the better hit with the moment of the other one, in the order of time."""
    first, second = sorted((better, hit), key=_start_ms)
    head = first.snippet.removesuffix(_OMITTED)
    tail = second.snippet.removeprefix(_OMITTED)
    is_cut = head != first.snippet or tail != second.snippet
    joint = f" {_OMITTED} " if is_cut else " "
    shift = len(head) + len(joint) - (len(second.snippet) - len(tail))
    highlights = (
        *(mark for mark in first.highlights if mark.char_end <= len(head)),
        *(
            Highlight(char_start=mark.char_start + shift, char_end=mark.char_end + shift)
            for mark in second.highlights
        ),
    )
    citation = Citation(
        path=better.citation.path,
        span=cover([first.citation.span, second.citation.span]),
        speaker=better.citation.speaker,
    )
    changes = {
        "snippet": f"{head}{joint}{tail}",
        "highlights": highlights,
        "citation": citation,
        "unit_ids": (*first.unit_ids, *second.unit_ids),
    }
    return _joined_by(better, hit).model_copy(update=changes)


def _start_ms(hit: SearchHit) -> int:
    span = hit.citation.span
    return span.start_ms if isinstance(span, TimeSpan) else 0
