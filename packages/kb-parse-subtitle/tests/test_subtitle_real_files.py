"""Files that people made: each is read whole, or refused for a reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb_core import Transcript
from kb_core.errors import InputError

ReadFile = Callable[..., Any]
REPOSITORY = Path(__file__).resolve().parents[3]
SHARED = REPOSITORY.parent / "shared" / "data"
FIXTURES = REPOSITORY / "fixtures" / "subtitles"

COUNTS = {
    "cs231n_14_en.srt": 598,
    "cs231n_14_ko.cp949.srt": 596,
    "cs231n_14_ko.srt": 596,
    "webvtt_example_01.vtt": 13,
    "webvtt_example_02.vtt": 5,
    "webvtt_example_03.vtt": 13,
    "sonnet001.utf16le_bom_crlf.srt": 15,
    "sonnet001.utf8_bom.srt": 15,
    "rolling_youtube_shape.vtt": 11,
    "captions_with_bom.vtt": 4,
    "comments.vtt": 3,
    "cue_tags.vtt": 3,
    "invalid_timeframe.srt": 5,
    "invalid_timeframe.vtt": 7,
    "metadata_headers_multiline.vtt": 2,
    "missing_caption_text.vtt": 4,
    "missing_timeframe.srt": 5,
    "sample.sbv": 5,
    "styles.vtt": 1,
    "using_identifiers.vtt": 6,
    "youtube_dl.vtt": 3,
    "practical-ai-12.md": 48,
    "the-changelog-466.md": 67,
    "C1E104_turns0000-0299.json": 300,
    "C1E104_turns0000-0299.txt": 300,
    "C2E001_turns0100-0499.json": 400,
    "C2E001_turns0100-0499.txt": 400,
    "C2E001_turns0100-0499.vtt": 858,
    "ES2011a.json": 276,
    "IS1003b.json": 407,
}
REFUSED = {
    "C1E104_turns0000-0299.summary_spans.json": "no transcript",
    "C2E001_turns0100-0499.summary_spans.json": "no transcript",
    "4341191.nlp.gz": "no text",
}


def shared(kind: str) -> list[Path]:
    return sorted(path for path in (SHARED / kind).rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def shared_files() -> dict[str, Path]:
    if not SHARED.is_dir():
        pytest.skip("the shared data are not on this machine")
    return {path.name: path for kind in ("subtitles", "transcripts") for path in shared(kind)}


def test_every_shared_file_is_read_or_refused(
    shared_files: dict[str, Path], read_file: ReadFile
) -> None:
    assert set(shared_files) == COUNTS.keys() | REFUSED.keys()
    counts = {}
    for name, path in shared_files.items():
        if name in REFUSED:
            with pytest.raises(InputError, match=REFUSED[name]) as caught:
                read_file(path)
            assert caught.value.hint
            continue
        found = read_file(path)
        counts[name] = len(found.transcript.segments)
        check_timeline(found.transcript, found.duration_ms)
    assert counts == COUNTS


def check_timeline(transcript: Transcript, duration_ms: int) -> None:
    before_ms = 0
    for segment in transcript.segments:
        assert before_ms <= segment.start_ms <= segment.end_ms <= duration_ms
        before_ms = segment.start_ms
        assert segment.text.strip()
        for word in segment.words:
            assert segment.start_ms <= word.start_ms <= word.end_ms <= segment.end_ms


def test_the_same_lecture_in_cp949_says_the_same(
    shared_files: dict[str, Path], read_file: ReadFile
) -> None:
    in_utf8 = read_file(shared_files["cs231n_14_ko.srt"])
    in_cp949 = read_file(shared_files["cs231n_14_ko.cp949.srt"])
    assert in_cp949.cues == in_utf8.cues
    assert in_cp949.document.metadata.encoding == "cp949"
    assert in_cp949.document.lang == in_utf8.document.lang == "ko"


def test_turns_of_one_episode_are_the_same_in_json_and_text(
    shared_files: dict[str, Path], read_file: ReadFile
) -> None:
    name = "C1E104_turns0000-0299"
    in_json, in_text = (read_file(shared_files[f"{name}.{end}"]) for end in ("json", "txt"))
    assert in_json.turns == in_text.turns
    assert not in_json.transcript.timed
    assert {each.source_lines.end for each in in_json.transcript.segments} == {1}
    last = in_text.transcript.segments[-1].source_lines
    assert (last.start, last.end) == (300, 300)


def test_each_word_of_rolling_captions_comes_once_with_its_first_time(
    read_file: ReadFile,
) -> None:
    found = read_file(FIXTURES / "rolling_youtube_shape.vtt")
    words = found.transcript.text.split()
    reference = (FIXTURES / "rolling_youtube_shape.txt").read_text().split()
    assert words == reference
    first, second = found.transcript.segments[:2]
    assert [(w.start_ms, w.text) for w in first.words[:3]] == [
        (200, "and"),
        (370, "mister"),
        (630, "john"),
    ]
    assert (second.start_ms, second.words[0].start_ms, second.words[0].text) == (2710, 2710, "to")


def test_a_meeting_export_keeps_its_speakers(read_file: ReadFile) -> None:
    found = read_file(FIXTURES / "webvtt_example_03.vtt")
    assert found.turns[0] == ("Speaker A", "OK,\nI think now we should be recording")
    assert found.turns[2] == (None, "Good.")
    assert {speaker for speaker, _ in found.turns} == {"Speaker A", "Speaker B", None}


def test_broken_times_of_real_files_lose_no_text(read_file: ReadFile) -> None:
    no_time = read_file(FIXTURES / "missing_timeframe.srt")
    assert no_time.cues[1] == (7000, 11_890, "Caption text #2")
    assert no_time.warnings == ["line 5: no time that can be read"]
    bad_time = read_file(FIXTURES / "invalid_timeframe.vtt")
    assert bad_time.cues[1] == (7000, 11_890, "Caption text #2")
    assert bad_time.flags[1] == ["time_repaired"]
    backwards = read_file(FIXTURES / "sample.sbv")
    assert backwards.cues[-1] == (17_484, 17_484, "Caption text #5")


def test_captions_of_youtube_without_their_repetitions(read_file: ReadFile) -> None:
    found = read_file(FIXTURES / "youtube_dl.vtt")
    assert found.texts == ["yeah", "what", "this will happen is I'm telling"]
