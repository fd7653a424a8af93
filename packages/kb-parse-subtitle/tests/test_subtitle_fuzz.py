"""No input crashes a reader, makes it hang, or loses a cue."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb_core import Transcript
from kb_core.errors import ConfigError, InputError
from kb_parse_subtitle.formats import read_cues
from kb_parse_subtitle.placing import place

CUE_COUNT = 100_000

SEEDS = {
    "srt": (
        "1\n00:00:01,000 --> 00:00:02,500\n<i>Kim:</i> hi {\\an8}\n\n2\n0:0:4,8 --> 00:00:1x\n42\n"
    ),
    "vtt": (
        "WEBVTT\n\nNOTE x\n\nid\n00:01.000 --> 00:02.000 line:0%\n"
        "<v.a Kim>a<00:01.5><c> b</c>\n\nc\n"
    ),
    "ass": (
        "[Script Info]\n[Events]\nFormat: Start, End, Name, Text\n"
        "Dialogue: 0:00:01.00,0:00:02.00,Kim,{\\p1}m 0{\\p0}a\\Nb\n"
    ),
    "lrc": (
        "[ti:x]\n[offset: 500]\n[00:01.5][00:30.00]<00:01.60>la <00:02>lu\n[1:07.90]b\nplain\n"
    ),
    "ttml": (
        '<tt xml:lang="en"><body begin="1s"><p begin="500ms" dur="1s">a<br/>'
        '<span begin="2f">b</span></p></body></tt>'
    ),
    "sbv": "0:00:01.500,0:00:03.000\nhi[br]there\n\n0:00:03.000,0:00:02.000\nx\n",
    "whisper.cpp": (
        '{"transcription": [{"offsets": {"from": 0, "to": 90}, "text": " hi", "tokens": '
        '[{"text": " hi", "offsets": {"from": 0, "to": 90}, "p": 0.5}]}]}'
    ),
    "segments": (
        '{"language": "korean", "segments": [{"start": 0.5, "end": 1, "text": "hi", '
        '"speaker": "A", "words": [{"word": "hi", "start": 0.5, "score": 1}], '
        '"avg_logprob": -1}]}'
    ),
    "turns": '[{"speaker": "A", "text": "hi", "start": 1, "end": "00:02"}, ["B", "yo"]]',
    "written": (
        "---\nx: y\n---\n# T\n\n**Ann:** \\[01:02\\] hi\n\nBob (00:01:09): yo\n[2:00]\n"
        "Kim  00:03\nx\n"
    ),
}
PIECES = [
    *"\n\r\t []{}<>:;,.-0123456789aK가漢\"'\\&\u2028\x85\0\ufeff\ud7ff",
    *("-->", "00:00:01,000", "[00:01]", "\n\n", "**", "<v ", "</", "&amp;", "&#0;", "\\N"),
    *("NOTE", "STYLE", "WEBVTT", "Dialogue:", "begin=", "null", "1e999", "-1", "&#x110000;"),
    *("[[[", "{{{", "]]>", "<![CDATA[", "<!DOCTYPE x [", "99999999999", "9:99:99", "Name: "),
    *("  " * 20, '"start":', '"text":'),
]
JSON_KEYS = [
    *("segments", "transcription", "text", "words", "start", "end", "speaker", "tokens"),
    *("offsets", "from", "to", "turns", "word", "p", "score", "language", "TURNS", "NAMES"),
    *("UTTERANCES", "timestamps", "avg_logprob"),
]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A file of some format with pieces put in, taken out and doubled."""
    text = draw(st.sampled_from(sorted(SEEDS.values())))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.just(text[start:end] * 3)))
        text = text[:start] + piece + text[end:]
    return text


def read_all(text: str) -> Transcript | None:
    """Read a text as the extractor does; None when it is refused."""
    try:
        read = read_cues(text, "x")
    except (InputError, ConfigError):
        return None
    placed = place(read.cues)
    return Transcript(
        segments=placed.segments,
        engine="file",
        engine_version="1",
        model_id=read.format_name,
        model_version="0" * 64,
        transcript_version="x",
        timed=read.cues.timed,
    )


def check_reading(text: str) -> None:
    transcript = read_all(text)
    assert transcript == read_all(text)
    if transcript is None:
        return
    transcript.model_dump_json().encode("utf-8")
    line_count = len(text.splitlines()) + text.count("\r")
    before_ms = 0
    for segment in transcript.segments:
        assert before_ms <= segment.start_ms <= segment.end_ms
        before_ms = segment.start_ms
        assert segment.text.strip()
        assert "\0" not in segment.text
        assert segment.source_lines is not None
        assert segment.source_lines.end <= max(1, line_count)
        for word in segment.words:
            assert segment.start_ms <= word.start_ms <= word.end_ms <= segment.end_ms


@settings(max_examples=400, deadline=2000, suppress_health_check=[HealthCheck.too_slow])
@given(damaged())
def test_damaged_files_are_read_or_refused(text: str) -> None:
    check_reading(text)


@pytest.mark.long
@settings(max_examples=20_000, deadline=2000, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(damaged(), st.lists(st.sampled_from(PIECES), max_size=60).map("".join)))
def test_many_damaged_files_are_read_or_refused(text: str) -> None:
    check_reading(text)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(JSON_KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=200, deadline=2000)
@given(JSON_VALUES)
def test_json_of_any_shape_is_read_or_refused(value: object) -> None:
    check_reading(json.dumps(value))


Rows = list[tuple[int, int, str]]


def clock(time_ms: int, mark: str) -> str:
    seconds, rest_ms = divmod(time_ms, 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}{mark}{rest_ms:03}"


def as_srt(rows: Rows) -> str:
    cues = (
        f"{number}\n{clock(start, ',')} --> {clock(end, ',')}\n{text}\n"
        for number, (start, end, text) in enumerate(rows, 1)
    )
    return "\n".join(cues)


def as_plain_srt(rows: Rows) -> str:
    return "\n".join(f"{clock(a, ',')} --> {clock(b, ',')}\n{text}\n" for a, b, text in rows)


def as_vtt(rows: Rows) -> str:
    cues = (f"{clock(a, '.')} --> {clock(b, '.')}\n{text}\n" for a, b, text in rows)
    return "\n".join(["WEBVTT\n", *cues])


def as_sbv(rows: Rows) -> str:
    return "\n".join(f"{clock(a, '.')},{clock(b, '.')}\n{text}\n" for a, b, text in rows)


def as_ass(rows: Rows) -> str:
    head = "[Script Info]\n[Events]\nFormat: Start, End, Text\n"
    lines = (
        f"Dialogue: {clock(a, '.')},{clock(b, '.')},{text}".replace("\n", "\\N")
        for a, b, text in rows
    )
    return head + "\n".join(lines)


def as_ttml(rows: Rows) -> str:
    cues = (
        f'<p begin="{a}ms" end="{b}ms">{text}</p>'.replace("\n", "<br/>") for a, b, text in rows
    )
    return f"<tt><body>{''.join(cues)}</body></tt>"


def as_json(rows: Rows) -> str:
    return json.dumps(
        {"segments": [{"start": a / 1000, "end": b / 1000, "text": text} for a, b, text in rows]}
    )


WRITERS: list[Callable[[Rows], str]] = [
    as_srt,
    as_plain_srt,
    as_vtt,
    as_sbv,
    as_ass,
    as_ttml,
    as_json,
]
TEXTS = st.text("abc1 2가\nK", min_size=1, max_size=12).filter(
    lambda text: all(line.strip() and "  " not in line for line in text.split("\n"))
)
# Starts a second apart from each ends: captions that follow at once may be taken to roll.
ROWS = st.lists(
    st.tuples(st.integers(0, 10**7), st.integers(0, 400), TEXTS), min_size=1, max_size=8
)


@settings(max_examples=200, deadline=2000)
@given(ROWS, st.sampled_from(WRITERS))
def test_no_cue_of_a_sound_file_is_lost(rows: Rows, write: Callable[[Rows], str]) -> None:
    rows = [(start * 1000, start * 1000 + length, text) for start, length, text in rows]
    if len({start for start, _, _ in rows}) < len(rows):
        rows = rows[:1]
    transcript = read_all(write(rows))
    assert transcript is not None
    assert [(each.start_ms, each.end_ms, each.text) for each in transcript.segments] == [
        (start, end, "\n".join(line.strip() for line in text.split("\n")))
        for start, end, text in sorted(rows, key=lambda row: row[0])
    ]


def check_speed(write: Callable[[Rows], str], cue_count: int) -> None:
    text = write([(n * 1000, n * 1000 + 900, f"line {n}\nof text") for n in range(cue_count)])
    transcript = read_all(text)
    assert transcript is not None
    assert len(transcript.segments) == cue_count


@pytest.mark.parametrize("write", [as_srt, as_ttml])
def test_thousands_of_cues_are_read_at_once(write: Callable[[Rows], str]) -> None:
    check_speed(write, CUE_COUNT // 5)


@pytest.mark.long
@pytest.mark.parametrize("write", WRITERS)
def test_a_hundred_thousand_cues_are_all_read(write: Callable[[Rows], str]) -> None:
    gc.collect()
    gc.freeze()  # what other tests left behind is not this reader's to look through
    try:
        check_speed(write, CUE_COUNT)
    finally:
        gc.unfreeze()


@pytest.mark.parametrize(
    "text",
    [
        "Kim: a" + " " * 300_000 + "b\nLee: c",
        "Kim" + " " * 300_000 + "(00:01:02): b",
        "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<c>" * 100_000,
        "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<00:01.500>x" * 50_000,
        "1\n00:00:01,000 --> 00:00:02,000\n{" + "\\" * 300_000,
        "1\n00:00:01,000 --> 00:00:02,000\n" + "{" * 300_000,
        "1\n00:00:01,000 --> 00:00:02,000\n" + "<a " * 100_000,
        "[00:01]" * 20_000 + "x",
        "-" + " " * 300_000 + "x\nKim: a",
        "# " + "# " * 200_000 + "x\nKim: a",
        "Kim: " + "[00:01] a " * 20_000,
        "<!--" * 100_000,
        "<tt><body><p>" + "<span>x " * 50_000,
        "\n" * 1_000_000 + "Kim: a",
        "1\n" * 200_000 + "00:00:01,000 --> 00:00:02,000\nx",
        "00:00:09,000 --> 00:00:08,000\nx\n\n" * 10_000,
        '{"segments": [' + '{"text": ' * 20_000,
        "Ann: a\n" * 30_000,
    ],
    ids=range(18),
)
def test_no_text_makes_a_reader_hang(text: str) -> None:
    read_all(text)
