"""Chunks of a paper: by page, so that each cites one page and a range of its text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from kb_chunk.text_chunks import Group, chunk_groups
from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkModuleSpec,
    ChunkPolicy,
    ChunkRuntime,
    PageSpan,
    SourceUnit,
    make_policy_hash,
)
from kb_core.errors import ChunkInputError

CHUNKER_VERSION = "pdf-page-v1"


class PdfPageV1Chunker:
    """Chunker for documents of blocks with pages."""

    spec = ChunkModuleSpec(key=CHUNKER_VERSION, version=CHUNKER_VERSION)

    def chunker_version(self) -> str:
        """Return the version that goes into every chunk id."""
        return CHUNKER_VERSION

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return 16 hex characters that stand for the policy."""
        return make_policy_hash(policy)

    def chunk(
        self, doc: CanonicalDocument, policy: ChunkPolicy, runtime: ChunkRuntime | None = None
    ) -> list[Chunk]:
        """Group the blocks of each page; a page without text gives no chunk.

        Raises:
            ChunkInputError: a block is not on a page.
        """
        return list(
            chunk_groups(
                doc,
                _pages(doc.source_units()),
                policy,
                version=CHUNKER_VERSION,
                policy_hash=self.policy_hash(policy),
            )
        )


def _pages(units: tuple[SourceUnit, ...]) -> Iterator[Group]:
    for _, on_page in groupby(units, key=_page_of):
        members = list(on_page)
        yield members[0].heading_path, members


def _page_of(unit: SourceUnit) -> int:
    if not isinstance(unit.span, PageSpan):
        raise ChunkInputError("PdfPageV1Chunker only handles documents of pages")
    return unit.span.page
