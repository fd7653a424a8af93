"""Search by words."""

from __future__ import annotations

from itertools import islice

from kb_core import LexicalQuery, SearchHit, StoredPassage
from kb_core.ports.store import DocumentStore, LexicalIndex
from kb_search.citing import cite
from kb_text import excerpt, parse_query


class LexicalRetriever:
    """`Retriever` on a word index.

    Passages with every term of the query come first, by bm25; passages with at least one fill up
    what is left of the limit, by bm25 again. So a score may be higher than one that is ranked
    before it: the rank is the order.
    """

    def __init__(self, index: LexicalIndex, store: DocumentStore) -> None:
        self._index = index
        self._store = store

    def search(self, query_text: str, *, limit: int) -> list[SearchHit]:
        """Return the best passages, best first; any text is a legal query."""
        query = parse_query(query_text)
        scores = self._best_scores(query, limit)
        passages = self._store.load_passages(list(scores))
        return [
            _hit(rank, scores[passage.chunk.chunk_id], passage, query)
            for rank, passage in enumerate(passages, start=1)
        ]

    def _best_scores(self, query: LexicalQuery, limit: int) -> dict[str, float]:
        """Return the scores of the best chunks by their id, best first."""
        if not query.terms or limit <= 0:
            return {}
        matches = self._index.search_lexical(query, require_all=True, limit=limit)
        if len(matches) < limit and len(query.terms) > 1:
            # The best of these may be the ones that are there already.
            more = limit + len(matches)
            matches += self._index.search_lexical(query, require_all=False, limit=more)
        scores: dict[str, float] = {}
        for match in matches:
            scores.setdefault(match.chunk_id, match.score_bm25)
        return dict(islice(scores.items(), limit))


def _hit(rank: int, score_bm25: float, passage: StoredPassage, query: LexicalQuery) -> SearchHit:
    found = excerpt(passage.chunk.text, passage.units, query)
    return SearchHit(
        rank=rank,
        score=score_bm25,
        score_kind="bm25",
        passage=passage,
        snippet=found.snippet,
        highlights=found.highlights,
        citation=cite(
            passage,
            passage.units[found.unit_start : found.unit_end],
            (found.char_start, found.char_end),
        ),
    )
