"""Written transcripts: turns, marks, lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Read = Callable[..., Any]


def test_turns_without_marks_have_lines_and_no_times(read: Read) -> None:
    found = read("MATT: Welcome.\nEverybody.\n\nSAM: Are we: in sync?\n", "x.txt")
    assert found.turns == [("MATT", "Welcome.\nEverybody."), ("SAM", "Are we: in sync?")]
    assert not found.transcript.timed
    spans = [found.transcript.segment_span(n) for n in range(2)]
    assert [(span.start, span.end) for span in spans] == [(1, 2), (4, 4)]
    assert found.duration_ms == 0


def test_between_two_marks_the_stretch_that_holds_the_moment_is_cited(read: Read) -> None:
    found = read(
        "**Ann Lee:** Hello.\n\n\\[02:01\\] First.\n\nSecond paragraph.\n\n"
        "**Bob:** Yes. \\[laughs\\]\n\n"
        "**Ann Lee:** \\[1:00:05\\] Last, and [1:00:09] the end.\n",
        "x.md",
    )
    assert [(speaker, text) for speaker, text in found.turns] == [
        ("Ann Lee", "Hello."),
        ("Ann Lee", "First."),
        ("Ann Lee", "Second paragraph."),
        ("Bob", "Yes. [laughs]"),
        ("Ann Lee", "Last, and"),
        ("Ann Lee", "the end."),
    ]
    assert [cue[:2] for cue in found.cues] == [
        (0, 121_000),
        (121_000, 3_605_000),
        (121_000, 3_605_000),
        (121_000, 3_605_000),
        (3_605_000, 3_609_000),
        (3_609_000, 3_609_000),
    ]
    between = ["time_between_marks"]
    assert found.flags == [between, [], between, between, [], []]


@pytest.mark.parametrize(
    "content",
    [
        "[00:01:02] Ann: hi\n[00:01:09] Bob Lee: yo",
        "Ann (00:01:02): hi\nBob Lee (1:09): yo",
        "Ann [01:02]: hi\n\nBob Lee [01:09]: yo",
        "Ann  00:01:02\nhi\n\nBob Lee  00:01:09\nyo\n",
        "Ann (01:02)\nhi\nBob Lee (01:09)\nyo\n",
        "**Ann** (01:02): hi\n\n**Bob Lee** (01:09): yo",
        "**Ann:** [01:02] hi\n\n**Bob Lee:** [01:09] yo",
        "- **Ann** [01:02]: hi\n- **Bob Lee** [01:09]: yo",
    ],
)
def test_every_usual_form_of_name_and_time_is_read(read: Read, content: str) -> None:
    found = read(content, "x.txt")
    assert found.turns == [("Ann", "hi"), ("Bob Lee", "yo")]
    assert found.cues == [(62_000, 69_000, "hi"), (69_000, 69_000, "yo")]
    assert found.flags == [[], []]


def test_names_in_any_script_are_speakers(read: Read) -> None:
    found = read("김 부장: 회의를 시작합시다.\n박 대리： 네.\n王さん：はい\nSPEAKER_00: ok\n")
    assert [speaker for speaker, _ in found.turns] == ["김 부장", "박 대리", "王さん", "SPEAKER_00"]
    bold = read("**SPEAKER_00:** ok\n\nplain: no name here\n", "x.md")
    assert bold.turns == [("SPEAKER_00", "ok"), ("SPEAKER_00", "plain: no name here")]


def test_a_colon_in_a_sentence_begins_no_turn(read: Read) -> None:
    found = read(
        "Ann: I said this to him:\nhere is the thing: we wait.\nNote: do not go.\n"
        "And then, he said: go.\nBob: Fine.\nsee http://x.org: it is there\nAnn: Yes.\n"
    )
    assert [speaker for speaker, _ in found.turns] == ["Ann", "Bob", "Ann"]


def test_headings_and_front_matter_are_nobodys(read: Read) -> None:
    found = read("---\ntitle: x\n---\n# A talk\n\nAnn: hi\n\n---\n\n## Two\n\nBob: yo\n", "x.md")
    assert found.turns == [("Ann", "hi"), (None, "Two"), ("Bob", "yo")]
    assert found.document.title == "A talk"
    assert found.transcript.segments[0].source_lines.start == 6


def test_a_mark_out_of_order_moves_no_other(read: Read) -> None:
    found = read("[00:10] Al: a\n\n[59:00] Bo: b\n\n[00:20] Al: c\n\n[00:30] Bo: d\n")
    assert found.cues == [
        (10_000, 20_000, "a"),
        (10_000, 20_000, "b"),
        (20_000, 30_000, "c"),
        (30_000, 30_000, "d"),
    ]
    assert found.flags == [[], ["time_repaired"], [], []]
    assert found.warnings == ["line 3: a time mark out of order"]


def test_a_line_that_is_only_a_time_is_a_mark(read: Read) -> None:
    found = read("0:00\nfirst words\n0:05\nand more\n")
    assert found.cues == [(0, 5000, "first words"), (5000, 5000, "and more")]
