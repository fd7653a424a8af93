"""Chunks of a transcript: within the budget, of one speaker, each moment once."""

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_chunk import AudioSegmentV1Chunker
from kb_core import (
    CanonicalDocument,
    Chunk,
    Chunker,
    ChunkPolicy,
    HeadingBlock,
    LineSpan,
    TimeSpan,
    Transcript,
    TranscriptSegment,
    estimate_tokens,
    make_policy_hash,
    run_chunker,
    segment_ordinal,
)
from kb_core.errors import ChunkInputError
from kb_testing.strategies import audio_document, audio_documents, chunk_policies

FIXTURES = Path(__file__).parents[3] / "fixtures" / "audio"
VERSION = "audio-segment-v1"


def policy(target_tokens: int = 500, min_segments: int = 1) -> ChunkPolicy:
    return ChunkPolicy(
        chunker_version=VERSION,
        target_tokens=target_tokens,
        overlap_tokens=0,
        min_segments_per_chunk=min_segments,
    )


def segment(place: int, text: str, speaker: str | None = None) -> TranscriptSegment:
    return TranscriptSegment(
        start_ms=place * 1000, end_ms=place * 1000 + 900, text=text, speaker=speaker
    )


def spoken(*speakers: str | None, text: str = "word") -> CanonicalDocument:
    return audio_document([segment(i, text, who) for i, who in enumerate(speakers)])


def chunks_of(doc: CanonicalDocument, chosen: ChunkPolicy | None = None) -> list[Chunk]:
    return list(run_chunker(AudioSegmentV1Chunker(), doc, chosen or policy()).chunks)


def ordinals(chunks: Sequence[Chunk]) -> list[list[int | None]]:
    return [[segment_ordinal(unit_id) for unit_id in chunk.unit_ids] for chunk in chunks]


def test_it_is_a_chunker() -> None:
    chunker = AudioSegmentV1Chunker()
    assert isinstance(chunker, Chunker)
    assert chunker.chunker_version() == VERSION
    assert chunker.spec.key == VERSION
    assert chunker.policy_hash(policy()) == make_policy_hash(policy())


def test_few_segments_give_one_chunk_over_their_whole_span() -> None:
    doc = audio_document([segment(i, f"part {i}") for i in range(5)])
    (chunk,) = chunks_of(doc)
    assert chunk.text == "part 0 part 1 part 2 part 3 part 4"
    assert chunk.source_spans == (TimeSpan(start_ms=0, end_ms=4900),)
    assert chunk.heading_path == ()
    assert chunk.block_ids == (doc.blocks[0].block_id,)
    assert chunk.token_estimate == len(chunk.text) // 4
    assert chunk.chunker_version == VERSION
    assert chunk.policy_hash == make_policy_hash(policy())
    assert chunk.index == 0
    assert chunk.metadata == {}


def test_many_segments_are_split_and_no_chunk_crosses_a_change_of_speaker() -> None:
    speakers = [*["S1"] * 7, *["S2"] * 6, *["S1"] * 4, *["S3"] * 3]
    doc = audio_document([segment(i, "ten bytes " * 4, who) for i, who in enumerate(speakers)])
    chunks = chunks_of(doc, policy(target_tokens=31))
    assert ordinals(chunks) == [
        [0, 1, 2], [3, 4, 5], [6],
        [7, 8, 9], [10, 11, 12],
        [13, 14, 15], [16],
        [17, 18, 19],
    ]  # fmt: skip
    assert [chunk.index for chunk in chunks] == list(range(8))
    for chunk, numbers in zip(chunks, ordinals(chunks), strict=True):
        assert chunk.source_spans == (
            TimeSpan(start_ms=numbers[0] * 1000, end_ms=numbers[-1] * 1000 + 900),
        )


def test_an_empty_transcript_gives_no_chunks() -> None:
    assert chunks_of(audio_document([])) == []


def test_a_document_without_sound_is_refused() -> None:
    heading = HeadingBlock(block_id="b", source_span=LineSpan(start=1, end=1), level=1, text="Hi")
    note = spoken().model_copy(update={"blocks": (heading,)})
    with pytest.raises(ChunkInputError) as caught:
        AudioSegmentV1Chunker().chunk(note, policy())
    assert str(caught.value) == "AudioSegmentV1Chunker only handles audio docs"


def test_a_recording_without_a_transcript_is_refused() -> None:
    doc = spoken("S1")
    block = doc.blocks[0].model_copy(update={"transcript": None})
    with pytest.raises(ChunkInputError, match="only handles audio docs"):
        AudioSegmentV1Chunker().chunk(doc.model_copy(update={"blocks": (block,)}), policy())


def test_the_same_input_gives_the_same_chunks() -> None:
    first, second = (chunks_of(spoken("S1", "S1", "S2")) for _ in range(2))
    assert first == second


def test_suppressed_and_blank_segments_are_in_no_chunk() -> None:
    doc = audio_document(
        [
            segment(0, "first"),
            segment(1, "first").flagged("repeated"),
            segment(2, " "),
            segment(3, "thanks for watching").flagged("suspected_hallucination"),
            segment(4, "last").flagged("time_repaired"),
        ]
    )
    (chunk,) = chunks_of(doc)
    assert chunk.text == "first last"
    assert chunk.source_spans == (TimeSpan(start_ms=0, end_ms=4900),)


@pytest.mark.parametrize(
    ("target_tokens", "groups"), [(4, [[0, 1, 2]]), (3, [[0, 1], [2]]), (1, [[0], [1], [2]])]
)
def test_a_segment_joins_only_while_the_joined_text_stays_in_the_budget(
    target_tokens: int, groups: list[list[int]]
) -> None:
    doc = audio_document([segment(0, "123456"), segment(1, "12345"), segment(2, "123456")])
    assert estimate_tokens("123456 12345") == 3
    assert estimate_tokens("123456 12345 123456") == 4
    assert ordinals(chunks_of(doc, policy(target_tokens))) == groups


def test_the_budget_counts_the_space_between_segments() -> None:
    doc = audio_document([segment(0, "1234567"), segment(1, "12345678")])
    assert ordinals(chunks_of(doc, policy(3))) == [[0], [1]]


def test_the_budget_counts_bytes_and_not_letters() -> None:
    doc = audio_document([segment(0, "가나다"), segment(1, "라마바")])
    assert ordinals(chunks_of(doc, policy(4))) == [[0, 1]]
    assert ordinals(chunks_of(doc, policy(3))) == [[0], [1]]


def test_a_segment_that_exceeds_the_budget_alone_is_a_chunk_of_its_own() -> None:
    doc = audio_document([segment(0, "short"), segment(1, "x" * 400), segment(2, "short")])
    assert ordinals(chunks_of(doc, policy(10))) == [[0], [1], [2]]


def test_an_unknown_speaker_is_a_speaker_of_its_own_once_any_is_known() -> None:
    assert ordinals(chunks_of(spoken("S1", None, None, "S1"))) == [[0], [1, 2], [3]]
    assert ordinals(chunks_of(spoken(None, None, "S1"))) == [[0, 1], [2]]


def test_without_any_speaker_nothing_is_split() -> None:
    assert ordinals(chunks_of(spoken(None, None, None))) == [[0, 1, 2]]


def test_a_minimum_of_segments_holds_a_split_back() -> None:
    doc = spoken("S1", "S2", "S1", "S1", "S2", "S3")
    assert ordinals(chunks_of(doc, policy(min_segments=1))) == [[0], [1], [2, 3], [4], [5]]
    assert ordinals(chunks_of(doc, policy(min_segments=2))) == [[0, 1], [2, 3], [4, 5]]
    assert ordinals(chunks_of(doc, policy(min_segments=3))) == [[0, 1, 2, 3], [4, 5]]


def test_a_minimum_of_segments_does_not_lift_the_budget() -> None:
    assert ordinals(chunks_of(spoken("S1", "S1"), policy(1, min_segments=9))) == [[0], [1]]


def test_a_chunk_ends_with_the_last_sound_in_it() -> None:
    doc = audio_document(
        [
            TranscriptSegment(start_ms=0, end_ms=9000, text="talks on"),
            TranscriptSegment(start_ms=1000, end_ms=2000, text="interrupts"),
        ]
    )
    assert chunks_of(doc)[0].source_spans == (TimeSpan(start_ms=0, end_ms=9000),)


def test_chunks_of_one_moment_have_ids_of_their_own() -> None:
    segments = [
        TranscriptSegment(start_ms=500, end_ms=500, text="word", speaker=f"S{i % 2}")
        for i in range(6)
    ]
    ids = [chunk.chunk_id for chunk in chunks_of(audio_document(segments))]
    assert len(set(ids)) == 6


def test_renaming_a_speaker_keeps_the_ids() -> None:
    before = [chunk.chunk_id for chunk in chunks_of(spoken("S1", "S2"))]
    assert [chunk.chunk_id for chunk in chunks_of(spoken("지민", "Minsu"))] == before


def test_another_policy_gives_other_ids() -> None:
    doc = spoken("S1")
    assert chunks_of(doc, policy(500))[0].chunk_id != chunks_of(doc, policy(499))[0].chunk_id


def test_audio_snapshot_of_a_meeting() -> None:
    text = (FIXTURES / "transcript-1.json").read_text(encoding="utf-8")
    doc = audio_document(Transcript.model_validate_json(text).segments)
    chunks = chunks_of(doc, policy(target_tokens=40))
    plain = [chunk.model_dump(mode="json") for chunk in chunks]
    made = (json.dumps(plain, ensure_ascii=False, indent=2) + "\n").encode()
    snapshot = FIXTURES / "transcript-1.chunks.json"
    if os.environ.get("KB_UPDATE_SNAPSHOTS") == "1":
        snapshot.write_bytes(made)
    kept = snapshot.read_bytes()
    assert json.loads(made) == json.loads(kept)
    assert made == kept


@given(audio_documents(), chunk_policies(VERSION))
def test_every_segment_is_in_exactly_one_chunk_and_in_order(
    doc: CanonicalDocument, chosen: ChunkPolicy
) -> None:
    chunks = chunks_of(doc, chosen)
    units = {unit.unit_id: unit for unit in doc.source_units()}
    assert [name for chunk in chunks for name in chunk.unit_ids] == list(units)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        inside = [units[name] for name in chunk.unit_ids]
        spans = [unit.span for unit in inside if isinstance(unit.span, TimeSpan)]
        end_ms = max(span.end_ms for span in spans)
        assert chunk.text == " ".join(unit.text for unit in inside)
        assert chunk.source_spans == (TimeSpan(start_ms=spans[0].start_ms, end_ms=end_ms),)
        assert chunk.token_estimate == estimate_tokens(chunk.text)
        assert chunk.token_estimate <= chosen.target_tokens or len(inside) == 1


@given(audio_documents(with_speakers=False), chunk_policies(VERSION))
def test_chunks_are_as_long_as_the_budget_allows(
    doc: CanonicalDocument, chosen: ChunkPolicy
) -> None:
    texts = {unit.unit_id: unit.text for unit in doc.source_units()}
    for chunk, following in pairwise(chunks_of(doc, chosen)):
        joined = f"{chunk.text} {texts[following.unit_ids[0]]}"
        assert estimate_tokens(joined) > chosen.target_tokens


@given(audio_documents(), st.integers(1, 2000))
def test_a_chunk_is_of_one_speaker(doc: CanonicalDocument, target_tokens: int) -> None:
    speakers = {unit.unit_id: unit.speaker for unit in doc.source_units()}
    for chunk in chunks_of(doc, policy(target_tokens)):
        assert len({speakers[name] for name in chunk.unit_ids}) == 1


@settings(max_examples=30)
@given(audio_documents(), chunk_policies(VERSION))
def test_threads_make_no_difference(doc: CanonicalDocument, chosen: ChunkPolicy) -> None:
    chunker = AudioSegmentV1Chunker()
    expected = chunker.chunk(doc, chosen)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: chunker.chunk(doc, chosen), range(4)))
    assert results == [expected] * 4
