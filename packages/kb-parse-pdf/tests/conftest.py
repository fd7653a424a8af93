"""PDFs made on the spot, and one call that reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from kb_core import CanonicalDocument
from kb_core.ports.extractor import ExtractRuntime
from kb_core.transcript_memory import TranscriptMemory
from kb_parse_pdf import PdfExtractor
from kb_testing.documents import file_asset

Read = Callable[..., tuple[CanonicalDocument, ExtractRuntime]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a PDF, given as document, bytes or path; returns the result and its runtime."""

    def reading(
        source: Any, name: str = "paper.pdf", runtime: ExtractRuntime | None = None
    ) -> tuple[CanonicalDocument, ExtractRuntime]:
        runtime = runtime or ExtractRuntime(transcripts=TranscriptMemory())
        if isinstance(source, Path):
            path = source
        else:
            path = tmp_path / name
            path.write_bytes(
                source if isinstance(source, bytes) else source.tobytes(no_new_id=True)
            )
        document = PdfExtractor().extract(file_asset(path, "pdf", workspace_path=name), runtime)
        check_spans(document)
        return document, runtime

    return reading


def check_spans(document: CanonicalDocument) -> None:
    """The blocks of a page, joined by an empty line, are its text, and spans count in that."""
    ends: dict[int, int] = {}
    for block in document.blocks:
        span = block.source_span
        assert span.kind == "page"
        assert span.char_start == (ends[span.page] + 2 if span.page in ends else 0)
        assert span.char_end == span.char_start + len(block.text)
        assert block.text == block.text.strip() != ""
        ends[span.page] = span.char_end
    assert list(ends) == sorted(ends)
    assert len({block.block_id for block in document.blocks}) == len(document.blocks)


@pytest.fixture
def means() -> Callable[[Any, dict[str, str]], Any]:
    """Change what letters of a PDF's font mean, as its ToUnicode map says."""

    def changing(pdf: Any, meanings: dict[str, str]) -> Any:
        lines = [
            f"<{ord(code):02x}> <{text.encode('utf-16-be').hex()}>"
            for code, text in meanings.items()
        ]
        same = [chr(c) for c in range(32, 127) if chr(c) not in meanings]
        lines += [f"<{ord(c):02x}> <{ord(c):04x}>" for c in same]
        chunks = [lines[i : i + 100] for i in range(0, len(lines), 100)]
        body = "".join(f"{len(c)} beginbfchar\n" + "\n".join(c) + "\nendbfchar\n" for c in chunks)
        cmap = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
            "1 begincodespacerange <00> <ff> endcodespacerange\n"
            f"{body}endcmap end end"
        )
        for page in pdf:
            for font in page.get_fonts():
                xref = pdf.get_new_xref()
                pdf.update_object(xref, "<<>>")
                pdf.update_stream(xref, cmap.encode())
                pdf.xref_set_key(font[0], "ToUnicode", f"{xref} 0 R")
        return pdf

    return changing


@pytest.fixture
def paper() -> Callable[..., Any]:
    """Make a PDF of pages; a page is a list of (x, y, text) in points, or of (x, y, text, font)."""

    def making(*pages: list[tuple[Any, ...]], size: float = 11) -> Any:
        pdf = pymupdf.open()
        for items in pages:
            page = pdf.new_page()
            for x, y, text, *font in items:
                page.insert_text((x, y), text, fontsize=size, fontname=font[0] if font else "helv")
        return pdf

    return making
