"""From stretches of text to the stored text of every page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb_parse_pdf.columns import reading_order
from kb_parse_pdf.korean_breaks import KoreanBreaks
from kb_parse_pdf.pages import ReadPage
from kb_parse_pdf.paragraphs import paragraph_text, split_paragraphs
from kb_parse_pdf.rows import Row, make_rows
from kb_parse_pdf.running_heads import digits_hidden, find_running_heads

PARAGRAPH_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class PageText:
    """The stored text of a page, in NFC, and where its paragraphs stand in it (half-open)."""

    number: int
    text: str
    ranges: tuple[tuple[int, int], ...]


def make_page_texts(pages: Sequence[ReadPage]) -> tuple[list[PageText], list[str]]:
    """Return the text of all pages, and the running heads that are no part of it.

    The latter have `#` in place of digits, one entry for each time that one was left out.
    """
    heads = find_running_heads(
        [page.segments for page in pages], [page.height_points for page in pages]
    )
    dropped = [
        digits_hidden(page.segments[index].text)
        for page, indexes in zip(pages, heads, strict=True)
        for index in sorted(indexes)
    ]
    laid_out: list[tuple[int, list[list[Row]]]] = []
    breaks = KoreanBreaks()
    for page, indexes in zip(pages, heads, strict=True):
        kept = [segment for i, segment in enumerate(page.segments) if i not in indexes]
        paragraphs = [
            paragraph
            for column in reading_order(kept)
            for paragraph in split_paragraphs(make_rows(column))
        ]
        for paragraph in paragraphs:
            breaks.learn(paragraph)
        laid_out.append((page.number, paragraphs))
    return [_page_text(number, paragraphs, breaks) for number, paragraphs in laid_out], dropped


def _page_text(number: int, paragraphs: Sequence[Sequence[Row]], breaks: KoreanBreaks) -> PageText:
    texts = [paragraph_text(paragraph, breaks.goes_on) for paragraph in paragraphs]
    ranges: list[tuple[int, int]] = []
    start = 0
    for text in texts:
        if text:
            ranges.append((start, start + len(text)))
            start += len(text) + len(PARAGRAPH_SEPARATOR)
    stored = PARAGRAPH_SEPARATOR.join(text for text in texts if text)
    return PageText(number=number, text=stored, ranges=tuple(ranges))
