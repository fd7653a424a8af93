"""Which part of a passage answers a query, and how to show it.

All by position: tokens know where they stand, and nothing is searched for as a substring.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from kb_core.query import Highlight, LexicalQuery, PassageUnit, QueryTerm
from kb_text.analysis import Token, analyze

SNIPPET_CHARS = 240
WHOLE_TEXT_CHARS = 300
_WORD_SEARCH_CHARS = 30
_ELLIPSIS = "…"
_CLUSTER = regex.compile(r"\X")


class TermMatch(NamedTuple):
    """A place where a query term stands: half-open code-point range of the text."""

    term: int
    char_start: int
    char_end: int


class _Range(NamedTuple):
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The best part of a passage.

    Attributes:
        unit_start: first of the units to cite.
        unit_end: one past the last.
        snippet: what to show, at most a little over `SNIPPET_CHARS` code points unless the whole
            text has at most `WHOLE_TEXT_CHARS`.
        highlights: what matched, as ranges of `snippet`, in order, without overlap.
    """

    unit_start: int
    unit_end: int
    snippet: str
    highlights: tuple[Highlight, ...]


def excerpt(
    text: str,
    units: Sequence[PassageUnit],
    query: LexicalQuery,
    *,
    max_chars: int = SNIPPET_CHARS,
) -> Excerpt:
    """Return the run of units that answers `query` best, and a snippet around it.

    A run is one unit, the units of one match, or neighbours that fit into a snippet together. The
    best has the most distinct terms, then the most matches, then the fewest characters, and comes
    first. Where nothing matches, all units are the run.
    """
    matches = find_matches(text, query)
    run = _best_run(matches, units, max_chars) or _Range(0, len(units))
    window = _Range(0, len(text))
    if len(text) > max(WHOLE_TEXT_CHARS, max_chars):
        focus = _focus(matches, _chars_of(run, units), max_chars)
        window = _window(text, focus, max_chars)
    lead = _ELLIPSIS if window.start > 0 else ""
    trail = _ELLIPSIS if window.end < len(text) else ""
    return Excerpt(
        unit_start=run.start,
        unit_end=run.end,
        snippet=lead + text[window.start : window.end] + trail,
        highlights=_highlights(matches, window, len(lead)),
    )


def find_matches(text: str, query: LexicalQuery) -> list[TermMatch]:
    """Return every place where a term of `query` stands in `text`, in order of place."""
    tokens = analyze(text)
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        places.setdefault(token.token, []).append(place)
    matches = [
        TermMatch(number, *_chars_of_term(tokens, place, term))
        for number, term in enumerate(query.terms)
        for place in _starts(term, places)
        if _stands_at(tokens, place, term)
    ]
    return sorted(matches, key=lambda match: match[1:] + match[:1])


def _starts(term: QueryTerm, places: dict[str, list[int]]) -> list[int]:
    first = term.tokens[0]
    if term.prefix and len(term.tokens) == 1:
        return [
            place for token, found in places.items() if token.startswith(first) for place in found
        ]
    return places.get(first, [])


def _stands_at(tokens: list[Token], place: int, term: QueryTerm) -> bool:
    last = place + len(term.tokens) - 1
    if last >= len(tokens):
        return False
    *inner, final = term.tokens
    if any(tokens[place + step].token != token for step, token in enumerate(inner)):
        return False
    found = tokens[last].token
    return found.startswith(final) if term.prefix else found == final


def _chars_of_term(tokens: list[Token], place: int, term: QueryTerm) -> tuple[int, int]:
    found = tokens[place : place + len(term.tokens)]
    end = found[-1].head_end if term.prefix else found[-1].char_end
    return found[0].char_start, end


def _chars_of(run: _Range, units: Sequence[PassageUnit]) -> _Range:
    if run.start == run.end:
        return _Range(0, 0)
    return _Range(units[run.start].char_start, units[run.end - 1].char_end)


def _best_run(
    matches: list[TermMatch], units: Sequence[PassageUnit], max_chars: int
) -> _Range | None:
    counts: dict[_Range, Counter[int]] = {}
    starts = [unit.char_start for unit in units]
    ends = [unit.char_end for unit in units]
    for match in matches:
        touched = _Range(bisect_right(ends, match.char_start), bisect_left(starts, match.char_end))
        if touched.start < touched.end:
            counts.setdefault(touched, Counter())[match.term] += 1
    groups = sorted(counts)
    best: tuple[tuple[int, int, int], _Range] | None = None
    for first, group in enumerate(groups):
        run, terms = group, Counter[int]()
        for other in groups[first:]:
            wider = _Range(run.start, max(run.end, other.end))
            if wider != group and _length(_chars_of(wider, units)) > max_chars:
                break
            run = wider
            terms.update(counts[other])
            worth = (len(terms), terms.total(), -_length(_chars_of(run, units)))
            if best is None or worth > best[0]:
                best = (worth, run)
    return best[1] if best else None


def _length(span: _Range) -> int:
    return span.end - span.start


def _focus(matches: list[TermMatch], run: _Range, max_chars: int) -> _Range:
    """Return what must be seen: the run, or the best stretch of matches in one that is too long."""
    if _length(run) <= max_chars:
        return run
    inside = [
        match for match in matches if run.start <= match.char_start and match.char_end <= run.end
    ]
    best, best_worth = _Range(run.start, run.start), (0, 0, 0)
    terms: Counter[int] = Counter()
    after = 0
    for place, match in enumerate(inside):
        while after <= place or (
            after < len(inside) and inside[after].char_end - match.char_start <= max_chars
        ):
            terms[inside[after].term] += 1
            after += 1
        end = min(
            max(other.char_end for other in inside[place:after]), match.char_start + max_chars
        )
        worth = (len(terms), terms.total(), match.char_start - end)
        if worth > best_worth:
            best, best_worth = _Range(match.char_start, end), worth
        terms -= Counter([match.term])
    return best


def _window(text: str, focus: _Range, max_chars: int) -> _Range:
    """Return about `max_chars` around `focus`, cut between words or at least between graphemes."""
    start = max(0, focus.start - (max_chars - _length(focus)) // 2)
    end = min(len(text), start + max_chars)
    start = max(0, min(start, end - max_chars))
    if start > 0:
        start = _cut_forward(text, start, max(start, focus.start))
    if end < len(text):
        end = _cut_backward(text, min(end, len(text)), max(focus.end, start))
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return _Range(start, end)


def _cut_forward(text: str, start: int, latest: int) -> int:
    for place in range(start, min(latest, start + _WORD_SEARCH_CHARS) + 1):
        if text[place - 1].isspace():
            return place
    boundaries = _grapheme_starts(text)
    return boundaries[bisect_left(boundaries, start)]


def _cut_backward(text: str, end: int, earliest: int) -> int:
    for place in range(end, max(earliest, end - _WORD_SEARCH_CHARS) - 1, -1):
        if text[place].isspace():
            return place
    boundaries = _grapheme_starts(text)
    return boundaries[bisect_right(boundaries, end) - 1]


def _grapheme_starts(text: str) -> list[int]:
    return [match.start() for match in _CLUSTER.finditer(text)] + [len(text)]


def _highlights(matches: list[TermMatch], window: _Range, shift: int) -> tuple[Highlight, ...]:
    merged: list[_Range] = []
    for match in matches:
        start, end = max(match.char_start, window.start), min(match.char_end, window.end)
        if start >= end:
            continue
        if merged and start <= merged[-1].end:
            merged[-1] = _Range(merged[-1].start, max(end, merged[-1].end))
        else:
            merged.append(_Range(start, end))
    offset = shift - window.start
    return tuple(
        Highlight(char_start=part.start + offset, char_end=part.end + offset) for part in merged
    )
