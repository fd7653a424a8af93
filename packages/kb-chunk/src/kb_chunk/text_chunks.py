"""Chunks from packed stretches: ids, spans, and all that the chunkers of text share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kb_chunk.text_parts import Packer, Stretch, text_and_parts
from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkPart,
    ChunkPolicy,
    SourceSpan,
    SourceUnit,
    estimate_tokens,
    make_chunk_id,
)
from kb_core.spans import cover

Group = tuple[tuple[str, ...], Sequence[SourceUnit]]
"""A heading path, and neighbouring units that may share a chunk."""

_Key = tuple[tuple[str, ...], SourceSpan]


def chunk_groups(
    doc: CanonicalDocument,
    groups: Iterable[Group],
    policy: ChunkPolicy,
    *,
    version: str,
    policy_hash: str,
) -> Iterator[Chunk]:
    """Yield the chunks of a document whose units are grouped; none crosses a group."""
    occurrences: Counter[_Key] = Counter()
    index = 0
    for heading_path, units in groups:
        for stretches in Packer(policy).pack(units):
            text, parts = text_and_parts(stretches)
            if not parts:
                continue
            block_ids = _block_ids(stretches, parts)
            span = cover([part.span for part in parts])
            key = (block_ids, span)
            yield Chunk(
                chunk_id=make_chunk_id(
                    doc_id=doc.doc_id,
                    chunker_version=version,
                    block_ids=block_ids,
                    policy_hash=policy_hash,
                    source_spans=[span],
                    occurrence=occurrences[key],
                ),
                doc_id=doc.doc_id,
                index=index,
                block_ids=block_ids,
                unit_ids=tuple(part.unit_id for part in parts),
                text=text,
                heading_path=heading_path,
                source_spans=(span,),
                parts=parts,
                token_estimate=estimate_tokens(text),
                chunker_version=version,
                policy_hash=policy_hash,
            )
            occurrences[key] += 1
            index += 1


def _block_ids(stretches: Sequence[Stretch], parts: Sequence[ChunkPart]) -> tuple[str, ...]:
    blocks = {stretch.unit.unit_id: stretch.unit.block_id for stretch in stretches}
    return tuple(dict.fromkeys(blocks[part.unit_id] for part in parts))
