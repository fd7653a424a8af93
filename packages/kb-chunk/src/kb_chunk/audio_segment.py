"""Chunks of a transcript: neighbouring segments up to the budget, split where the speaker changes.

Segments are never cut and chunks never overlap, so that every moment of speech is in exactly one
chunk and a chunk's times are those that its segments were heard at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kb_chunk.module import BuiltInChunker
from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkModuleSpec,
    ChunkPolicy,
    ChunkRuntime,
    SourceUnit,
)
from kb_core.chunks import BYTES_PER_TOKEN
from kb_core.errors import ChunkInputError
from kb_core.unit_chunks import JOINT, UnitGroup, chunks_of_groups

CHUNKER_VERSION = "audio-segment-v1"


class AudioSegmentV1Chunker(BuiltInChunker):
    """Chunker for recordings, subtitle files and transcripts."""

    spec = ChunkModuleSpec(key=CHUNKER_VERSION, version=CHUNKER_VERSION, requires=("transcript",))

    def chunk(
        self, doc: CanonicalDocument, policy: ChunkPolicy, runtime: ChunkRuntime | None = None
    ) -> list[Chunk]:
        """Group the segments of a transcript; no segments give no chunks.

        The speaker is no part of a chunk: renaming one must not change its id.

        Raises:
            ChunkInputError: the document holds no transcript.
        """
        if doc.audio is None or doc.audio.transcript is None:
            raise ChunkInputError("AudioSegmentV1Chunker only handles audio docs")
        groups = (UnitGroup(units) for units in _groups(doc.source_units(), policy))
        return list(
            chunks_of_groups(
                doc.doc_id,
                groups,
                chunker_version=self.chunker_version(),
                policy_hash=self.policy_hash(policy),
            )
        )


def _groups(units: Iterable[SourceUnit], policy: ChunkPolicy) -> Iterator[list[SourceUnit]]:
    """Yield runs of units.

    A unit without a speaker beside one with a speaker is a change too: who spoke is not known to be
    the same. Where no unit has one, nothing changes.
    """
    group: list[SourceUnit] = []
    group_bytes = 0
    for unit in units:
        unit_bytes = len(unit.text.encode("utf-8"))
        joined_bytes = group_bytes + len(JOINT) + unit_bytes
        is_full = joined_bytes // BYTES_PER_TOKEN > policy.target_tokens
        if group and (is_full or _turn_ends(group, unit, policy)):
            yield group
            group, group_bytes = [], 0
        group_bytes = joined_bytes if group else unit_bytes
        group.append(unit)
    if group:
        yield group


def _turn_ends(group: list[SourceUnit], unit: SourceUnit, policy: ChunkPolicy) -> bool:
    is_long_enough = len(group) >= policy.min_segments_per_chunk
    return is_long_enough and unit.speaker != group[-1].speaker
