"""The built-in modules keep what every module keeps."""

from __future__ import annotations

import pytest

from kb_chunk import AudioSegmentV1Chunker, MdHeadingV1Chunker, PdfPageV1Chunker
from kb_core import LineSpan, PageSpan, ParagraphBlock
from kb_testing.chunk_module_conformance import CHUNK_MODULE_CHECKS, ModuleCase, ModuleCheck
from kb_testing.documents import make_note, make_recording

NOTE = make_note("note.md", ["One paragraph of it.", "And another one."]).document
TALK = make_recording(
    "talk.wav", [(0, 900, "good morning", "S1"), (900, 2000, "and welcome", "S2")]
).document


def _on_pages() -> ModuleCase:
    blocks = tuple(
        ParagraphBlock(
            block_id=block.block_id,
            source_span=PageSpan(page=page, char_start=0, char_end=len(block.text)),
            text=block.text,
        )
        for page, block in enumerate(NOTE.blocks, start=1)
        if isinstance(block, ParagraphBlock) and isinstance(block.source_span, LineSpan)
    )
    paper = NOTE.model_copy(update={"blocks": blocks, "media_type": "pdf"})
    return ModuleCase(PdfPageV1Chunker, document=paper)


CASES = {
    "audio-segment-v1": ModuleCase(AudioSegmentV1Chunker, document=TALK),
    "md-heading-v1": ModuleCase(MdHeadingV1Chunker, document=NOTE),
    "pdf-page-v1": _on_pages(),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("check", CHUNK_MODULE_CHECKS, ids=lambda check: check.__name__)
def test_built_in_modules_conform(check: ModuleCheck, case: ModuleCase) -> None:
    check(case)
