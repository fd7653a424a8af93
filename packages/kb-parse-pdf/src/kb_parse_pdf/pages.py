"""Reading all pages, one by one, with a word for every page that gives nothing."""

from __future__ import annotations

from dataclasses import dataclass

from kb_core.errors import DecodeFailed, NoText
from kb_core.runtime import StepRuntime
from kb_parse_pdf.file import PdfDocument, load_pymupdf, mupdf_errors
from kb_parse_pdf.readability import Readability, is_unknown, judge
from kb_parse_pdf.segments import Segment, read_segments

_SCAN_HINT = "recognise its text first, for example with ocrmypdf, and ingest the result"
_FONT_HINT = "recognise its text anew, for example with ocrmypdf --force-ocr, and ingest the result"


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The stretches of text of a page, none where it has none that can be read.

    `height_points` is that of the page before it is turned.
    """

    number: int
    segments: tuple[Segment, ...]
    height_points: float
    unreadable: bool = False


def read_pages(document: PdfDocument, shown_path: str, runtime: StepRuntime) -> list[ReadPage]:
    """Return the pages in order, those without text included.

    Raises:
        DecodeFailed: not one page can be read.
        NoText: there is no text at all, or none that means anything.
        Cancelled: a stop was asked for.
    """
    pages: list[ReadPage] = []
    damaged = 0
    for index in range(document.page_count):
        runtime.cancel.raise_if_cancelled()
        try:
            pages.append(_read_page(document, index, runtime))
        except mupdf_errors():
            damaged += 1
            pages.append(ReadPage(number=index + 1, segments=(), height_points=0.0))
            _warn_of(runtime, "damaged_page", index + 1, "is damaged and was left out")
        _free_memory()
    if any(page.segments for page in pages):
        return pages
    if damaged == len(pages):
        raise DecodeFailed(shown_path, "damaged: no page can be read")
    if any(page.unreadable for page in pages):
        raise NoText(
            shown_path,
            "its fonts do not say which letters they show, so its text cannot be read",
            hint=_FONT_HINT,
        )
    raise NoText(shown_path, "no text; it is probably a scan", hint=_SCAN_HINT)


def _read_page(document: PdfDocument, index: int, runtime: StepRuntime) -> ReadPage:
    number = index + 1
    page = document.load_page(index)
    segments = tuple(read_segments(page))
    height_points = float(page.cropbox.height)
    if not segments:
        if page.get_bboxlog():
            _warn_of(runtime, "page_without_text", number, "is a picture without text")
        return ReadPage(number, (), height_points)
    readability = judge("\n".join(segment.text for segment in segments))
    if readability is Readability.UNREADABLE:
        message = "was left out: its fonts do not say which letters they show"
        _warn_of(runtime, "unreadable_text", number, message)
        return ReadPage(number, (), height_points, unreadable=True)
    if readability is Readability.PARTLY:
        message = "has letters whose font does not say which they are (\ufffd)"
        _warn_of(runtime, "unreadable_text", number, message)
    meaningful = tuple(s for s in segments if not all(is_unknown(c) for c in s.text))
    return ReadPage(number, meaningful, height_points)


def _warn_of(runtime: StepRuntime, code: str, number: int, message: str) -> None:
    runtime.warn(code, f"page {number} {message}", unit=f"p{number}")


def _free_memory() -> None:
    tools = load_pymupdf().TOOLS
    tools.store_shrink(100)
    tools.reset_mupdf_warnings()
