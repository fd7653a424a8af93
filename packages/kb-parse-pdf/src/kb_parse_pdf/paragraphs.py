"""Paragraphs: which rows of a column belong together, and what stands between their lines.

A line break is stored as a line feed where a space would stand. Where a word goes on it is stored
as nothing: between two Chinese or Japanese characters of a full line, and in Korean as
`KoreanBreaks` tells. A hyphen that ends a line stays, with its line feed: search joins the word.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb_core import nfc
from kb_parse_pdf.korean_breaks import may_go_on
from kb_parse_pdf.rows import Row
from kb_parse_pdf.scripts import is_spaceless

MAX_LEADING = 1.35
MAX_LEADING_EM = 2.4
SIZE_CHANGE = 0.12
MIN_INDENT_EM = 0.7
MAX_INDENT_EM = 5.0
SHORT_LINE_SHARE = 0.75
FULL_LINE_SLACK_EM = 2.0
SAME_EDGE_EM = 0.3
PARAGRAPH_RULES = "paragraphs-v1(1.35,2.4,0.12,0.7,5,0.75,2,0.3)"

_BULLET = re.compile(r"[•‣◦●○■□▪▫◆–—*·※\uf0b7\uf0a7-]\s")
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[A-Za-z가-하])[.)]\s")
_SENTENCE_END = re.compile(r"[.!?…:;。！？：；]['\")\]’”」』）]*$")

WordGoesOn = Callable[[Row, Row], bool]


@dataclass(frozen=True, slots=True)
class _Column:
    """Edges of a column and the usual distance between its lines by size of letters, in points."""

    left: float
    right: float
    leadings: Mapping[int, float]

    def is_full(self, row: Row) -> bool:
        return row.x1 >= self.right - FULL_LINE_SLACK_EM * row.size

    def leading(self, row: Row) -> float:
        return self.leadings.get(round(row.size), MAX_LEADING_EM * row.size)


def split_paragraphs(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of one column, grouped into paragraphs, items and headings."""
    if not rows:
        return []
    column = _Column(min(r.x0 for r in rows), max(r.x1 for r in rows), _usual_leadings(rows))
    paragraphs = [[rows[0]]]
    for index, row in enumerate(rows[1:], start=1):
        following = rows[index + 1] if index + 1 < len(rows) else None
        if _begins_paragraph(rows[index - 1], row, following, column):
            paragraphs.append([row])
        else:
            paragraphs[-1].append(row)
    return paragraphs


def paragraph_text(rows: Sequence[Row], word_goes_on: WordGoesOn) -> str:
    """Return the stored text of a paragraph, in NFC."""
    right = max(row.x1 for row in rows)
    parts = [rows[0].text]
    for before, row in pairwise(rows):
        full = before.x1 >= right - FULL_LINE_SLACK_EM * before.size
        parts.append("" if full and _joined(before, row, word_goes_on) else "\n")
        parts.append(row.text)
    return nfc("".join(parts)).strip()


def _joined(before: Row, row: Row, word_goes_on: WordGoesOn) -> bool:
    if "\t" in before.text or "\t" in row.text:
        return False
    last, first = before.text[-1], row.text[0]
    if is_spaceless(last) and is_spaceless(first):
        return not before.spaced
    return may_go_on(before.text, row.text) and word_goes_on(before, row)


def _usual_leadings(rows: Sequence[Row]) -> dict[int, float]:
    distances: dict[int, list[float]] = {}
    for before, row in pairwise(rows):
        distance = row.baseline - before.baseline
        if not _other_size(before, row) and 0 < distance <= MAX_LEADING_EM * row.size:
            distances.setdefault(round(row.size), []).append(distance)
    return {size: statistics.median_low(found) for size, found in distances.items()}


def _begins_paragraph(before: Row, row: Row, following: Row | None, column: _Column) -> bool:
    distance = row.baseline - before.baseline
    if _other_size(before, row) or not 0 < distance <= MAX_LEADING_EM * row.size:
        return True
    if distance > MAX_LEADING * column.leading(row) or _begins_item(before, row, column):
        return True
    if _is_indented(before, row, following, column):
        return True
    short = before.x1 < column.left + SHORT_LINE_SHARE * (column.right - column.left)
    return short and _SENTENCE_END.search(before.text) is not None


def _begins_item(before: Row, row: Row, column: _Column) -> bool:
    if _BULLET.match(row.text + " "):
        return True
    if not _NUMBER.match(row.text + " "):
        return False
    moved = abs(row.x0 - before.x0) > SAME_EDGE_EM * row.size
    return moved or not column.is_full(before) or _NUMBER.match(before.text + " ") is not None


def _is_indented(before: Row, row: Row, following: Row | None, column: _Column) -> bool:
    """Return whether only this line is set in: the first of a paragraph, not one under an item."""
    indent = row.x0 - before.x0
    if not MIN_INDENT_EM * row.size <= indent <= MAX_INDENT_EM * row.size:
        return False
    if (
        before.x0 - column.left >= row.size
        or _BULLET.match(before.text)
        or _NUMBER.match(before.text)
    ):
        return False
    if following is not None and not _other_size(row, following):
        return following.x0 < row.x0 - SAME_EDGE_EM * row.size
    return not column.is_full(before) or _SENTENCE_END.search(before.text) is not None


def _other_size(before: Row, row: Row) -> bool:
    return abs(before.size - row.size) > SIZE_CHANGE * max(before.size, row.size)
