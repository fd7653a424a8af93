"""Chunks of notes and papers: whole where they fit, cut at good places where not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kb_chunk import AudioSegmentV1Chunker, MdHeadingV1Chunker, PdfPageV1Chunker
from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkPolicy,
    LineSpan,
    PageSpan,
    TranscriptSegment,
    run_chunker,
)
from kb_core.errors import ChunkInputError
from kb_testing.strategies import audio_document
from kb_testing.text_documents import BlockRow, note_document, paper_document

KEY = "md-heading-v1"


def chunks_of(
    rows: list[BlockRow], target_tokens: int = 500, overlap_tokens: int = 0
) -> tuple[Chunk, ...]:
    return chunked(note_document(rows), target_tokens, overlap_tokens)


def chunked(
    document: CanonicalDocument, target_tokens: int = 500, overlap_tokens: int = 0
) -> tuple[Chunk, ...]:
    policy = ChunkPolicy(
        chunker_version=KEY, target_tokens=target_tokens, overlap_tokens=overlap_tokens
    )
    return run_chunker(MdHeadingV1Chunker(), document, policy).chunks


def texts(chunks: tuple[Chunk, ...]) -> list[str]:
    return [chunk.text for chunk in chunks]


def test_a_section_is_a_chunk_under_its_path() -> None:
    rows = [
        ("h1", "Plan"),
        ("paragraph", "one"),
        ("h2", "배포"),
        ("list", "- a\n- b"),
        ("h2", "End"),
    ]
    chunks = chunks_of(rows)
    assert texts(chunks) == ["Plan\n\none", "배포\n\n- a\n- b", "End"]
    assert [chunk.heading_path for chunk in chunks] == [
        ("Plan",),
        ("Plan", "배포"),
        ("Plan", "End"),
    ]
    assert chunks[1].source_spans == (LineSpan(start=5, end=8),)


def test_a_code_block_that_fits_is_whole_and_a_longer_one_is_cut_at_lines() -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(20))
    fits = chunks_of([("paragraph", "Some words before it."), ("code", code)], 60)
    assert texts(fits) == ["Some words before it.", code]
    cut = chunks_of([("code", code)], 30)
    assert len(cut) > 1
    assert [line for chunk in cut for line in chunk.text.split("\n")] == code.split("\n")


def test_a_table_keeps_its_rows_whole() -> None:
    table = "\n".join(f"| row {number} | some cells of it |" for number in range(12))
    rows = [row for chunk in chunks_of([("table", table)], 25) for row in chunk.text.split("\n")]
    assert rows == table.split("\n")


def test_a_long_paragraph_is_cut_between_sentences_and_repeats_the_last_one() -> None:
    sentences = [f"This is sentence number {number} of the text." for number in range(12)]
    chunks = chunks_of([("paragraph", " ".join(sentences))], 40, 12)
    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        assert before.text.endswith(".")
        repeated = after.text[: after.text.index(".") + 1]
        assert before.text.endswith(repeated)
        assert len(repeated) // 4 <= 12


def test_a_part_cites_its_own_lines() -> None:
    lines = [f"Line {number} is a sentence." for number in range(1, 11)]
    chunks = chunks_of([("paragraph", "\n".join(lines))], 16)
    for chunk in chunks:
        (span,) = chunk.source_spans
        assert isinstance(span, LineSpan)
        assert chunk.text == "\n".join(lines[span.start - 1 : span.end])


def test_text_without_spaces_ends_within_the_budget() -> None:
    for text in ("x" * 5000, "가" * 8000):
        chunks = chunks_of([("paragraph", text)], 10, 2)
        assert "".join(texts(chunks)) == text
        assert max(chunk.token_estimate for chunk in chunks) <= 10


@pytest.mark.parametrize(
    "cluster",
    ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0323\u0301", "\U0001f1f0\U0001f1f7"],
)
def test_no_cluster_is_cut_however_small_the_budget(cluster: str) -> None:
    for target_tokens in (1, 3, 10):
        chunks = chunks_of([("paragraph", cluster * 300)], target_tokens)
        assert "".join(texts(chunks)) == note_text(cluster * 300)
        assert all(not chunk.text.replace(note_text(cluster), "") for chunk in chunks)


def note_text(text: str) -> str:
    document = note_document([("paragraph", text)])
    return document.source_units()[0].text


def test_repeated_words_are_placed_by_position() -> None:
    text = ("ab " * 50).strip()
    chunks = chunks_of([("paragraph", text)], 5)
    starts = [chunk.parts[0].unit_char_start for chunk in chunks]
    assert starts == sorted(set(starts))
    for chunk in chunks:
        part = chunk.parts[0]
        assert text[part.unit_char_start : part.unit_char_end] == chunk.text


def test_lines_that_end_in_long_addresses_lose_nothing() -> None:
    lines = [
        f"{number}번 자료는 https://example.org/{'a' * 200}?n={number}" for number in range(60)
    ]
    chunks = chunks_of([("list", "\n".join(lines))], 120)
    assert max(chunk.token_estimate for chunk in chunks) <= 120
    assert [line for chunk in chunks for line in chunk.text.split("\n")] == lines


def test_equal_paragraphs_have_ids_of_their_own_that_stay() -> None:
    rows = [("h1", "a"), ("paragraph", "same"), ("h1", "a"), ("paragraph", "same")]
    first, again = chunks_of(rows), chunks_of(rows)
    assert len({chunk.chunk_id for chunk in first}) == 2
    assert first == again


def test_a_chunk_of_a_paper_never_crosses_a_page() -> None:
    document = paper_document([["One.", "Two."], [], ["Three."]])
    policy = ChunkPolicy(chunker_version="pdf-page-v1")
    chunks = run_chunker(PdfPageV1Chunker(), document, policy).chunks
    assert texts(chunks) == ["One.\n\nTwo.", "Three."]
    assert [chunk.source_spans for chunk in chunks] == [
        (PageSpan(page=1, char_start=0, char_end=10),),
        (PageSpan(page=3, char_start=0, char_end=6),),
    ]


def test_a_transcript_without_times_is_cut_by_lines() -> None:
    segments = [
        TranscriptSegment(
            start_ms=0,
            end_ms=0,
            text=f"turn {number}",
            speaker="A" if number < 3 else "B",
            source_lines=LineSpan(start=number, end=number),
        )
        for number in range(1, 5)
    ]
    document = audio_document(segments)
    audio = document.audio
    assert audio is not None
    assert audio.transcript is not None
    untimed = audio.transcript.model_copy(update={"timed": False})
    document = document.model_copy(
        update={"blocks": (audio.model_copy(update={"transcript": untimed}),)}
    )
    policy = ChunkPolicy(chunker_version="audio-segment-v1", overlap_tokens=0)
    chunks = run_chunker(AudioSegmentV1Chunker(), document, policy).chunks
    assert [chunk.source_spans for chunk in chunks] == [
        (LineSpan(start=1, end=2),),
        (LineSpan(start=3, end=4),),
    ]


def test_a_recording_is_no_note() -> None:
    with pytest.raises(ChunkInputError):
        MdHeadingV1Chunker().chunk(audio_document([]), ChunkPolicy(chunker_version=KEY))
    with pytest.raises(ChunkInputError):
        PdfPageV1Chunker().chunk(
            note_document([("paragraph", "x")]), ChunkPolicy(chunker_version=KEY)
        )
