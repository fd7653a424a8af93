"""SubRip, SBV and WebVTT: cues, numbers, times, tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kb_core.errors import InputError, NoText

Read = Callable[..., Any]

TWO_CUES = "1\n00:00:01,000 --> 00:00:02,000\nFirst\n\n2\n00:00:03,000 --> 00:00:04,000\nSecond\n"


def srt(*cues: tuple[str, str]) -> str:
    return "\n\n".join(f"{n}\n{time}\n{text}" for n, (time, text) in enumerate(cues, 1)) + "\n"


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_a_byte_order_mark_and_line_ends_change_no_cue(
    read: Read, mark: str, line_end: str
) -> None:
    for content in (TWO_CUES, "WEBVTT\n\n" + TWO_CUES.replace(",", ".")):
        found = read(mark + content.replace("\n", line_end))
        assert found.cues == [(1000, 2000, "First"), (3000, 4000, "Second")]
        assert "\ufeff" not in found.document.model_dump_json()


def test_a_byte_order_mark_in_the_middle_of_a_joined_file_is_no_text(read: Read) -> None:
    found = read(f"\ufeff\ufeff{TWO_CUES}\n\ufeff3\n00:00:05,000 --> 00:00:06,000\nTh\ufeffird\n")
    assert found.texts == ["First", "Second", "Third"]


def test_numbers_that_were_said_stay_text(read: Read) -> None:
    found = read(
        srt(("00:00:01,000 --> 00:00:02,000", "3\n2\n1"), ("00:00:03,000 --> 00:00:04,000", "1999"))
    )
    assert found.texts == ["3\n2\n1", "1999"]


def test_a_file_without_indexes_keeps_a_number_that_is_a_cue(read: Read) -> None:
    content = (
        "00:00:01,000 --> 00:00:02,000\n42\n00:00:03,000 --> 00:00:04,000\n7\n\n"
        "00:00:05,000 --> 00:00:06,000\nend\n"
    )
    assert read(content).texts == ["42", "7", "end"]


def test_no_index_becomes_text_where_the_empty_line_is_missing(read: Read) -> None:
    content = (
        "1\n00:00:01,000 --> 00:00:02,000\nFirst\n2\n00:00:03,000 --> 00:00:04,000\n1999\n"
        "3\n00:00:05,000 --> 00:00:06,000\nThird"
    )
    assert read(content).texts == ["First", "1999", "Third"]


def test_an_empty_line_inside_a_cue_loses_nothing(read: Read) -> None:
    content = (
        "1\n00:00:01,000 --> 00:00:02,000\nFirst\n\nstill first\n\n"
        "2\n00:00:03,000 --> 00:00:04,000\nSecond\n"
    )
    assert read(content).texts == ["First\nstill first", "Second"]


@pytest.mark.parametrize(
    ("line", "start_ms", "end_ms"),
    [
        ("0:0:4,8 --> 100:00:07.45", 4800, 360_007_450),
        ("00:01,5 --> 00:02.25", 1500, 2250),
        ("00:00:01.9996 --> 00:00:59.9996", 2000, 60_000),
        ("00 : 00 : 01,000-->00:00:02,000 X1:10 X2:20", 1000, 2000),
    ],
)
def test_times_are_read_as_they_are_meant(
    read: Read, line: str, start_ms: int, end_ms: int
) -> None:
    assert read(f"1\n{line}\nx\n").cues == [(start_ms, end_ms, "x")]


def test_text_with_an_arrow_is_no_time(read: Read) -> None:
    found = read(
        srt(
            ("00:00:01,000 --> 00:00:02,000", "press File --> Save\na -> b"),
        )
    )
    assert found.texts == ["press File --> Save\na -> b"]


def test_an_arrow_between_words_is_no_damaged_time(read: Read) -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nfirst\nFile --> Save\n\nEdit --> Undo\n"
    assert read(text).texts == ["first\nFile --> Save\nEdit --> Undo"]


def test_a_cue_without_a_time_lies_between_its_neighbours(read: Read) -> None:
    found = read(
        "1\n00:00:01,000 --> 00:00:02,000\nFirst\n\n2\nLost\n\n"
        "3\n00:00:05,000 --> 00:00:06,000\nThird\n"
    )
    assert found.cues == [(1000, 2000, "First"), (2000, 5000, "Lost"), (5000, 6000, "Third")]
    assert found.flags == [[], ["time_repaired"], []]
    assert found.warnings == ["line 5: no time that can be read"]


def test_times_that_cannot_be_read_lose_no_text(read: Read) -> None:
    found = read(
        "WEBVTT\n\n00:01.000 --> 00:02.000\nFirst\n\nxx:03.000 --> 00:04.000\nBroken\n\n"
        "00:05.000 --> 00:0q.000\nOpen\n\n00:07.000 --> 00:08.000\nLast\n"
    )
    assert found.cues == [
        (1000, 2000, "First"),
        (2000, 5000, "Broken"),
        (5000, 7000, "Open"),
        (7000, 8000, "Last"),
    ]
    assert found.flags == [[], ["time_repaired"], ["time_repaired"], []]
    assert [warning.split(":")[0] for warning in found.warnings] == ["line 6", "line 9"]


def test_overlaps_are_kept_in_the_order_of_their_start(read: Read) -> None:
    found = read(
        srt(
            ("00:00:03,300 --> 00:00:05,500", "b"),
            ("00:00:00,200 --> 00:00:01,700", "a"),
            ("00:00:01,000 --> 00:00:04,000", "overlaps"),
            ("00:00:09,000 --> 00:00:08,000", "backwards"),
            ("00:00:03,300 --> 00:00:03,400", "b again"),
        )
    )
    assert found.cues == [
        (200, 1700, "a"),
        (1000, 4000, "overlaps"),
        (3300, 5500, "b"),
        (3300, 3400, "b again"),
        (9000, 9000, "backwards"),
    ]
    assert found.flags[-1] == ["time_repaired"]
    assert found.duration_ms == 9000


def test_the_document_ends_with_the_latest_end(read: Read) -> None:
    found = read(
        srt(("00:00:01,000 --> 00:00:20,000", "long"), ("00:00:02,000 --> 00:00:03,000", "b"))
    )
    assert found.duration_ms == 20_000
    assert found.document.blocks[0].source_span.end_ms == 20_000


def test_only_the_cue_of_a_webvtt_file_is_text(read: Read) -> None:
    found = read(
        "WEBVTT a comment\nKind: captions\nLanguage: ko\n\nSTYLE\n::cue { color: red }\n\n"
        "REGION\nid:fred\n\nNOTE 12\n34\n\nNOTE\n\nnot said either\n\nsome id\n"
        "00:01.000 --> 00:02.000 align:start line:0%\nsaid\n\nNOTE the end\n",
        "talk.vtt",
    )
    assert found.cues == [(1000, 2000, "said")]
    assert found.document.lang == "ko"
    assert found.transcript.model_id == "webvtt"


def test_a_cue_begins_at_its_times_though_no_empty_line_is_before_them(read: Read) -> None:
    found = read(
        "WEBVTT\n00:01.000 --> 00:02.000\none\n00:02.000 --> 00:03.000\ntwo\n \n3\n"
        "00:03.000 --> 00:04.000\nthree\n\nafter an empty line\n"
    )
    assert found.texts == ["one", "two", "three\nafter an empty line"]


@pytest.mark.parametrize(
    ("payload", "turns"),
    [
        ("<v.loud Kim &amp; Lee>1 &lt; 2</v>", [("Kim & Lee", "1 < 2")]),
        ("<v Ann>Hi\nthere</v>", [("Ann", "Hi\nthere")]),
        ("<v Ann>Hi</v> <i>laughs</i>", [("Ann", "Hi laughs")]),
        ("- <v Ann>Hi</v>\n- <v Bob>Yo</v>", [(None, "-"), ("Ann", "Hi\n-"), ("Bob", "Yo")]),
        (
            "<c.red.bg_blue>a</c> <lang en>b</lang> <i.x>c</i>&nbsp;&lrm;&#54620;",
            [(None, "a b c\u00a0\u200e한")],
        ),
        ("<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>だ", [(None, "漢字(かんじ)だ")]),
        ("x <y and z> w, a<b, <3, AT&T &lt", [(None, "x <y and z> w, a<b, <3, AT&T &lt")]),
        ("<yellow>sun</yellow>", [(None, "sun")]),
    ],
)
def test_tags_go_and_voices_are_speakers(
    read: Read, payload: str, turns: list[tuple[str | None, str]]
) -> None:
    assert read(f"WEBVTT\n\n00:01.000 --> 00:02.000\n{payload}\n").turns == turns


def test_only_tags_go_from_subrip(read: Read) -> None:
    text = '{\\an8}<font color="red">Hi</font> {smile} a < b'
    assert read(srt(("00:00:01,000 --> 00:00:02,000", text))).texts == ["Hi {smile} a < b"]


def test_times_inside_a_cue_are_those_of_its_words(read: Read) -> None:
    found = read(
        "WEBVTT\n\n00:00.200 --> 00:02.700\nand<00:00:00.370><c> mister</c><00:00:00.630> john\n"
    )
    words = found.transcript.segments[0].words
    assert [(word.start_ms, word.end_ms, word.text) for word in words] == [
        (200, 370, "and"),
        (370, 630, "mister"),
        (630, 2700, "john"),
    ]


def test_names_before_the_text_are_speakers_where_most_cues_have_one(read: Read) -> None:
    times = ["00:00:01,000 --> 00:00:02,000", "00:00:02,000 --> 00:00:03,000"]
    named = read(srt((times[0], "KIM: Good morning"), (times[1], "이 대리： 네")))
    assert named.turns == [("KIM", "Good morning"), ("이 대리", "네")]
    once = srt((times[0], "Note: bring a coat"), (times[1], "well"), (times[1], "yes"))
    assert read(once).turns[0] == (None, "Note: bring a coat")
    bracketed = srt((times[0], "[SPEAKER_00]: hi"), (times[1], "[applause]"), (times[1], "x"))
    assert read(bracketed).turns[:2] == [("SPEAKER_00", "hi"), (None, "[applause]")]


def test_sbv_is_read_without_an_index(read: Read) -> None:
    found = read("0:00:01.500,0:00:03.000\n1999[br]was\nlong\n\n0:00:03.000,0:00:04.000\nago\n")
    assert found.cues == [(1500, 3000, "1999 was\nlong"), (3000, 4000, "ago")]
    assert found.transcript.model_id == "sbv"


def test_the_content_tells_the_format_and_not_the_name(read: Read) -> None:
    for content, name in (("WEBVTT\n\n00:01.000 --> 00:02.000\nx", "a.srt"), (TWO_CUES, "a.vtt")):
        expected = "webvtt" if content.startswith("W") else "srt"
        assert read(content, name).transcript.model_id == expected


@pytest.mark.parametrize(
    "content", ["", "hello", "WEBVTT\n\n", "1\n00:00:01,000 --> 00:00:02,000\n\n", "<html></html>"]
)
def test_a_file_without_a_single_cue_is_refused_with_a_hint(read: Read, content: str) -> None:
    with pytest.raises(InputError) as caught:
        read(content)
    assert caught.value.hint
    assert isinstance(caught.value, NoText) or "no" in caught.value.reason


def test_the_lines_of_a_cue_are_kept(read: Read) -> None:
    segments = read(TWO_CUES).transcript.segments
    assert [(each.source_lines.start, each.source_lines.end) for each in segments] == [
        (2, 3),
        (6, 7),
    ]


def test_many_damaged_cues_give_few_warnings(read: Read) -> None:
    found = read(srt(*(("00:00:09,000 --> 00:00:08,000", f"x{n}") for n in range(50))))
    assert len(found.texts) == 50
    assert len(found.warnings) == 21
    assert found.warnings[-1] == "30 more places like these"
