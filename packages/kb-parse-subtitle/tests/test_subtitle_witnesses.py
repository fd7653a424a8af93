"""On sound files, two libraries read the same as this package does."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_parse_subtitle.clock import clock_ms
from kb_parse_subtitle.formats import read_cues
from kb_parse_subtitle.placing import place

pysubs2: Any = pytest.importorskip("pysubs2")
webvtt: Any = pytest.importorskip("webvtt")

Rows = list[tuple[int, int, str]]
FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "subtitles"

# Whole centiseconds, which ASS can hold, a second apart.
ROWS = st.lists(
    st.tuples(st.integers(0, 3000), st.integers(0, 40), st.text("ab 가K.", min_size=1, max_size=9)),
    min_size=1,
    max_size=6,
    unique_by=lambda row: row[0],
)


def ours(text: str) -> Rows:
    segments = place(read_cues(text, "x").cues).segments
    return [(each.start_ms, each.end_ms, each.text) for each in segments]


@settings(max_examples=100, deadline=2000)
@given(ROWS, st.sampled_from(["srt", "vtt", "ass", "ttml"]))
def test_what_pysubs2_writes_is_read_as_it_was(rows: Rows, form: str) -> None:
    subs = pysubs2.SSAFile()
    for start, length, text in rows:
        start_ms = start * 1000
        subs.append(pysubs2.SSAEvent(start=start_ms, end=start_ms + length * 10, text=text))
    expected = [
        (start * 1000, start * 1000 + length * 10, " ".join(text.split()))
        for start, length, text in sorted(rows)
        if text.strip()
    ]
    if expected:
        found = ours(subs.to_string(form))
        assert [(a, b, " ".join(text.split())) for a, b, text in found] == expected


def test_webvtt_py_reads_a_sound_file_the_same(read_file: Callable[[Path], Any]) -> None:
    path = FIXTURES / "webvtt_example_03.vtt"
    captions = webvtt.from_buffer(io.StringIO(path.read_text())).captions
    found = read_file(path).transcript.segments
    assert [(each.speaker, each.text) for each in found] == [
        (caption.voice, caption.text) for caption in captions
    ]
    clocks = [caption.start for caption in captions]
    assert [each.start_ms for each in found] == [clock_ms(clock) for clock in clocks]


@pytest.mark.parametrize("name", ["sonnet001.utf16le_bom_crlf.srt"])
def test_pysubs2_reads_a_real_file_the_same(name: str, read_file: Callable[[Path], Any]) -> None:
    subs = pysubs2.SSAFile.from_string((FIXTURES / name).read_text("utf-16"), format_="srt")
    found = read_file(FIXTURES / name)
    assert found.cues == [(event.start, event.end, event.plaintext) for event in subs]
