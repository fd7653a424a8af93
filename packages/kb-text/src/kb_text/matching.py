"""Where the words of a query stand in a text, and which of these places are worth a mark.

A word is marked where it stands as it was written. Only when some word does not, the text is taken
apart into words of its language too, which costs more: then its other forms are marked. Single
pairs of characters are the last resort, because in a question in prose they are mostly particles.
Of a long text only the few sentences are taken apart in which most of the words can be, and all
that are Japanese; elsewhere words of two characters are found as pairs.

A question has words such as `the` or 是 that are in every text. They are never marked, unless there
is nothing else in the question, or they are in quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kb_core.query import LexicalLeg, LexicalQuery, QueryTerm, SearchQuery
from kb_text.analysis import Token, analyze, plain_text, tokens_of
from kb_text.morphemes import (
    has_analysed_script,
    morpheme_tokens,
    morphemes_of,
    without_inflections,
)
from kb_text.stop_words import STOP_WORDS


class TermMatch(NamedTuple):
    """A place where a query term stands: half-open code-point range of the text."""

    term: int
    char_start: int
    char_end: int


def find_marks(text: str, query: SearchQuery) -> list[TermMatch]:
    """Return the places in `text` that show best why `query` found it, in order of place.

    A word that stands there as it was written counts as one term, and its other forms as another.
    """
    exact = LexicalQuery(terms=_telling(query.exact.terms, query.required))
    plain = plain_text(text)
    tokens = tokens_of(text, plain)
    matches = _matches(tokens, exact)
    if len({match.term for match in matches}) == len(exact.terms):
        return matches
    morphemes = LexicalQuery(terms=_telling(query.morphemes.terms))
    wanted = frozenset(token for term in morphemes.terms for token in term.tokens)
    is_analysed = has_analysed_script(text)
    words = morphemes_of(text, plain, wanted=wanted) if is_analysed else without_inflections(tokens)
    shift = len(exact.terms)
    matches += [match._replace(term=match.term + shift) for match in _matches(words, morphemes)]
    if not matches:
        return _matches(tokens, LexicalQuery(terms=_telling(query.loose.terms)))
    return sorted(matches, key=_place)


def _telling(
    terms: tuple[QueryTerm, ...], required: Iterable[QueryTerm] = ()
) -> tuple[QueryTerm, ...]:
    """Return the terms without stop words, or all when there is nothing else."""
    insisted = {term.tokens for term in required}
    telling = tuple(term for term in terms if term.tokens in insisted or not _is_stop_word(term))
    return telling or terms


def _is_stop_word(term: QueryTerm) -> bool:
    return term.text.casefold() in STOP_WORDS or STOP_WORDS.issuperset(term.tokens)


def _place(match: TermMatch) -> tuple[int, int, int]:
    return match.char_start, match.char_end, match.term


def find_matches(text: str, query: LexicalQuery, *, leg: LexicalLeg = "pairs") -> list[TermMatch]:
    """Return every place where a term of `query` stands in `text`, in order of place.

    Args:
        text: as it was indexed.
        query: terms of that leg.
        leg: how to divide the text.
    """
    return _matches(analyze(text) if leg == "pairs" else morpheme_tokens(text), query)


def _matches(tokens: Sequence[Token], query: LexicalQuery) -> list[TermMatch]:
    places: dict[str, list[int]] = {}
    asked = frozenset(term.tokens[0] for term in query.terms)
    has_prefix = any(term.prefix and len(term.tokens) == 1 for term in query.terms)
    for place, token in enumerate(tokens):
        if has_prefix or token.token in asked:
            places.setdefault(token.token, []).append(place)
    matches = [
        TermMatch(number, *_chars_of_term(tokens, place, term))
        for number, term in enumerate(query.terms)
        for place in _starts(term, places)
        if _stands_at(tokens, place, term)
    ]
    return sorted(matches, key=_place)


def _starts(term: QueryTerm, places: dict[str, list[int]]) -> list[int]:
    first = term.tokens[0]
    if term.prefix and len(term.tokens) == 1:
        return [
            place for token, found in places.items() if token.startswith(first) for place in found
        ]
    return places.get(first, [])


def _stands_at(tokens: Sequence[Token], place: int, term: QueryTerm) -> bool:
    last = place + len(term.tokens) - 1
    if last >= len(tokens):
        return False
    *inner, final = term.tokens
    if any(tokens[place + step].token != token for step, token in enumerate(inner)):
        return False
    found = tokens[last].token
    return found.startswith(final) if term.prefix else found == final


def _chars_of_term(tokens: Sequence[Token], place: int, term: QueryTerm) -> tuple[int, int]:
    found = tokens[place : place + len(term.tokens)]
    end = found[-1].head_end if term.prefix else found[-1].char_end
    return found[0].char_start, end
