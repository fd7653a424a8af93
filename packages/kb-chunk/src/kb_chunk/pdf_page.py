"""Chunks of a paper: by page, so that each cites one page and a range of its text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from kb_chunk.module import TextChunker
from kb_chunk.text_chunks import Group
from kb_core import CanonicalDocument, ChunkModuleSpec, ChunkPolicy, PageSpan, SourceUnit
from kb_core.errors import ChunkInputError

CHUNKER_VERSION = "pdf-page-v1"


class PdfPageV1Chunker(TextChunker):
    """Chunker for documents of blocks with pages."""

    spec = ChunkModuleSpec(key=CHUNKER_VERSION, version=CHUNKER_VERSION)

    def groups(self, doc: CanonicalDocument, policy: ChunkPolicy) -> Iterator[Group]:
        """Return the blocks of each page; a page without text has none.

        Raises:
            ChunkInputError: a block is not on a page.
        """
        return _pages(doc.source_units())


def _pages(units: tuple[SourceUnit, ...]) -> Iterator[Group]:
    for _, on_page in groupby(units, key=_page_of):
        members = list(on_page)
        yield members[0].heading_path, members


def _page_of(unit: SourceUnit) -> int:
    if not isinstance(unit.span, PageSpan):
        raise ChunkInputError("PdfPageV1Chunker only handles documents of pages")
    return unit.span.page
