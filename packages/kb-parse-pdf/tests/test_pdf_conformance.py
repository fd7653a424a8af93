"""The extractor of papers does what every extractor must."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from kb_parse_pdf import PdfExtractor
from kb_testing.extractor_conformance import EXTRACTOR_CHECKS, ExtractorCheck, Sample


def paper() -> bytes:
    document = pymupdf.open()
    for number in range(1, 4):
        page = document.new_page()
        page.insert_text((72, 72), f"Page {number} speaks of the budget and of what is late.")
        page.insert_text((72, 144), "A second paragraph stands below the first one.")
    return bytes(document.tobytes(no_new_id=True))


@pytest.mark.parametrize("check", EXTRACTOR_CHECKS, ids=lambda check: check.__name__)
def test_the_extractor_conforms(check: ExtractorCheck, tmp_path: Path) -> None:
    check(PdfExtractor(), Sample("paper.pdf", "pdf", paper()), tmp_path)
