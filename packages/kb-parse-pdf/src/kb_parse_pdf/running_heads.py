"""Running heads and page numbers: what a page repeats at its edge is no text of the document.

A row at the upper or lower edge goes when rows at the same height with the same words, digits
aside, stand on at least three pages, and on most pages (or every other page, as left and right
pages differ) between the first and the last of them. On most of these there is other text, and it
has to be apart from that and no larger, so that neither the title of a slide nor the head of a
table that goes on is taken for one.
A cell beside such words goes with them: it is the part of the running head that changes.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from kb_parse_pdf.rows import make_rows
from kb_parse_pdf.segments import Segment

EDGE_SHARE = 0.1
EDGE_ROWS = 3
MIN_PAGES = 3
MIN_DENSITY = 0.6
MIN_ALTERNATE_DENSITY = 0.45
SAME_HEIGHT_POINTS = 4.0
MIN_DISTANCE_EM = 0.6
MAX_SIZE = 1.15
RUNNING_HEAD_RULES = "running-heads-v1(0.1,3,3,0.6,0.45,4,0.6,1.15)"

_NOTHING_ELSE = float("inf")
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]+|[IVXLC]+")


@dataclass(frozen=True, slots=True)
class _EdgeRow:
    """A row at an edge of a page; `depth` counts from the edge inwards, from 0."""

    page: int
    lower: bool
    depth: int
    y: float
    patterns: frozenset[str]
    segments: tuple[Segment, ...]
    distance: float
    size: float


def find_running_heads(
    pages: Sequence[Sequence[Segment]], heights_points: Sequence[float]
) -> list[set[int]]:
    """Return for each page the indexes of its segments that are running heads."""
    edge_rows = [
        row
        for number, (segments, height) in enumerate(zip(pages, heights_points, strict=True))
        for row in _edge_rows(number, segments, height)
    ]
    places: dict[tuple[bool, str], list[_EdgeRow]] = {}
    for row in edge_rows:
        for pattern in row.patterns:
            places.setdefault((row.lower, pattern), []).append(row)
    repeated = {
        id(row)
        for rows in places.values()
        for row in rows
        if _repeats([other for other in rows if abs(other.y - row.y) <= SAME_HEIGHT_POINTS])
    }
    found: list[set[int]] = [set() for _ in pages]
    edges: dict[tuple[int, bool], list[_EdgeRow]] = {}
    for row in edge_rows:
        edges.setdefault((row.page, row.lower), []).append(row)
    for (number, _), rows in edges.items():
        gone = {id(s) for row in _outermost(rows, repeated) for s in row.segments}
        found[number] |= {i for i, segment in enumerate(pages[number]) if id(segment) in gone}
    return found


def _edge_rows(page: int, segments: Sequence[Segment], height_points: float) -> list[_EdgeRow]:
    upright = [segment for segment in segments if segment.turn == 0]
    if not upright:
        return []
    size = statistics.median(segment.size for segment in upright)
    grouped = _grouped(upright)
    found: list[_EdgeRow] = []
    for lower in (False, True):
        ordered = grouped[::-1] if lower else grouped
        for depth, row in enumerate(ordered[:EDGE_ROWS]):
            middle = statistics.fmean((s.y0 + s.y1) / 2 for s in row)
            at_edge = height_points - middle if lower else middle
            if at_edge > EDGE_SHARE * height_points or max(s.size for s in row) > MAX_SIZE * size:
                break
            inner = ordered[depth + 1] if depth + 1 < len(ordered) else None
            found.append(
                _EdgeRow(
                    page=page,
                    lower=lower,
                    depth=depth,
                    y=middle,
                    patterns=frozenset(digits_hidden(segment.text) for segment in row),
                    segments=tuple(row),
                    distance=_distance(row, inner, lower),
                    size=max(s.size for s in row),
                )
            )
    return found


def _grouped(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Return the segments by row, from top to bottom."""
    rows = make_rows(segments)
    groups: list[list[Segment]] = [[] for _ in rows]
    for segment in segments:
        nearest = min(range(len(rows)), key=lambda i: abs(rows[i].baseline - segment.baseline))
        groups[nearest].append(segment)
    return [group for group in groups if group]


def _distance(row: Sequence[Segment], inner: Sequence[Segment] | None, lower: bool) -> float:
    """Return the free space between a row and the next one inwards, in points."""
    if inner is None:
        return _NOTHING_ELSE
    if lower:
        return min(s.y0 for s in row) - max(s.y1 for s in inner)
    return min(s.y0 for s in inner) - max(s.y1 for s in row)


def digits_hidden(text: str) -> str:
    """Return what stays the same from page to page; a number in Roman digits is a number."""
    return "#" if _ROMAN.fullmatch(text) else _DIGITS.sub("#", text)


def _repeats(rows: Sequence[_EdgeRow]) -> bool:
    pages = sorted({row.page for row in rows})
    alone = sum(row.distance == _NOTHING_ELSE for row in rows)
    if len(pages) < MIN_PAGES or alone > len(rows) / 2:
        return False
    density = len(pages) / (pages[-1] - pages[0] + 1)
    alternate = len({page % 2 for page in pages}) == 1
    return density >= (MIN_ALTERNATE_DENSITY if alternate else MIN_DENSITY)


def _outermost(rows: Sequence[_EdgeRow], repeated: set[int]) -> list[_EdgeRow]:
    """Return the repeated rows from the edge inwards, down to one that is apart from the text."""
    taken: list[_EdgeRow] = []
    for row in sorted(rows, key=lambda r: r.depth):
        if id(row) not in repeated:
            break
        taken.append(row)
    while taken and taken[-1].distance < MIN_DISTANCE_EM * taken[-1].size:
        taken.pop()
    return taken
