"""Units, policies and small models of a document."""

import pytest
from pydantic import TypeAdapter, ValidationError

from kb_core import (
    CanonicalDocument,
    ChunkPolicy,
    CodeBlock,
    HeadingBlock,
    LineSpan,
    ParagraphBlock,
    SourceUnit,
    TimeSpan,
    TranscriptSegment,
    estimate_tokens,
    is_recording,
    segment_ordinal,
    segment_unit_id,
)
from kb_core.media import MediaType
from kb_testing.strategies import audio_document


def lines(start: int, end: int) -> LineSpan:
    return LineSpan(start=start, end=end)


def test_units_of_a_recording_leave_out_what_is_suppressed_or_blank() -> None:
    segments = [
        TranscriptSegment(start_ms=0, end_ms=5, text="kept", speaker="S1"),
        TranscriptSegment(start_ms=5, end_ms=6, text=" \u3000\n"),
        TranscriptSegment(start_ms=6, end_ms=7, text=""),
        TranscriptSegment(start_ms=7, end_ms=8, text="thanks").flagged("suspected_hallucination"),
        TranscriptSegment(start_ms=8, end_ms=9, text="again").flagged("repeated"),
        TranscriptSegment(start_ms=9, end_ms=9, text="moved").flagged("time_repaired"),
    ]
    doc = audio_document(segments)
    block_id = doc.blocks[0].block_id
    assert doc.source_units() == (
        SourceUnit(
            unit_id=f"{block_id}:0",
            block_id=block_id,
            text="kept",
            span=TimeSpan(start_ms=0, end_ms=5),
            speaker="S1",
            kind="segment",
        ),
        SourceUnit(
            unit_id=f"{block_id}:5",
            block_id=block_id,
            text="moved",
            span=TimeSpan(start_ms=9, end_ms=9),
            kind="segment",
        ),
    )


def test_a_recording_without_a_transcript_has_no_units() -> None:
    doc = audio_document([])
    block = doc.blocks[0].model_copy(update={"transcript": None})
    assert doc.model_copy(update={"blocks": (block,)}).source_units() == ()


def test_units_of_a_note_are_its_blocks_with_text() -> None:
    blocks = (
        HeadingBlock(block_id="b0", source_span=lines(1, 1), level=1, text="Plan"),
        ParagraphBlock(block_id="b1", source_span=lines(2, 2), text=" ", heading_path=("Plan",)),
        CodeBlock(block_id="b2", source_span=lines(3, 5), text="x = 1", heading_path=("Plan",)),
    )
    doc = audio_document([]).model_copy(update={"blocks": blocks})
    assert doc.audio is None
    assert [(unit.unit_id, unit.kind, unit.heading_path) for unit in doc.source_units()] == [
        ("b0", "heading", ()),
        ("b2", "code", ("Plan",)),
    ]


def test_a_unit_id_tells_its_segment() -> None:
    assert segment_ordinal(segment_unit_id("ab12", 41)) == 41
    assert segment_ordinal("ab12") is None


def test_a_document_survives_json() -> None:
    doc = audio_document([TranscriptSegment(start_ms=0, end_ms=5, text="회의", speaker="S1")])
    assert CanonicalDocument.model_validate_json(doc.model_dump_json()) == doc


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("abc", 0), ("abcd", 1), ("한글", 1), ("👩", 1)]
)
def test_a_token_is_four_bytes(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_an_overlap_that_reaches_the_budget_is_refused() -> None:
    with pytest.raises(ValidationError, match="must be smaller"):
        ChunkPolicy(chunker_version="v", target_tokens=10, overlap_tokens=10)


@pytest.mark.parametrize(("target", "overlap"), [(500, 80), (100, 25), (3, 0), (1, 0)])
def test_the_default_overlap_fits_any_budget(target: int, overlap: int) -> None:
    policy = ChunkPolicy(chunker_version="v", target_tokens=target)
    assert policy.overlap_tokens == overlap


@pytest.mark.parametrize("media_type", ["audio/mp4", "video/webm", "subtitle", "pdf", "other"])
def test_known_media_types_are_taken(media_type: str) -> None:
    assert TypeAdapter(MediaType).validate_python(media_type) == media_type
    assert is_recording(media_type) == ("/" in media_type)


@pytest.mark.parametrize("media_type", ["audio", "audio/", "text/html", "", "Subtitle"])
def test_unknown_media_types_are_refused(media_type: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(MediaType).validate_python(media_type)
