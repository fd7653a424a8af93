"""Chunks of Markdown and plain text: by section, whole blocks where they fit."""

from __future__ import annotations

from collections.abc import Iterator

from kb_chunk.module import TextChunker
from kb_chunk.text_chunks import Group
from kb_core import CanonicalDocument, ChunkModuleSpec, ChunkPolicy, SourceUnit
from kb_core.errors import ChunkInputError

CHUNKER_VERSION = "md-heading-v1"


class MdHeadingV1Chunker(TextChunker):
    """Chunker for documents of blocks with lines."""

    spec = ChunkModuleSpec(key=CHUNKER_VERSION, version=CHUNKER_VERSION)

    def groups(self, doc: CanonicalDocument, policy: ChunkPolicy) -> Iterator[Group]:
        """Return the blocks of each section.

        Raises:
            ChunkInputError: the document is a recording or a transcript.
        """
        if doc.audio is not None:
            raise ChunkInputError("MdHeadingV1Chunker does not handle recordings and transcripts")
        return _sections(doc.source_units(), policy.respect_markdown_headings)


def _sections(units: tuple[SourceUnit, ...], respect_headings: bool) -> Iterator[Group]:
    """Yield runs of units between headings, under the path of their heading."""
    if not respect_headings:
        if units:
            yield (), units
        return
    path: tuple[str, ...] = ()
    section: list[SourceUnit] = []
    for unit in units:
        if unit.kind == "heading":
            if section:
                yield path, section
            path, section = (*unit.heading_path, " ".join(unit.text.split())), []
        section.append(unit)
    if section:
        yield path, section
