"""Ids are pinned: a changed recipe would orphan every transcript and embedding ever made.

The values were computed once from the recipes in the design with another JSON encoder.
"""

import unicodedata

import pytest

from kb_core import (
    ChunkPolicy,
    LineSpan,
    PageSpan,
    SourceSpan,
    TimeSpan,
    make_asset_id,
    make_block_id,
    make_chunk_id,
    make_doc_id,
    make_embedding_id,
    make_policy_hash,
    make_transcript_version,
)

ASSET = "8c5603bfda86ec98bf6403a38881188f"
DOC = "1ae01c40f0bb19b0f2aa0e3a648f9344"
BLOCK = "3c8890133a2e1cc13b9fdb7e67cdfbe3"
POLICY = "8677622fd37b98bb"
CHUNK = "1a4da7f4f406a8aa2dfa232f445351e9"
WHOLE = TimeSpan(start_ms=0, end_ms=61_500)


def chunk_id(*spans: SourceSpan, occurrence: int = 0) -> str:
    return make_chunk_id(
        doc_id=DOC,
        chunker_version="audio-segment-v1",
        block_ids=[BLOCK],
        policy_hash=POLICY,
        source_spans=list(spans),
        occurrence=occurrence,
    )


def test_asset_id_is_pinned() -> None:
    assert make_asset_id("ab" * 32) == ASSET


def test_doc_id_is_pinned() -> None:
    doc_id = make_doc_id(
        workspace_path="회의/2026-04-27.m4a", asset_id=ASSET, parser_version="audio-v1"
    )
    assert doc_id == DOC


def test_block_id_is_pinned() -> None:
    block_id = make_block_id(
        doc_id=DOC,
        block_kind="audio_ref",
        heading_path=("A", "나"),
        ordinal=0,
        source_span=WHOLE,
    )
    assert block_id == BLOCK


def test_policy_hash_is_pinned() -> None:
    policy = ChunkPolicy(chunker_version="audio-segment-v1", target_tokens=500, overlap_tokens=0)
    assert make_policy_hash(policy) == POLICY


def test_chunk_id_is_pinned() -> None:
    assert chunk_id(WHOLE) == CHUNK


def test_embedding_id_is_pinned() -> None:
    embedding_id = make_embedding_id(
        chunk_id=CHUNK, model_id="e5", model_version="1", dimensions=384
    )
    assert embedding_id == "a51420b1dce70af257962df5fa4147ce"


def test_transcript_version_is_pinned() -> None:
    version = make_transcript_version(
        engine="whisper.cpp",
        engine_version="1.8.5",
        model_version="ab",
        decoding={"greedy": True, "temperature": 0.0},
        windowing_version="v1",
    )
    assert version == "78b70474b7e10bf22eb8c4c6ecb1c376"


def test_chunks_of_one_recording_differ_by_their_spans_alone() -> None:
    first = chunk_id(TimeSpan(start_ms=0, end_ms=1000))
    second = chunk_id(TimeSpan(start_ms=1000, end_ms=2000))
    assert first != second, "they share document, block, chunker and policy"


def test_chunks_that_are_otherwise_equal_differ_by_occurrence() -> None:
    assert len({chunk_id(WHOLE, occurrence=number) for number in range(3)}) == 3


@pytest.mark.parametrize("path", ["회의.m4a", "é.md", "Å.md", "パ.wav"])
def test_one_name_in_two_unicode_spellings_has_one_id(path: str) -> None:
    ids = {
        make_doc_id(
            workspace_path=unicodedata.normalize(form, path),  # type: ignore[arg-type]
            asset_id=ASSET,
            parser_version="v",
        )
        for form in ("NFC", "NFD")
    }
    assert len(ids) == 1


def test_spans_of_different_kinds_with_equal_numbers_differ() -> None:
    spans = [
        LineSpan(start=1, end=2),
        TimeSpan(start_ms=1, end_ms=2),
        PageSpan(page=1, char_start=1, char_end=2),
        PageSpan(page=1),
    ]
    assert len({chunk_id(span) for span in spans}) == len(spans)


def test_every_setting_of_a_policy_is_in_its_hash() -> None:
    base = {"chunker_version": "a", "target_tokens": 500, "overlap_tokens": 80}
    changes = [
        {},
        {"chunker_version": "b"},
        {"target_tokens": 501},
        {"overlap_tokens": 81},
        {"respect_markdown_headings": False},
        {"min_segments_per_chunk": 2},
        {"options": {"x": 1}},
        {"options": {"x": 2}},
    ]
    hashes = {make_policy_hash(ChunkPolicy.model_validate({**base, **each})) for each in changes}
    assert len(hashes) == len(changes)
