"""Rows: what stands on one line of a column, cells of a table side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb_parse_pdf.characters import is_right_to_left
from kb_parse_pdf.segments import LineText, Segment

SAME_ROW_EM = 0.4
CELL_GAP_EM = 1.5
"""A wider gap parts two cells and becomes a tab, a narrower one a space."""

ROW_RULES = "rows-v1(0.4,1.5)"


@dataclass(frozen=True, slots=True)
class Row(LineText):
    """Segments on one line of a column, in reading order."""


def make_rows(segments: Sequence[Segment]) -> list[Row]:
    """Return the rows of one column from top to bottom."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda s: (s.baseline, s.x0)):
        if rows and _same_row(rows[-1][0], segment):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [_row(row) for row in rows]


def _same_row(first: Segment, segment: Segment) -> bool:
    return segment.baseline - first.baseline <= SAME_ROW_EM * max(first.size, segment.size)


def _row(segments: list[Segment]) -> Row:
    ordered = sorted(segments, key=lambda s: s.x0)
    if is_right_to_left("".join(segment.text for segment in segments)):
        ordered.reverse()
    parts = [ordered[0].text]
    for before, after in pairwise(ordered):
        gap = max(after.x0 - before.x1, before.x0 - after.x1)
        parts.append("\t" if gap >= CELL_GAP_EM * max(before.size, after.size) else " ")
        parts.append(after.text)
    longest = max(ordered, key=lambda s: len(s.text))
    return Row(
        text="".join(parts),
        spaced=ordered[-1].spaced,
        x0=min(s.x0 for s in segments),
        y0=min(s.y0 for s in segments),
        x1=max(s.x1 for s in segments),
        y1=max(s.y1 for s in segments),
        size=longest.size,
        baseline=longest.baseline,
    )
