"""The span that a citation points at: the units that are shown, and nothing around them."""

from __future__ import annotations

from collections.abc import Sequence

from kb_core import LineSpan, PageSpan, PassageUnit, SourceSpan, StoredPassage, TimeSpan
from kb_core.citation import Citation
from kb_core.query import shared_speaker


def cite(
    passage: StoredPassage,
    units: Sequence[PassageUnit],
    shown: tuple[int, int] | None = None,
) -> Citation:
    """Return the citation of neighbouring units of a passage.

    The speaker is named when all units have the same one; unknown agrees with nobody.

    Args:
        passage: with its text.
        units: the ones to cite.
        shown: half-open range of the passage's text that is shown, to cite no more of long units
            than that; None for all of them.
    """
    return Citation(
        path=passage.doc_path,
        span=cover([_shown_of(unit, passage.chunk.text, shown) for unit in units]),
        speaker=shared_speaker(units),
    )


def _shown_of(unit: PassageUnit, text: str, shown: tuple[int, int] | None) -> SourceSpan:
    """Return the span of what is shown of a unit; that of a moment is always whole."""
    span = unit.span
    start = max(unit.char_start, shown[0]) if shown else unit.char_start
    end = min(unit.char_end, shown[1]) if shown else unit.char_end
    if start >= end or (start, end) == (unit.char_start, unit.char_end):
        return span
    if isinstance(span, LineSpan):
        line_count = text.count("\n", unit.char_start, unit.char_end) + 1
        if line_count != span.end - span.start + 1:
            return span  # its lines are not those of the file
        first = span.start + text.count("\n", unit.char_start, start)
        return LineSpan(start=first, end=first + text.count("\n", start, end))
    if isinstance(span, PageSpan) and span.char_start is not None:
        origin = span.char_start - unit.char_start
        return PageSpan(page=span.page, char_start=origin + start, char_end=origin + end)
    return span


def cover(spans: Sequence[SourceSpan]) -> SourceSpan:
    """Return the smallest span that holds all of `spans`, of which there is at least one.

    A span names one page and is of one kind; spans of another page or kind than the first are left
    out.
    """
    first = spans[0]
    if isinstance(first, TimeSpan):
        times = [span for span in spans if isinstance(span, TimeSpan)]
        return TimeSpan(
            start_ms=min(span.start_ms for span in times), end_ms=max(span.end_ms for span in times)
        )
    if isinstance(first, LineSpan):
        lines = [span for span in spans if isinstance(span, LineSpan)]
        return LineSpan(
            start=min(span.start for span in lines), end=max(span.end for span in lines)
        )
    return _cover_page(
        [span for span in spans if isinstance(span, PageSpan) and span.page == first.page]
    )


def _cover_page(spans: Sequence[PageSpan]) -> PageSpan:
    starts = [span.char_start for span in spans if span.char_start is not None]
    ends = [span.char_end for span in spans if span.char_end is not None]
    if len(starts) < len(spans):
        return PageSpan(page=spans[0].page)  # one of them is the whole page
    return PageSpan(page=spans[0].page, char_start=min(starts), char_end=max(ends))
