"""The rankings that a search is made of.

The two indexes of words share half of the weight and meaning has the other half. A chunk that holds
every word as it was typed gets the weight of the words once more, so that in a search by words
alone it comes before every other one: who types two words means both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb_core.ports.embedder import Embedder
from kb_core.ports.store import LexicalIndex, VectorIndex
from kb_core.query import LexicalMatch, SearchMode, SearchQuery, SearchScope
from kb_search.fusion import Leg

WORDS_WEIGHT = 0.5
MEANING_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """What the legs are asked.

    Attributes:
        query: the words.
        scope: what may be found.
        depth: how many hits of each leg take part.
    """

    query: SearchQuery
    scope: SearchScope
    depth: int


class Meaning:
    """Search by the vectors of one model."""

    def __init__(self, vectors: VectorIndex, embedder: Embedder) -> None:
        self._vectors = vectors
        self._embedder = embedder

    def leg(self, question: Question) -> Leg:
        """Return the chunks that are closest in meaning.

        Raises:
            ModelError: the model cannot be used.
        """
        version = self._embedder.identity.vector_version
        vector = self._embedder.embed_query(question.query.text)
        matches = self._vectors.search_vectors(
            version, vector, limit=question.depth, scope=question.scope
        )
        background = self._vectors.background_cosine(version, vector)
        scores = {match.chunk_id: match.score_cosine for match in matches}
        return Leg("meaning", MEANING_WEIGHT, scores, background)


def run_legs(
    mode: SearchMode, question: Question, index: LexicalIndex, meaning: Meaning | None
) -> list[Leg]:
    """Return the rankings that `mode` asks for; `meaning` is needed for those with vectors."""
    if mode == "pairs":
        return [_pairs(question, index, 1.0)]
    if mode == "morphemes":
        return [_morphemes(question, index, 1.0)]
    legs = []
    if mode in ("lexical", "hybrid"):
        legs += [
            _exact(question, index, WORDS_WEIGHT),
            _pairs(question, index, WORDS_WEIGHT / 2),
            _morphemes(question, index, WORDS_WEIGHT / 2),
        ]
    if mode in ("vector", "hybrid") and meaning is not None:
        legs.append(meaning.leg(question))
    return legs


def _exact(question: Question, index: LexicalIndex, weight: float) -> Leg:
    matches = index.search_lexical(
        question.query.exact, require_all=True, limit=question.depth, scope=question.scope
    )
    return Leg("exact", weight, _scores(matches), is_flat=True)


def _pairs(question: Question, index: LexicalIndex, weight: float) -> Leg:
    matches = index.search_lexical(
        question.query.loose, require_all=False, limit=question.depth, scope=question.scope
    )
    return Leg("pairs", weight, _scores(matches))


def _morphemes(question: Question, index: LexicalIndex, weight: float) -> Leg:
    matches = index.search_lexical(
        question.query.morphemes,
        require_all=False,
        limit=question.depth,
        leg="morphemes",
        scope=question.scope,
    )
    return Leg("morphemes", weight, _scores(matches))


def _scores(matches: Sequence[LexicalMatch]) -> dict[str, float]:
    return {match.chunk_id: match.score_bm25 for match in matches}
