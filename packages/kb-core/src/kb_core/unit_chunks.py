"""Chunks whose text is that of their units, joined by a space.

What every module that groups transcript segments shares: ids, times and texts of its chunks come
from here, so that no module makes up its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from kb_core.chunks import Chunk, ChunkPart, estimate_tokens
from kb_core.document import SourceUnit
from kb_core.ids import make_chunk_id
from kb_core.spans import SourceSpan, cover

JOINT = " "
"""Between the texts of two units."""


class UnitGroup(NamedTuple):
    """Units that become one chunk, in document order and at least one, and its metadata."""

    units: Sequence[SourceUnit]
    metadata: Mapping[str, JsonValue] = {}


def chunks_of_groups(
    doc_id: str, groups: Iterable[UnitGroup], *, chunker_version: str, policy_hash: str
) -> Iterator[Chunk]:
    """Yield the chunk of each group, in their order.

    Segments may overlap, and an earlier one may then be the last to end: the span of a chunk runs
    to the latest end of any of its units.
    """
    occurrences: Counter[tuple[tuple[str, ...], SourceSpan]] = Counter()
    for index, group in enumerate(groups):
        parts = tuple(_parts(group.units))
        block_ids = tuple(dict.fromkeys(unit.block_id for unit in group.units))
        span = cover([part.span for part in parts])
        text = JOINT.join(unit.text for unit in group.units)
        yield Chunk(
            chunk_id=make_chunk_id(
                doc_id=doc_id,
                chunker_version=chunker_version,
                block_ids=block_ids,
                policy_hash=policy_hash,
                source_spans=[span],
                occurrence=occurrences[block_ids, span],
            ),
            doc_id=doc_id,
            index=index,
            block_ids=block_ids,
            unit_ids=tuple(part.unit_id for part in parts),
            text=text,
            source_spans=(span,),
            parts=parts,
            token_estimate=estimate_tokens(text),
            chunker_version=chunker_version,
            policy_hash=policy_hash,
            metadata=dict(group.metadata),
        )
        occurrences[block_ids, span] += 1


def _parts(units: Sequence[SourceUnit]) -> Iterator[ChunkPart]:
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
        position += length + len(JOINT)
