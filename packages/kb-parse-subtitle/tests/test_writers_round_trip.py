"""What kb writes it reads back: the same cues, the same speakers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import TranscriptSegment
from kb_core.errors import InputError
from kb_core.ports.extractor import Exporter
from kb_parse_subtitle.formats import read_cues
from kb_parse_subtitle.placing import place
from kb_parse_subtitle.writers import (
    write_json,
    write_lrc,
    write_md,
    write_srt,
    write_txt,
    write_vtt,
    write_whisperx,
)
from kb_testing.strategies import audio_document, spoken_text, unicode_text

EXACT = (write_srt, write_vtt, write_whisperx, write_json)


class Said(NamedTuple):
    start_ms: int
    end_ms: int
    text: str
    speaker: str | None


def written_and_read(
    export: Exporter, segments: tuple[TranscriptSegment, ...]
) -> tuple[TranscriptSegment, ...]:
    return place(read_cues(export(audio_document(segments)), "talk").cues).segments


def said(segments: Iterable[TranscriptSegment]) -> list[Said]:
    return [Said(each.start_ms, each.end_ms, each.text, each.speaker) for each in segments]


def hostile_text() -> st.SearchStrategy[str]:
    """Text with everything that a subtitle format gives a meaning to."""
    syntax = st.sampled_from(
        ["\n", "\n\n", "\r\n", "\r", " ", "1", "1999", "-->", "->", "00:01 --> 00:02", "{\\an8}",
         "00:00:01,000 --> 00:00:02,500", "00:01.0 -> 00:02.0", "<b>", "</b>", "<i", "<v Kim>",
         "<00:00:01.000>", "a < b > c", "<3", "&amp;", "&lt;b&gt;", "&#60;", "AT&T", "&nbsp;",
         "{smile}", "{", "}", "\\N", '"', "'", "NOTE", "STYLE", "WEBVTT", "# x", "\u2028", "\u00a0",
         "<rt>", "<br>", "--", ">", "「早い。」", "배포", "好。", "\ufeff"]
    )  # fmt: skip
    piece = st.one_of(syntax, spoken_text(), unicode_text(max_size=4))
    return st.lists(piece, min_size=1, max_size=6).map("".join)


def names() -> st.SearchStrategy[str | None]:
    odd = [
        "Kim & Lee",
        "a: b",
        "[x]",
        "[{\\x}]",
        "<b>",
        "{\\x}",
        "x" * 80,
        "지민",
        "&lt;",
        " S1 ",
        "O'Hara",
        "-",
    ]
    return st.one_of(st.none(), st.sampled_from(["Kim", *odd]), unicode_text(max_size=4))


def segments_apart() -> st.SearchStrategy[tuple[TranscriptSegment, ...]]:
    """Segments with pauses between them, so that none goes on where the one before it stood."""
    row = st.tuples(st.integers(300, 5_000_000), st.integers(0, 200_000), hostile_text(), names())
    return st.lists(row, min_size=1, max_size=5).map(_in_order)


def _in_order(rows: list[tuple[int, int, str, str | None]]) -> tuple[TranscriptSegment, ...]:
    steps = [0, *(number for row in rows for number in row[:2])]
    times = list(accumulate(steps))[1:]
    return tuple(
        TranscriptSegment(
            start_ms=times[2 * at], end_ms=times[2 * at + 1], text=text, speaker=speaker
        )
        for at, (_, _, text, speaker) in enumerate(rows)
    )


def as_stated(segments: tuple[TranscriptSegment, ...]) -> list[Said]:
    """Apply the rule for text: no controls, no blanks around lines, no empty lines."""
    found = []
    for each in said(segments):
        text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]", "", each.text)
        lines = [line.strip() for line in re.split("\r\n|\r|\n", text)]
        name = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]", "", each.speaker or "")
        text = "\n".join(line for line in lines if line)
        if text:
            found.append(each._replace(text=text, speaker=" ".join(name.split()) or None))
    return found


LIKE_A_LABEL = re.compile(r"(-\s*)?(\[[^\]]*\]|[^\W\d_a-z][^\n:：]{0,38})\s*[:：]")
LIKE_A_MARK = re.compile(r"[\[<]\s*\d+:|->")


@given(segments_apart())
def test_webvtt_gives_back_every_cue_and_speaker(segments: tuple[TranscriptSegment, ...]) -> None:
    assert said(written_and_read(write_vtt, segments)) == as_stated(segments)


@given(segments_apart())
def test_subrip_gives_back_every_cue_and_speaker(segments: tuple[TranscriptSegment, ...]) -> None:
    expected = as_stated(segments)
    if not expected or any(
        each.speaker is None and LIKE_A_LABEL.match(each.text) for each in expected
    ):
        return  # what nobody is known to have said, and names somebody: it is read as it looks
    assert said(written_and_read(write_srt, segments)) == expected


@given(segments_apart())
def test_whisperx_gives_back_every_cue_and_speaker(
    segments: tuple[TranscriptSegment, ...],
) -> None:
    expected = as_stated(segments)
    if expected:  # without a segment it is no transcript
        assert said(written_and_read(write_whisperx, segments)) == expected


@given(segments_apart())
def test_lrc_gives_back_text_speaker_and_hundredths(
    segments: tuple[TranscriptSegment, ...],
) -> None:
    expected = [
        ((each.start_ms + 5) // 10 * 10, " ".join(each.text.split("\n")), _bracketed(each.speaker))
        for each in as_stated(segments)
    ]
    for _, text, speaker in expected:
        if LIKE_A_MARK.search(text) or (speaker is None and LIKE_A_LABEL.match(text)):
            return  # there is no escape
    if expected:
        found = said(written_and_read(write_lrc, segments))
        assert [(each.start_ms, each.text, each.speaker) for each in found] == expected


def _bracketed(speaker: str | None) -> str | None:
    return None if re.search(r"[\[\]:]", speaker or "") or len(speaker or "") > 60 else speaker


@pytest.mark.parametrize("export", [write_txt, write_md])
@given(
    texts=st.lists(spoken_text(), min_size=4, max_size=8),
    speakers=st.lists(st.sampled_from(["Kim", "지민", "SPEAKER_00"]), min_size=8, max_size=8),
    seconds=st.lists(st.integers(0, 9_000), min_size=8, max_size=8),
)
def test_text_for_people_gives_back_turns_and_seconds(
    export: Exporter, texts: list[str], speakers: list[str], seconds: list[int]
) -> None:
    rows = zip(accumulate(seconds), texts, speakers, strict=False)
    segments = tuple(
        TranscriptSegment(
            start_ms=second * 1000 + 999, end_ms=second * 1000 + 1000, text=text, speaker=speaker
        )
        for second, text, speaker in rows
    )
    found = said(each for each in written_and_read(export, segments) if each.speaker)
    assert [(each.start_ms + 999, each.text, each.speaker) for each in found] == [
        (each.start_ms, each.text, each.speaker) for each in said(segments)
    ]


@given(
    text=hostile_text(),
    speaker=st.sampled_from([None, "Kim"]),
)
def test_markdown_gives_back_any_text(text: str, speaker: str | None) -> None:
    segment = TranscriptSegment(start_ms=5000, end_ms=6000, text=text, speaker=speaker)
    for expected in as_stated((segment,)):
        *_, found = said(written_and_read(write_md, (segment,)))
        assert (found.start_ms, found.speaker) == (5000, speaker)
        assert found.text.split() == expected.text.split()


@pytest.mark.parametrize("export", EXACT)
@given(segments=segments_apart())
def test_a_file_that_was_read_is_written_and_read_the_same(
    export: Exporter, segments: tuple[TranscriptSegment, ...]
) -> None:
    if not as_stated(segments):
        return
    first = written_and_read(export, segments)
    assert said(written_and_read(export, first)) == said(first)


@pytest.fixture(scope="session")
def shared_files() -> list[Path]:
    """Real subtitles and transcripts; tests that need them skip where they are absent."""
    data = Path(__file__).resolve().parents[4] / "shared" / "data"
    files = [path for name in ("subtitles", "transcripts") for path in (data / name).rglob("*.*")]
    if not files:
        pytest.skip("the shared data are not on this machine")
    return sorted(path for path in files if path.suffix in (".srt", ".vtt", ".sbv", ".json", ".md"))


@pytest.mark.parametrize("export", EXACT)
def test_every_real_file_is_read_written_and_read_the_same(
    export: Exporter,
    shared_files: list[Path],
    read_file: Callable[[Path], Any],
    read: Callable[..., Any],
) -> None:
    count = 0
    for path in shared_files:
        try:
            document = read_file(path).document
        except InputError:
            continue
        transcript = document.audio.transcript
        if not transcript.timed and export is not write_json:
            continue
        count += 1
        again = read(export(document), name="talk").transcript
        assert said(again.segments) == said(transcript.segments), path.name
        assert again.language == transcript.language or export is write_srt, path.name
    assert count > 10


def test_every_real_transcript_in_markdown_keeps_its_turns_and_marks(
    shared_files: list[Path], read_file: Callable[[Path], Any], read: Callable[..., Any]
) -> None:
    paths = [path for path in shared_files if path.suffix == ".md"]
    for path in paths:
        document = read_file(path).document
        first = [each for each in said(document.audio.transcript.segments) if each.speaker]
        again = read(write_md(document), name="talk.md").transcript.segments
        expected = [each._replace(text=" ".join(each.text.split("\n"))) for each in first]
        assert [each for each in said(again) if each.speaker not in (None, "?")] == expected
        assert len(expected) > 20
    assert len(paths) > 1
