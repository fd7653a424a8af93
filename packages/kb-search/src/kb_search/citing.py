"""The span that a citation points at: the units that are shown, and nothing around them."""

from __future__ import annotations

from collections.abc import Sequence

from kb_core import LineSpan, PageSpan, PassageUnit, SourceSpan, StoredPassage, TimeSpan
from kb_core.citation import Citation
from kb_core.query import shared_speaker


def cite(passage: StoredPassage, units: Sequence[PassageUnit]) -> Citation:
    """Return the citation of neighbouring units of a passage.

    The speaker is named when all units have the same one; unknown agrees with nobody.
    """
    return Citation(
        path=passage.doc_path,
        span=cover([unit.span for unit in units]),
        speaker=shared_speaker(units),
    )


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
