"""Which part of a passage answers a query, and how to show it.

What is shown and what is cited are the same units, so that nobody reads words from outside of the
time, lines or page that the citation names. All by position: tokens know where they stand, and
nothing is searched for as a substring.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from kb_core.query import Highlight, PassageUnit, SearchQuery
from kb_core.spans import PageSpan, TimeSpan
from kb_text.matching import TermMatch, find_marks

SNIPPET_CHARS = 240
MOMENT_MS = 15_000
"""How long a cited stretch of a recording may become by adding context to the match: a few
sentences, enough to understand what was said, and short enough to be listened to as one moment."""
_WORD_SEARCH_CHARS = 30
_ELLIPSIS = "…"
_CLUSTER = regex.compile(r"\X")


class _Range(NamedTuple):
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The best part of a passage.

    Attributes:
        unit_start: first of the units to cite.
        unit_end: one past the last.
        char_start: where in the passage's text the snippet begins, marks of omission apart.
        char_end: one past where it ends.
        snippet: what to show: exactly these units, with marks of omission. It is at most
            `SNIPPET_CHARS` code points and the marks long, unless one match needs more units.
        highlights: what matched, as ranges of `snippet`, in order, without overlap.
    """

    unit_start: int
    unit_end: int
    char_start: int
    char_end: int
    snippet: str
    highlights: tuple[Highlight, ...]


def excerpt(
    text: str,
    units: Sequence[PassageUnit],
    query: SearchQuery,
    *,
    max_chars: int = SNIPPET_CHARS,
) -> Excerpt:
    """Return the run of units that answers `query` best, with the snippet that shows it.

    A run begins as one unit, the units of one match, or neighbours that fit into a snippet
    together. The best has the most distinct terms, then the most matches, then the fewest
    characters, and comes first; where nothing matches, it is the first unit. It is then extended
    by whole neighbours, following and preceding in turn, while it stays within a snippet, within a
    moment and with one speaker. Only a unit that is too long alone is cut.
    """
    matches = find_marks(text, query)
    best = _best_run(matches, units, max_chars) or _Range(0, min(1, len(units)))
    run = _extended(best, units, max_chars)
    window = _chars_of(run, units) if units else _Range(0, len(text))
    if any(_length(_chars_of_unit(unit)) > max_chars for unit in units[run.start : run.end]):
        window = _window(text, window, _focus(matches, window, max_chars), max_chars)
    shown = _units_in(window, units)
    lead = _ELLIPSIS if window.start > 0 else ""
    trail = _ELLIPSIS if window.end < len(text) else ""
    return Excerpt(
        unit_start=shown.start,
        unit_end=shown.end,
        char_start=window.start,
        char_end=window.end,
        snippet=lead + text[window.start : window.end] + trail,
        highlights=_highlights(matches, window, len(lead)),
    )


def _chars_of(run: _Range, units: Sequence[PassageUnit]) -> _Range:
    return _Range(units[run.start].char_start, units[run.end - 1].char_end)


def _chars_of_unit(unit: PassageUnit) -> _Range:
    return _Range(unit.char_start, unit.char_end)


def _units_in(window: _Range, units: Sequence[PassageUnit]) -> _Range:
    """Return the units of which anything is in `window`; several may share one place."""
    inside = [
        place
        for place, unit in enumerate(units)
        if unit.char_start < window.end and window.start < unit.char_end
    ]
    return _Range(inside[0], inside[-1] + 1) if inside else _Range(0, len(units))


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
            if wider != group and not _fits(wider, units, max_chars):
                break
            run = wider
            terms.update(counts[other])
            worth = (len(terms), terms.total(), -_length(_chars_of(run, units)))
            if best is None or worth > best[0]:
                best = (worth, run)
    return best[1] if best else None


def _fits(run: _Range, units: Sequence[PassageUnit], max_chars: int) -> bool:
    """Whether one snippet can show the run, and one citation name it: a page, or a time."""
    first, last = units[run.start].span, units[run.end - 1].span
    if first.kind != last.kind or _length(_chars_of(run, units)) > max_chars:
        return False
    return not (isinstance(first, PageSpan) and isinstance(last, PageSpan)) or (
        first.page == last.page
    )


def _extended(run: _Range, units: Sequence[PassageUnit], max_chars: int) -> _Range:
    """Return the run with as many neighbours as may join it.

    What keeps a neighbour out keeps it out of every longer run too, so that side is done.
    """
    steps = [_Range(0, 1), _Range(-1, 0)]
    while steps:
        for step in tuple(steps):
            wider = _Range(run.start + step.start, run.end + step.end)
            if _may_extend(run, wider, units, max_chars):
                run = wider
            else:
                steps.remove(step)
    return run


def _may_extend(run: _Range, wider: _Range, units: Sequence[PassageUnit], max_chars: int) -> bool:
    if wider.start < 0 or wider.end > len(units) or not _fits(wider, units, max_chars):
        return False
    edge, added = units[run.start], units[wider.start]
    if wider.end > run.end:
        edge, added = units[run.end - 1], units[wider.end - 1]
    return edge.speaker == added.speaker and _is_moment(units[wider.start : wider.end])


def _is_moment(units: Sequence[PassageUnit]) -> bool:
    times = [unit.span for unit in units if isinstance(unit.span, TimeSpan)]
    start_ms = min((span.start_ms for span in times), default=0)
    return max((span.end_ms for span in times), default=0) - start_ms <= MOMENT_MS


def _length(span: _Range) -> int:
    return span.end - span.start


def _focus(matches: list[TermMatch], run: _Range, max_chars: int) -> _Range:
    """Return what must be seen: the best stretch of matches in a run that is too long."""
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


def _window(text: str, bounds: _Range, focus: _Range, max_chars: int) -> _Range:
    """Return at most `max_chars` around `focus`, cut between words or at least graphemes.

    Nothing outside of `bounds` is in it, and what ends at a bound is not cut there.
    """
    start = max(bounds.start, focus.start - (max_chars - _length(focus)) // 2)
    end = min(bounds.end, start + max_chars)
    start = max(bounds.start, min(start, end - max_chars))
    if start > bounds.start:
        start = _cut_forward(text, start, max(start, focus.start))
    if end < bounds.end:
        end = _cut_backward(text, end, max(focus.end, start))
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
