"""ASS, LRC and TTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kb_core.errors import InputError

Read = Callable[..., Any]

ASS = r"""[Script Info]
Title: not said
; nor this

[V4+ Styles]
Style: Default,Arial,20

[Events]
Format: Start, End, Name, Text
Comment: 0:00:00.00,0:00:01.00,Kim,a note
Dialogue: 0:00:01.05,0:00:02.50,Kim,{\an8\i1}Hi, {smile} a < b\Nsecond\hline
Dialogue: 0:00:03.00,0:00:04.00,,{\p1}m 0 0 l 100 0{\p0}shown
Dialogue: 0:00:xx.00,0:00:06.00,Lee,broken
Dialogue: 0:00:07.00,0:00:08.00,Lee,last
"""


def test_ass_dialogue_is_found_by_the_format_line(read: Read) -> None:
    found = read(ASS, "talk.ass")
    assert found.turns == [
        ("Kim", "Hi, {smile} a < b\nsecond line"),
        (None, "shown"),
        ("Lee", "broken"),
        ("Lee", "last"),
    ]
    assert [cue[:2] for cue in found.cues] == [
        (1050, 2500),
        (3000, 4000),
        (4000, 7000),
        (7000, 8000),
    ]
    assert found.flags == [[], [], ["time_repaired"], []]
    assert found.warnings == ["line 13: a time that cannot be read"]


def test_ssa_without_a_format_line_has_the_usual_fields(read: Read) -> None:
    found = read(
        "[Script Info]\n\n[Events]\n"
        "Dialogue: Marked=0,0:00:01.00,0:00:02.00,Default,Ann,0,0,0,,one, two\n"
    )
    assert found.turns == [("Ann", "one, two")]


def test_lrc_offsets_and_repeated_lines(read: Read) -> None:
    found = read(
        "[ti: A song]\n[ar:nobody]\n[offset: 500]\n[length: 01:20]\n"
        "[00:10.5][00:30.00]la\n[1:07.90]b\n",
        "x.lrc",
    )
    assert found.cues == [(10_000, 29_500, "la"), (29_500, 67_400, "la"), (67_400, 80_000, "b")]
    assert found.document.title == "A song"


def test_a_time_alone_ends_the_line_before(read: Read) -> None:
    found = read("[00:01.00]one\n[00:03.00]\n[00:05.00]two\n")
    assert found.cues == [(1000, 3000, "one"), (5000, 5000, "two")]


def test_lrc_words_have_times_of_their_own(read: Read) -> None:
    found = read("[00:01.00]<00:01.00>one <00:01.50>two\n[00:03.00]three\nno time\n[00:04.00]x\n")
    segment = found.transcript.segments[0]
    assert [(w.start_ms, w.end_ms, w.text) for w in segment.words] == [
        (1000, 1500, "one"),
        (1500, 1500, "two"),
    ]
    assert found.cues[1:3] == [(3000, 4000, "three"), (3000, 4000, "no time")]
    assert found.flags[2] == ["time_repaired"]


def ttml(body: str, head: str = "", attributes: str = "") -> str:
    return (
        f'<?xml version="1.0"?>\n<tt xmlns="http://www.w3.org/ns/ttml" xml:lang="en" {attributes}>'
        f"<head>{head}</head>{body}</tt>"
    )


def test_ttml_times_of_nested_elements_add(read: Read) -> None:
    found = read(
        ttml(
            '<body begin="10s"><div begin="00:00:05"><p begin="500ms" end="1.5s">one<br/>two</p>'
            '<p begin="2s" dur="250ms">thr<span>ee</span></p></div></body>'
        )
    )
    assert found.cues == [(15_500, 16_500, "one\ntwo"), (17_000, 17_250, "three")]
    assert found.document.lang == "en"


@pytest.mark.parametrize(
    ("attributes", "time", "start_ms"),
    [
        ("", "500ms", 500),
        ("", "1.25m", 75_000),
        ("", "00:00:01.0005", 1001),
        ('ttp:frameRate="25"', "00:00:01:05", 1200),
        ('ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"', "30f", 1001),
        ('ttp:tickRate="10000000"', "25000000t", 2500),
    ],
)
def test_ttml_time_expressions(read: Read, attributes: str, time: str, start_ms: int) -> None:
    found = read(ttml(f'<body><p begin="{time}" dur="1s">x</p></body>', attributes=attributes))
    assert found.cues == [(start_ms, start_ms + 1000, "x")]


def test_a_ttml_sequence_counts_from_the_end_of_what_came_before(read: Read) -> None:
    paragraphs = '<p dur="2s">a</p><p begin="1s" dur="1s">b</p>'
    found = read(ttml(f'<body><div timeContainer="seq">{paragraphs}</div></body>'))
    assert found.cues == [(0, 2000, "a"), (3000, 4000, "b")]


def test_ttml_agents_are_speakers_and_the_head_is_not_said(read: Read) -> None:
    head = (
        '<metadata><ttm:title>nothing</ttm:title><ttm:agent xml:id="a" type="person">'
        '<ttm:name type="full">Kim &amp; Lee</ttm:name></ttm:agent></metadata>'
    )
    said = "<metadata>x</metadata>hi&nbsp;there"
    body = f'<body><p begin="1s" end="2s" ttm:agent="a">{said}</p></body>'
    assert read(ttml(body, head)).turns == [("Kim & Lee", "hi\u00a0there")]


def test_a_paragraph_without_a_time_is_kept(read: Read) -> None:
    found = read(
        ttml('<body><p begin="1s" end="2s">a</p><p>b</p><p begin="3s" end="2s">c</p></body>')
    )
    assert found.cues == [(1000, 2000, "a"), (2000, 3000, "b"), (3000, 3000, "c")]
    assert found.flags == [[], ["time_repaired"], ["time_repaired"]]


def test_what_stands_before_a_damaged_place_in_xml_is_kept(read: Read) -> None:
    content = ttml('<body><p begin="1s" end="2s">one</p>\n<p begin="3s" end="4s">two')[:-5]
    found = read(content)
    assert found.texts == ["one", "two"]
    assert found.warnings[0].startswith("line 3: the XML is damaged")


def test_entities_are_never_expanded(read: Read, tmp_path: Any) -> None:
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for declared in (f'<!ENTITY a0 "x">{levels}', f'<!ENTITY a11 SYSTEM "{secret.as_uri()}">'):
        bomb = f'<!DOCTYPE tt [{declared}]><tt><body><p begin="1s">&a11;</p></body></tt>'
        with pytest.raises(InputError, match="declares XML entities"):
            read(bomb)


def test_deep_xml_is_no_problem(read: Read) -> None:
    depth = 100_000
    body = f'<body>{"<div>" * depth}<p begin="1s" end="2s">x</p>{"</div>" * depth}</body>'
    assert read(ttml(body)).cues == [(1000, 2000, "x")]


def test_an_offset_beyond_the_lyrics_moves_them_to_the_beginning(read: Read) -> None:
    found = read("[offset: 5000]\n[00:01.00]one\n[00:04.00]two\n[00:07.00]three\n")
    assert found.cues == [(0, 0, "one"), (0, 2000, "two"), (2000, 2000, "three")]
    assert found.flags == [["time_repaired"], ["time_repaired"], []]
    assert read("[offset: 5000]\n[00:01.00]one\n[00:02.00]\n").cues == [(0, 0, "one")]
