"""Chunks of whole units: texts, times and ids come from the units."""

from __future__ import annotations

from kb_core import ChunkPart, SourceUnit, TimeSpan, make_chunk_id
from kb_core.unit_chunks import UnitGroup, chunks_of_groups


def unit(place: int, text: str, start_ms: int, end_ms: int) -> SourceUnit:
    span = TimeSpan(start_ms=start_ms, end_ms=end_ms)
    return SourceUnit(unit_id=f"b:{place}", block_id="b", text=text, span=span, kind="segment")


def test_a_group_becomes_one_chunk_up_to_the_latest_end() -> None:
    units = [unit(0, "Hello", 0, 90), unit(1, "to you.", 100, 900), unit(2, "Yes.", 200, 500)]
    (chunk,) = chunks_of_groups(
        "d", [UnitGroup(units, {"title": "A"})], chunker_version="v", policy_hash="p"
    )
    span = TimeSpan(start_ms=0, end_ms=900)
    assert chunk.text == "Hello to you. Yes."
    assert chunk.source_spans == (span,)
    assert chunk.unit_ids == ("b:0", "b:1", "b:2")
    assert chunk.metadata == {"title": "A"}
    assert chunk.parts[1] == ChunkPart(
        unit_id="b:1",
        char_start=6,
        char_end=13,
        unit_char_start=0,
        unit_char_end=7,
        span=units[1].span,
    )
    assert chunk.chunk_id == make_chunk_id(
        doc_id="d",
        chunker_version="v",
        block_ids=["b"],
        policy_hash="p",
        source_spans=[span],
        occurrence=0,
    )


def test_chunks_of_one_moment_have_different_ids() -> None:
    groups = [UnitGroup([unit(place, "yes", 0, 100)]) for place in range(3)]
    chunks = list(chunks_of_groups("d", groups, chunker_version="v", policy_hash="p"))
    assert [chunk.index for chunk in chunks] == [0, 1, 2]
    assert len({chunk.chunk_id for chunk in chunks}) == 3
