"""What `kb export` writes, as text."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from kb_core import (
    CanonicalDocument,
    CodeBlock,
    HeadingBlock,
    ImageRefBlock,
    LineSpan,
    SegmentFlag,
    Transcript,
    TranscriptSegment,
    Word,
)
from kb_core.errors import ExportError
from kb_core.ports.extractor import Exporter
from kb_parse_subtitle import writers
from kb_parse_subtitle.clock import number_ms, seconds_ms
from kb_parse_subtitle.writers.spoken import format_time
from kb_testing.documents import SegmentRow, make_note, make_recording
from kb_testing.strategies import audio_document

EXPORTERS: dict[str, Exporter] = {
    name.removeprefix("write_"): getattr(writers, name) for name in writers.__all__
}
TIMED = ("srt", "vtt", "lrc", "whisperx")
ROWS: list[SegmentRow] = [
    (0, 2000, "안녕하세요.\n배포 일정입니다.", "지민"),
    (3_600_000, 3_661_234, "Is 1 < 2 & <b>3</b>?", "Kim & Lee"),
    (3_700_000, 3_700_000, "  1999  ", None),
]


def recording(rows: Sequence[SegmentRow] = ROWS) -> CanonicalDocument:
    return make_recording("talks/plan.mp3", rows).document


def with_segments(*segments: TranscriptSegment) -> CanonicalDocument:
    return audio_document(segments, workspace_path="meeting.m4a")


UNTIMED: list[SegmentRow] = [(0, 0, "안녕하세요.", "Kim"), (0, 0, "Nobody said\nthis.", None)]


def without_times(rows: Sequence[SegmentRow] = UNTIMED) -> CanonicalDocument:
    document = recording(rows)
    audio = document.audio
    assert audio is not None
    assert audio.transcript is not None
    segments = [
        segment.model_copy(update={"source_lines": LineSpan(start=line, end=line)})
        for line, segment in enumerate(audio.transcript.segments, 1)
    ]
    transcript = Transcript.model_validate(
        {**audio.transcript.model_dump(), "timed": False, "segments": segments}
    )
    block = audio.model_copy(update={"transcript": transcript})
    return document.model_copy(update={"blocks": (block,)})


def test_subrip_numbers_cues_and_puts_speakers_in_front() -> None:
    assert writers.write_srt(recording()) == (
        "1\n00:00:00,000 --> 00:00:02,000\n[지민]: 안녕하세요.\n배포 일정입니다.\n"
        "\n2\n01:00:00,000 --> 01:01:01,234\n[Kim & Lee]: Is 1 < 2 & &lt;b>3&lt;/b>?\n"
        "\n3\n01:01:40,000 --> 01:01:40,000\n1999\n"
    )


def test_webvtt_has_its_language_and_voices() -> None:
    assert writers.write_vtt(recording()) == (
        "WEBVTT\nLanguage: en\n"
        "\n00:00:00.000 --> 00:00:02.000\n<v 지민>안녕하세요.\n배포 일정입니다.</v>\n"
        "\n01:00:00.000 --> 01:01:01.234\n"
        "<v Kim &amp; Lee>Is 1 &lt; 2 &amp; &lt;b&gt;3&lt;/b&gt;?</v>\n"
        "\n01:01:40.000 --> 01:01:40.000\n1999\n"
    )


def test_lrc_ends_a_line_only_where_a_pause_begins() -> None:
    rows: list[SegmentRow] = [
        (0, 2004, "la\nla", "Kim"),
        (2000, 2500, "b", None),
        (60_000, 60_000, "no time", None),
        (67_905, 6_000_000, "c", None),
    ]
    assert writers.write_lrc(recording(rows)) == (
        "[ti:plan.mp3]\n[la:en]\n[00:00.00][Kim]: la la\n[00:02.00]b\n[00:02.50]\n"
        "[01:00.00]no time\n[01:07.91]c\n[100:00.00]\n"
    )


def test_plain_text_marks_the_second_in_which_a_segment_begins() -> None:
    assert writers.write_txt(recording()) == (
        "[00:00:00] 지민: 안녕하세요. 배포 일정입니다.\n"
        "[01:00:00] Kim & Lee: Is 1 < 2 & <b>3</b>?\n"
        "[01:01:40] 1999\n"
    )


def test_markdown_has_a_title_and_paragraphs_by_speaker() -> None:
    assert writers.write_md(
        recording([(62_999, 63_000, "네.", "지민"), (64_000, 65_000, "So", None)])
    ) == ("# plan.mp3\n\n**지민:** \\[00:01:02\\] 네.\n\n**?:** \\[00:01:04\\] So\n")


def test_markdown_says_a_second_once() -> None:
    rows: list[SegmentRow] = [(0, 1, "a", "Kim"), (999, 1000, "b", "Lee"), (1000, 1001, "c", "Kim")]
    assert writers.write_md(recording(rows)) == (
        "# plan.mp3\n\n**Kim:** \\[00:00:00\\] a\n\n**Lee:** b\n\n**Kim:** \\[00:00:01\\] c\n"
    )


def test_whisperx_has_seconds_scores_and_speakers() -> None:
    words = (
        Word(start_ms=1001, end_ms=1100, text="Good", confidence=0.9),
        Word(start_ms=1100, end_ms=2000, text="day."),
    )
    segment = TranscriptSegment(
        start_ms=1001, end_ms=2000, text="Good day.", speaker="Kim", words=words, confidence=0.7
    )
    assert json.loads(writers.write_whisperx(with_segments(segment))) == {
        "language": None,
        "segments": [
            {
                "start": 1.001,
                "end": 2.0,
                "text": "Good day.",
                "speaker": "Kim",
                "words": [
                    {"word": "Good", "start": 1.001, "end": 1.1, "score": 0.9, "speaker": "Kim"},
                    {"word": "day.", "start": 1.1, "end": 2.0, "speaker": "Kim"},
                ],
            }
        ],
    }


def test_whisperx_has_lines_without_blanks_around_them_and_no_empty_segment() -> None:
    document = recording([(0, 1, " a\r\n\r\n b ", None), (1, 2, " \n", "Kim")])
    (segment,) = json.loads(writers.write_whisperx(document))["segments"]
    assert segment == {"start": 0.0, "end": 0.001, "text": "a\nb", "words": []}


def test_the_own_form_gives_back_the_whole_transcript() -> None:
    segment = TranscriptSegment(
        start_ms=1,
        end_ms=2,
        text=" a\n\u2028b ",
        speaker="Kim",
        confidence=0.25,
        language="ko",
        words=(Word(start_ms=1, end_ms=2, text="a", confidence=0.5),),
        flags=(SegmentFlag(code="repeated"), SegmentFlag(code="time_repaired", detail="was 0")),
        source_lines=LineSpan(start=3, end=4),
    )
    document = with_segments(segment, segment.model_copy(update={"flags": ()}))
    assert document.audio is not None
    fields = json.loads(writers.write_json(document))
    transcript = {name: fields[name] for name in Transcript.model_fields}
    assert Transcript.model_validate_json(json.dumps(transcript)) == document.audio.transcript
    assert fields["schema_version"] == "transcript.v1"
    assert fields["doc_id"] == document.doc_id
    assert fields["metadata"] == document.metadata.model_dump(mode="json")


def test_what_was_not_said_is_in_the_own_form_only_unless_it_is_kept() -> None:
    suspect = TranscriptSegment(
        start_ms=5000,
        end_ms=6000,
        text="Thanks for watching",
        flags=(SegmentFlag(code="suspected_hallucination"),),
    )
    said = TranscriptSegment(start_ms=0, end_ms=1000, text="Good morning")
    document = with_segments(said, suspect)
    keeping = document.metadata.model_copy(update={"keeps_suspects": True})
    kept = document.model_copy(update={"metadata": keeping})
    for name, export in EXPORTERS.items():
        assert ("Thanks for watching" in export(document)) == (name == "json"), name
        assert "Thanks for watching" in export(kept), name
        assert "Good morning" in export(document), name


@pytest.mark.parametrize("name", TIMED)
def test_a_format_that_needs_times_refuses_what_has_none(name: str) -> None:
    for document in (without_times(), make_note("a.md", ["one"]).document):
        with pytest.raises(ExportError, match=document.workspace_path) as caught:
            EXPORTERS[name](document)
        assert "--format txt" in (caught.value.hint or "")


def test_a_transcript_without_times_is_written_without_marks() -> None:
    document = without_times()
    assert writers.write_txt(document) == "Kim: 안녕하세요.\n?: Nobody said this.\n"
    assert (
        writers.write_md(document)
        == "# plan.mp3\n\n**Kim:** 안녕하세요.\n\n**?:** Nobody said this.\n"
    )
    assert json.loads(writers.write_json(document))["timed"] is False


def test_other_documents_are_the_texts_of_their_blocks() -> None:
    document = make_note("a.md", ["Plan", "    indented\n", " \n", "\n  - 배포\n  - b"]).document
    text = "Plan\n\n    indented\n\n  - 배포\n  - b\n"
    assert writers.write_md(document) == writers.write_txt(document) == text
    assert CanonicalDocument.model_validate_json(writers.write_json(document)) == document


def test_markdown_marks_headings_code_and_pictures() -> None:
    note = make_note("a.md", ["x"]).document
    place = note.blocks[0].model_dump(include={"block_id", "source_span"})
    blocks = (
        HeadingBlock(level=2, text="Set\ntwo", **place),
        CodeBlock(text="  a = 1\n```", language="py", **place),
        CodeBlock(text="b", **place),
        ImageRefBlock(text="alt", target="a b.png", **place),
        ImageRefBlock(text="", target="p.png", **place),
        ImageRefBlock(text="alt", target="p.png", **place),
    )
    document = note.model_copy(update={"blocks": blocks})
    assert writers.write_md(document) == (
        "## Set two\n\n````py\n  a = 1\n```\n````\n\n```\nb\n```\n\n"
        "![alt](<a b.png>)\n\n![](p.png)\n\n![alt](p.png)\n"
    )
    assert writers.write_txt(document) == "Set\ntwo\n\n  a = 1\n```\n\nb\n\nalt\n\nalt\n"


@pytest.mark.parametrize("name", EXPORTERS)
def test_every_format_ends_in_one_newline_and_is_the_same_again(name: str) -> None:
    export = EXPORTERS[name]
    for document in (recording(), recording([]), recording([(0, 1, " \n", "Kim")])):
        text = export(document)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert text == export(document)
        assert "\r" not in text


def test_an_empty_segment_is_no_cue() -> None:
    document = recording([(0, 1, " \n", "Kim")])
    assert (writers.write_srt(document), writers.write_txt(document)) == ("\n", "\n")
    assert writers.write_vtt(document) == "WEBVTT\nLanguage: en\n"


@pytest.mark.parametrize(
    ("time_ms", "text"),
    [
        (0, "00:00:00.000"),
        (59_999, "00:00:59.999"),
        (360_007_450, "100:00:07.450"),
        (3_600_000 * 1234 + 61_001, "1234:01:01.001"),
    ],
)
def test_hours_have_as_many_digits_as_they_need(time_ms: int, text: str) -> None:
    assert format_time(time_ms) == text
    assert format_time(time_ms, decimal_mark=",") == text.replace(".", ",")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.9996, "00:00:02.000"), (59.9996, "00:01:00.000"), (4.8, "00:00:04.800")],
)
def test_seconds_are_rounded_once_when_they_are_read(seconds: float, text: str) -> None:
    time_ms = seconds_ms(seconds)
    assert time_ms is not None
    assert format_time(time_ms) == text


def test_seconds_in_json_stand_for_their_milliseconds() -> None:
    for time_ms in (*range(0, 3000, 7), 359_999_999, 3_600_001_001):
        assert number_ms(json.loads(json.dumps(time_ms / 1000)), 1000) == time_ms


@pytest.mark.parametrize(
    ("text", "speaker", "shown"),
    [
        ("a*b snake_case _x_ <i> `c` [d] & &amp; \\[ \\n", "Kim",
         r"**Kim:** a\*b snake_case \_x\_ \<i> \`c\` \[d] & \&amp; \\\[ \n"),
        ("12:30 is noon", "Kim", r"**Kim:** 12\:30 is noon"),
        ("see [12:30] there", "Kim", r"**Kim:** see \[12\:30] there"),
        ("Note: bring", None, r"Note\: bring"),
        ("# x", None, r"\# x"),
        ("1. x", None, r"1\. x"),
        ("1.5 is 3:2", "SPEAKER_00", r"**SPEAKER_00:** 1.5 is 3:2"),
    ],
)  # fmt: skip
def test_markdown_shows_what_was_said_and_not_what_it_looks_like(
    text: str, speaker: str | None, shown: str
) -> None:
    document = without_times([(0, 0, text, speaker)])
    assert writers.write_md(document) == f"# plan.mp3\n\n{shown}\n"
