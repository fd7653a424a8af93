"""Reading a note that a test writes, and what holds for every note that is read."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_core import CanonicalDocument, DocumentChoices
from kb_core.ports.extractor import ExtractRuntime
from kb_core.transcript_memory import TranscriptMemory
from kb_parse_md import MarkdownExtractor
from kb_testing.documents import file_asset

Read = Callable[..., CanonicalDocument]

EXTRACTOR = MarkdownExtractor()


def lines_as_editors_count(text: str) -> list[str]:
    """Return the lines of a file by nothing but replacing line ends."""
    text = unicodedata.normalize("NFC", text.removeprefix("\ufeff").replace("\0", ""))
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def check_lines(document: CanonicalDocument, text: str) -> None:
    """Line k of a block's text is line start+k of the file; blocks are in order and disjoint."""
    lines = lines_as_editors_count(text)
    before = 0
    for block in document.blocks:
        span = block.source_span
        assert span.kind == "line"
        assert span.start > before
        before = span.end
        own = block.text.split("\n")
        of_file = lines[span.start - 1 : span.end]
        if block.kind in ("heading", "image_ref"):
            assert all(part.strip() in line for part, line in zip(own, of_file, strict=False))
        else:
            assert own == of_file
        assert block.text.strip()
    assert len({block.block_id for block in document.blocks}) == len(document.blocks)
    assert document.metadata.line_count == len(lines) - (not lines[-1])


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a note and read it; lines are checked where the content is text."""

    def reading(
        content: str | bytes, name: str = "note.md", media_type: str = "markdown", **choices: object
    ) -> CanonicalDocument:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        runtime = ExtractRuntime(
            transcripts=TranscriptMemory(), choices=DocumentChoices.model_validate(choices)
        )
        document = EXTRACTOR.extract(file_asset(path, media_type), runtime)
        if isinstance(content, str):
            check_lines(document, content)
        return document

    return reading


@pytest.fixture
def shape(read: Read) -> Callable[..., list[tuple[str, int, int, str]]]:
    """Read a note and return kind, first and last line, and text of its blocks."""

    def shaping(content: str | bytes, **more: object) -> list[tuple[str, int, int, str]]:
        return [
            (block.kind, block.source_span.start, block.source_span.end, block.text)
            for block in read(content, **more).blocks
        ]

    return shaping
