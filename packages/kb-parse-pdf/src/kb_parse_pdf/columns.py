"""Reading order: where a page has columns, and what runs across them.

A gutter is an upright strip that few lines cross and that has running text on both sides: lines of
much the same width, which cells of a table are not. What crosses it (a title, a wide figure's
caption, a table over both columns) divides the page into bands; in each band the left column is
read before the right one. Both sides are looked at again, so three columns are two gutters.
"""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import groupby

from kb_parse_pdf.characters import is_right_to_left
from kb_parse_pdf.segments import Segment

MIN_LINES = 4
MAX_CROSSING_SHARE = 0.6
MIN_GUTTER_EM = 0.8
MIN_LINE_EM = 9.0
FULL_LINE_SHARE = 0.75
OVERHANG_EM = 2.0
"""A line that reaches less far over the middle of the gutter is only too long for its column."""

COLUMN_RULES = "columns-v1(4,0.6,0.8,9,0.75,2)"


def reading_order(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Return the page's segments by column, columns in reading order.

    Text that stands at another angle than most of it comes last, each angle on its own.
    """
    by_turn: dict[int, list[Segment]] = {}
    for segment in segments:
        by_turn.setdefault(segment.turn, []).append(segment)
    turns = sorted(by_turn, key=lambda turn: (-sum(len(s.text) for s in by_turn[turn]), turn))
    return [column for turn in turns for column in _columns(by_turn[turn])]


def _columns(segments: list[Segment]) -> list[list[Segment]]:
    gutter = _find_gutter(segments)
    if gutter is None:
        return [segments]
    columns: list[list[Segment]] = []
    wide: list[Segment] = []
    for band in _bands(segments, gutter):
        if not _is_side_by_side(band, gutter):
            wide += band
            continue
        columns += [wide] if wide else []
        wide = []
        sides = list(_sides(band, gutter))
        if is_right_to_left("".join(segment.text for segment in band)):
            sides.reverse()
        columns += [column for side in sides for column in _columns(side)]
    return columns + ([wide] if wide else [])


def _bands(segments: list[Segment], gutter: float) -> list[list[Segment]]:
    """Return the segments from top to bottom, in runs that cross the gutter or do not."""
    across = {id(segment) for segment in _across(segments, gutter)}
    ordered = sorted(segments, key=lambda s: (s.y0 + s.y1, s.x0))
    return [list(run) for _, run in groupby(ordered, key=lambda s: id(s) in across)]


def _sides(band: Sequence[Segment], gutter: float) -> tuple[list[Segment], list[Segment]]:
    left = [segment for segment in band if segment.x0 + segment.x1 <= 2 * gutter]
    return left, [segment for segment in band if segment.x0 + segment.x1 > 2 * gutter]


def _is_side_by_side(band: Sequence[Segment], gutter: float) -> bool:
    """Return whether a band holds two columns; a few rows of a table are read row by row."""
    left, right = _sides(band, gutter)
    return (
        bool(left and right)
        and not any(_crosses(segment, gutter) for segment in band)
        and _is_running(left)
        and _is_running(right)
    )


def _find_gutter(segments: list[Segment]) -> float | None:
    """Return the x of the gutter that the fewest lines cross, or None when there is none."""
    if len(segments) < 2 * MIN_LINES:
        return None
    size = statistics.median(segment.size for segment in segments)
    starts = sorted(segment.x0 for segment in segments)
    ends = sorted(segment.x1 for segment in segments)
    strips = [s for s in _strips(starts, ends) if s[2] - s[1] >= MIN_GUTTER_EM * size]
    for _, strip_start, strip_end in sorted(strips, key=lambda s: (s[0], s[1] - s[2], s[1])):
        gutter = (strip_start + strip_end) / 2
        if any(_proves(band, gutter) for band in _bands(segments, gutter)):
            return gutter
    return None


def _strips(starts: list[float], ends: list[float]) -> list[tuple[int, float, float]]:
    """Return (lines that cross it, start, end) of every strip between an end and the next start."""
    strips: list[tuple[int, float, float]] = []
    for end in sorted(set(ends)):
        following = bisect_left(starts, end)
        if following == len(starts):
            break
        start = starts[following]
        inside = (end + start) / 2
        on_the_left = bisect_right(ends, inside)
        on_the_right = len(starts) - bisect_left(starts, inside)
        crossing = len(starts) - on_the_left - on_the_right
        few = min(on_the_left, on_the_right) >= MIN_LINES
        if few and crossing <= MAX_CROSSING_SHARE * len(starts):
            strips.append((crossing, end, start))
    return strips


def _proves(band: Sequence[Segment], gutter: float) -> bool:
    """Return whether a band is so clearly two columns that the gutter counts for the page."""
    left, right = _sides(band, gutter)
    if min(len(left), len(right)) < MIN_LINES or not _is_side_by_side(band, gutter):
        return False
    top = max(min(segment.y0 for segment in side) for side in (left, right))
    bottom = min(max(segment.y1 for segment in side) for side in (left, right))
    return bottom - top >= MIN_LINES * statistics.median(segment.size for segment in band)


def _is_running(segments: Sequence[Segment]) -> bool:
    """Return whether most of it is in lines of much the same width, long enough for a sentence."""
    widths = sorted(segment.width for segment in segments)
    full = widths[int(0.9 * (len(widths) - 1))]
    size = statistics.median(segment.size for segment in segments)
    in_full_lines = sum(width for width in widths if width >= FULL_LINE_SHARE * full)
    return full >= MIN_LINE_EM * size and in_full_lines >= 0.5 * sum(widths)


def _across(segments: Sequence[Segment], gutter: float) -> list[Segment]:
    """Return what belongs to both sides: lines over the gutter, and tables that span it."""
    by_block: dict[int, list[Segment]] = {}
    for segment in segments:
        by_block.setdefault(segment.block, []).append(segment)
    across: list[Segment] = []
    for block in by_block.values():
        if _is_table_over(block, gutter):
            across += block
        else:
            across += [segment for segment in block if _crosses(segment, gutter)]
    return across


def _crosses(segment: Segment, gutter: float) -> bool:
    overhang = OVERHANG_EM * segment.size
    return segment.x0 < gutter - overhang and segment.x1 > gutter + overhang


def _is_table_over(block: Sequence[Segment], gutter: float) -> bool:
    left = [segment for segment in block if segment.x1 <= gutter]
    right = [segment for segment in block if segment.x0 >= gutter]
    return bool(left and right) and not (_is_running(left) and _is_running(right))
