"""Transcripts know which segment each character came from."""

import pytest
from hypothesis import given
from pydantic import ValidationError

from kb_core import SegmentFlag, Transcript, TranscriptSegment, Word
from kb_testing.strategies import transcript_segments


def transcript(*texts: str) -> Transcript:
    return of(
        tuple(
            TranscriptSegment(start_ms=place, end_ms=place, text=text)
            for place, text in enumerate(texts)
        )
    )


def of(segments: tuple[TranscriptSegment, ...]) -> Transcript:
    return Transcript(
        segments=segments,
        engine="e",
        engine_version="1",
        model_id="m",
        model_version="1",
        transcript_version="t",
    )


def test_the_text_is_the_segments_joined_by_a_space() -> None:
    made = transcript("회의를", "시작할게요.", "", "Okay.")
    assert made.text == "회의를 시작할게요.  Okay."
    assert [made.segment_at_char(offset) for offset in range(len(made.text))] == [
        0, 0, 0, 0,
        1, 1, 1, 1, 1, 1, 1,
        2,
        3, 3, 3, 3, 3,
    ]  # fmt: skip


@given(transcript_segments())
def test_every_character_leads_to_its_segment(segments: tuple[TranscriptSegment, ...]) -> None:
    made = of(segments)
    for ordinal, segment in enumerate(segments):
        start, end = made.segment_char_range(ordinal)
        assert made.text[start:end] == segment.text
        is_last = ordinal == len(segments) - 1
        for offset in range(start, end if is_last else end + 1):
            assert made.segment_at_char(offset) == ordinal


@pytest.mark.parametrize("offset", [-1, 3, 99])
def test_an_offset_outside_the_text_is_refused(offset: int) -> None:
    with pytest.raises(IndexError):
        transcript("abc").segment_at_char(offset)
    with pytest.raises(IndexError):
        transcript().segment_at_char(0)


def test_looking_at_the_text_changes_nothing() -> None:
    looked_at, fresh = transcript("a", "b"), transcript("a", "b")
    assert looked_at.text == "a b"
    assert looked_at.segment_at_char(2) == 1
    assert looked_at == fresh
    assert looked_at.model_dump_json() == fresh.model_dump_json()


def test_a_transcript_survives_json() -> None:
    made = of(
        (
            TranscriptSegment(
                start_ms=0,
                end_ms=10,
                text="e\u0301",
                speaker="S1",
                confidence=0.5,
                language="fr",
                words=(Word(start_ms=1, end_ms=2, text="e\u0301"),),
                flags=(SegmentFlag(code="repeated", detail="x"),),
            ),
        )
    )
    assert made.segments[0].text == "é"
    assert Transcript.model_validate_json(made.model_dump_json()) == made


@pytest.mark.parametrize(
    "fields",
    [
        {"start_ms": 5, "end_ms": 4},
        {"start_ms": -1, "end_ms": 4},
        {"start_ms": 0.5, "end_ms": 4},
        {"start_ms": 0, "end_ms": 4, "confidence": 1.5},
        {"start_ms": 0, "end_ms": 4, "colour": "red"},
    ],
)
def test_an_illegal_segment_cannot_be_made(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TranscriptSegment.model_validate({"text": "x", **fields})


def test_a_flag_is_set_once() -> None:
    segment = TranscriptSegment(start_ms=0, end_ms=1, text="x")
    flagged = segment.flagged("time_repaired", "first").flagged("time_repaired", "second")
    assert [flag.detail for flag in flagged.flags] == ["first"]
    assert segment.flags == ()


@pytest.mark.parametrize(
    ("code", "suppressed"),
    [
        ("time_repaired", False),
        ("bytes_repaired", False),
        ("repeated", True),
        ("suspected_hallucination", True),
    ],
)
def test_only_what_may_not_have_been_said_is_suppressed(code: str, suppressed: bool) -> None:
    segment = TranscriptSegment(start_ms=0, end_ms=1, text="x")
    assert segment.flagged(code).suppressed is suppressed  # type: ignore[arg-type]
