"""Chunks of a transcript: neighbouring segments up to the budget, split where the speaker changes.

Segments are never cut and chunks never overlap, so that every moment of speech is in exactly one
chunk and a chunk's times are those that its segments were heard at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from kb_chunk.module import BuiltInChunker
from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkModuleSpec,
    ChunkPart,
    ChunkPolicy,
    ChunkRuntime,
    SourceSpan,
    SourceUnit,
    estimate_tokens,
    make_chunk_id,
)
from kb_core.chunks import BYTES_PER_TOKEN
from kb_core.errors import ChunkInputError
from kb_core.spans import cover

CHUNKER_VERSION = "audio-segment-v1"
_JOINT = " "


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
        policy_hash = self.policy_hash(policy)
        occurrences: Counter[SourceSpan] = Counter()
        chunks = []
        for index, units in enumerate(_groups(doc.source_units(), policy)):
            # Segments may overlap, and an earlier one may then be the last to end.
            span = cover([unit.span for unit in units])
            chunks.append(
                _chunk(doc, index, units, span, policy_hash, occurrence=occurrences[span])
            )
            occurrences[span] += 1
        return chunks


def _groups(units: Iterable[SourceUnit], policy: ChunkPolicy) -> Iterator[list[SourceUnit]]:
    """Yield runs of units.

    A unit without a speaker beside one with a speaker is a change too: who spoke is not known to be
    the same. Where no unit has one, nothing changes.
    """
    group: list[SourceUnit] = []
    group_bytes = 0
    for unit in units:
        unit_bytes = len(unit.text.encode("utf-8"))
        joined_bytes = group_bytes + len(_JOINT) + unit_bytes
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


def _parts(units: list[SourceUnit]) -> Iterator[ChunkPart]:
    position = 0
    for unit in units:
        length = len(unit.text)
        yield ChunkPart(
            unit_id=unit.unit_id,
            char_start=position,
            char_end=position + length,
            unit_char_start=0,
            unit_char_end=length,
            span=unit.span,
        )
        position += length + len(_JOINT)


def _chunk(
    doc: CanonicalDocument,
    index: int,
    units: list[SourceUnit],
    span: SourceSpan,
    policy_hash: str,
    *,
    occurrence: int,
) -> Chunk:
    text = _JOINT.join(unit.text for unit in units)
    block_ids = (units[0].block_id,)
    return Chunk(
        chunk_id=make_chunk_id(
            doc_id=doc.doc_id,
            chunker_version=CHUNKER_VERSION,
            block_ids=block_ids,
            policy_hash=policy_hash,
            source_spans=[span],
            occurrence=occurrence,
        ),
        doc_id=doc.doc_id,
        index=index,
        block_ids=block_ids,
        unit_ids=tuple(unit.unit_id for unit in units),
        text=text,
        source_spans=(span,),
        parts=tuple(_parts(units)),
        token_estimate=estimate_tokens(text),
        chunker_version=CHUNKER_VERSION,
        policy_hash=policy_hash,
    )
