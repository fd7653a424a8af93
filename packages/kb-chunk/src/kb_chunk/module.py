"""What the chunk modules of this package have in common: a version that is their key."""

from __future__ import annotations

from collections.abc import Iterable

from kb_chunk.text_chunks import Group, chunk_groups
from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkModuleSpec,
    ChunkPolicy,
    ChunkRuntime,
    make_policy_hash,
)


class BuiltInChunker:
    """Versions and policies of a module; the cutting is its own."""

    spec: ChunkModuleSpec

    def chunker_version(self) -> str:
        """Return the version that goes into every chunk id."""
        return self.spec.version

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return 16 hex characters that stand for the policy."""
        return make_policy_hash(policy)


class TextChunker(BuiltInChunker):
    """A module that packs the blocks of each of its groups."""

    def groups(self, doc: CanonicalDocument, policy: ChunkPolicy) -> Iterable[Group]:
        """Return the units that may share chunks, in document order.

        Raises:
            ChunkInputError: the module does not handle such documents.
        """
        raise NotImplementedError

    def chunk(
        self, doc: CanonicalDocument, policy: ChunkPolicy, runtime: ChunkRuntime | None = None
    ) -> list[Chunk]:
        """Cut `doc`; no blocks give no chunks.

        Raises:
            ChunkInputError: the module does not handle such documents.
        """
        return list(
            chunk_groups(
                doc,
                self.groups(doc, policy),
                policy,
                version=self.chunker_version(),
                policy_hash=self.policy_hash(policy),
            )
        )
