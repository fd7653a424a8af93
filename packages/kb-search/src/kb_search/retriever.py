"""Search by words, by meaning, or by both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from kb_core.ports.store import DocumentStore, LexicalIndex
from kb_core.query import Fusion, SearchHit, SearchMode, SearchQuery, SearchScope, StoredPassage
from kb_search.fusion import Leg, fuse
from kb_search.hits import add_hit, grouped, leg_scores, make_hit, numbered
from kb_search.legs import Meaning, Question, run_legs
from kb_text import parse_query, scope_of

LEG_DEPTH = 200
"""How many hits of each ranking take part in the fused one. On public sets of questions, nDCG@10
was the same for 100 and 200, and up to half a point lower for 50."""
_HITS_LOOKED_AT_PER_DOCUMENT = 5
_BATCH = 32


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Chunks, best first, and why."""

    scores: dict[str, float]
    kind: str
    legs: list[Leg]


class PassageRetriever:
    """`Retriever` over the indexes of a store.

    Args:
        store: of documents.
        index: of their words.
        meaning: search by vectors; without it, `hybrid` is `lexical` and `vector` finds nothing.
        mode: which rankings to use.
        fusion: how they become one.

    Attributes:
        mode: which rankings are used.
    """

    def __init__(
        self,
        store: DocumentStore,
        index: LexicalIndex,
        meaning: Meaning | None = None,
        *,
        mode: SearchMode = "hybrid",
        fusion: Fusion = "scores",
    ) -> None:
        self._store = store
        self._index = index
        self._meaning = meaning
        self.mode: SearchMode = "lexical" if mode == "hybrid" and meaning is None else mode
        self._fusion: Fusion = fusion

    def search(
        self, query_text: str, *, limit: int, per_document: int | None = None
    ) -> list[SearchHit]:
        """Return the best passages, best first; any text is a legal query.

        Raises:
            ModelError: the model of meaning cannot be used.
        """
        if limit <= 0:
            return []
        query = parse_query(query_text)
        wanted = limit if per_document is None else limit * _HITS_LOOKED_AT_PER_DOCUMENT
        ranking = self._rank(query, wanted)
        hits: list[SearchHit] = []
        for passage in self._passages(ranking):
            chunk_id = passage.chunk.chunk_id
            score, legs = ranking.scores[chunk_id], leg_scores(ranking.legs, chunk_id)
            add_hit(hits, make_hit(passage, query, score, ranking.kind, legs))
            if len(hits) == wanted:
                break
        if per_document is not None:
            hits = grouped(hits, documents=limit, per_document=per_document)
        return numbered(hits)

    def rank_chunks(self, query_text: str, *, limit: int) -> list[str]:
        """Return the ids of the best chunks, best first, without loading them.

        Raises:
            ModelError: the model of meaning cannot be used.
        """
        return list(islice(self._rank(parse_query(query_text), limit).scores, limit))

    def _rank(self, query: SearchQuery, wanted: int) -> _Ranking:
        has_words = bool(query.exact.terms)
        if not has_words and not (query.fields or query.after or query.before):
            return _Ranking({}, "none", [])
        scope = scope_of(query, self._store.document_facts)
        if not has_words:
            return self._in_scope(scope, wanted)
        question = Question(query, scope, depth=max(LEG_DEPTH, wanted))
        legs = run_legs(self.mode, question, self._index, self._meaning)
        if len(legs) == 1:
            kind = "cosine" if legs[0].name == "meaning" else "bm25"
            return _Ranking(dict(legs[0].scores), kind, legs)
        kind = "fused" if self._fusion == "scores" else "rrf"
        return _Ranking(fuse(legs, self._fusion), kind, legs)

    def _in_scope(self, scope: SearchScope, wanted: int) -> _Ranking:
        chunk_ids = self._index.chunks_in_scope(scope, limit=wanted)
        return _Ranking(dict.fromkeys(chunk_ids, 0.0), "none", [])

    def _passages(self, ranking: _Ranking) -> Iterator[StoredPassage]:
        """Yield the passages in order, loaded a few at a time: most searches end with the first."""
        chunk_ids = iter(ranking.scores)
        while batch := list(islice(chunk_ids, _BATCH)):
            yield from self._store.load_passages(batch)
