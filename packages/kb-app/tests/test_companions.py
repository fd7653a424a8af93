"""Which subtitle file is a recording's transcript."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_app.companions import companions_of
from kb_source_fs import FoundFile, scan

CUES = "1\n00:00:01,000 --> 00:00:02,000\nhello\n"
WHISPER_JSON = '{"transcription": [{"offsets": {"from": 0, "to": 1000}, "text": "hello"}]}'


def chosen(folder: Path) -> dict[str, str]:
    found = [each for each in scan([folder]) if isinstance(each, FoundFile)]
    pairs = companions_of(found)
    return {path.name: companion.path.name for path, companion in pairs.items()}


def filled(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "name", ["talk.srt", "talk.ko.srt", "talk.zh-Hant.srt", "talk.en.sdh.srt", "talk.mp4.srt"]
)
def test_a_subtitle_of_the_same_stem_is_taken(tmp_path: Path, name: str) -> None:
    assert chosen(filled(tmp_path, **{"talk.mp4": "", name: CUES})) == {"talk.mp4": name}


@pytest.mark.parametrize("name", ["talk2.srt", "talk.part2.srt", "talk - notes.srt", "tal.srt"])
def test_a_subtitle_of_another_name_is_not(tmp_path: Path, name: str) -> None:
    assert chosen(filled(tmp_path, **{"talk.mp4": "", name: CUES})) == {}


def test_the_plainest_name_wins_and_then_the_first(tmp_path: Path) -> None:
    files = {"a.mp4": "", "a.ko.srt": CUES, "a.srt": CUES, "b.mp4": "", "b.ko.srt": CUES}
    assert chosen(filled(tmp_path, **files, **{"b.en.srt": CUES})) == {
        "a.mp4": "a.srt",
        "b.mp4": "b.en.srt",
    }


def test_a_json_file_is_taken_only_if_it_is_a_transcript(tmp_path: Path) -> None:
    files = {"a.mp3": "", "a.json": '{"scale": 1}', "b.mp3": "", "b.json": WHISPER_JSON}
    assert chosen(filled(tmp_path, **files)) == {"b.mp3": "b.json"}


def test_notes_and_empty_files_of_the_same_name_are_left_alone(tmp_path: Path) -> None:
    assert chosen(filled(tmp_path, **{"a.mp3": "", "a.md": "# a", "a.srt": "", "a.txt": "x"})) == {}


def test_a_subtitle_in_another_folder_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    filled(tmp_path / "other", **{"talk.srt": CUES})
    assert chosen(filled(tmp_path, **{"talk.mp4": ""})) == {}
