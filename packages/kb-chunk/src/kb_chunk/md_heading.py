"""Chunks of Markdown and plain text: by section, whole blocks where they fit."""

from __future__ import annotations

from collections.abc import Iterator

from kb_chunk.text_chunks import Group, chunk_groups
from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkModuleSpec,
    ChunkPolicy,
    ChunkRuntime,
    SourceUnit,
    make_policy_hash,
)
from kb_core.errors import ChunkInputError

CHUNKER_VERSION = "md-heading-v1"


class MdHeadingV1Chunker:
    """Chunker for documents of blocks with lines."""

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
        """Group the blocks of each section; no blocks give no chunks.

        Raises:
            ChunkInputError: the document is a recording or a transcript.
        """
        if doc.audio is not None:
            raise ChunkInputError("MdHeadingV1Chunker does not handle recordings and transcripts")
        groups = _sections(doc.source_units(), policy.respect_markdown_headings)
        return list(
            chunk_groups(
                doc,
                groups,
                policy,
                version=CHUNKER_VERSION,
                policy_hash=self.policy_hash(policy),
            )
        )


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
