"""The span that a citation points at: the units that are shown, and nothing around them."""

from __future__ import annotations

from collections.abc import Sequence

from kb_core import LineSpan, PageSpan, PassageUnit, SourceSpan, StoredPassage
from kb_core.citation import Citation
from kb_core.query import shared_speaker
from kb_core.spans import cover


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
