"""Where the source units of a chunk stand in its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from kb_core.chunks import Chunk
from kb_core.document import SourceUnit, segment_ordinal
from kb_core.spans import TimeSpan

UnitRow = tuple[str, str, int | None, int, int, int | None, int | None, str | None]
"""unit_id, block_id, segment ordinal, range in the chunk, range in the unit, exact span as JSON."""

JOINTS = (" ", "\n\n")
"""What chunkers put between units: transcript segments, and blocks."""


def locate_units(chunk_text: str, unit_texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the half-open code-point range of each unit.

    Found by adding lengths, never by searching: the same sentence may be there twice. A text that
    is not its units put together (one that holds a part of a unit, say) gives every unit the whole
    text as its range, which is true, if not exact.
    """
    for joint in JOINTS:
        if joint.join(unit_texts) == chunk_text:
            lengths = [len(text) + len(joint) for text in unit_texts]
            starts = accumulate(lengths[:-1], initial=0)
            return [
                (start, start + len(text)) for start, text in zip(starts, unit_texts, strict=True)
            ]
    return [(0, len(chunk_text))] * len(unit_texts)


def chunk_unit_rows(chunk: Chunk, units: Mapping[str, SourceUnit]) -> Iterator[UnitRow]:
    """Yield what is stored of each unit of a chunk, in order.

    The time of a segment is not repeated here: it stands in the segment's own row, where it may
    still be mended.
    """
    if not chunk.parts:
        members = [units[unit_id] for unit_id in chunk.unit_ids]
        ranges = locate_units(chunk.text, [unit.text for unit in members])
        for unit, (start, end) in zip(members, ranges, strict=True):
            ordinal = segment_ordinal(unit.unit_id)
            yield unit.unit_id, unit.block_id, ordinal, start, end, None, None, None
        return
    for part in chunk.parts:
        yield (
            part.unit_id,
            units[part.unit_id].block_id,
            segment_ordinal(part.unit_id),
            part.char_start,
            part.char_end,
            part.unit_char_start,
            part.unit_char_end,
            None if isinstance(part.span, TimeSpan) else part.span.model_dump_json(),
        )
