"""`kb eval asr` with the real command, the real model and real speech."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kb_testing.command import KbCommand
from kb_testing.sound import write_beeps

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

SAID = "And so, my fellow Americans: ask not what your country can do for you."


def test_recordings_with_a_reference_are_measured_and_nothing_is_stored(
    kb: KbCommand, audio_fixtures: Path
) -> None:
    folder = kb.cwd / "spoken" / "en"
    folder.mkdir(parents=True)
    shutil.copy(audio_fixtures / "jfk.wav", folder)
    rest = " Ask what you can do for your country."
    (folder / "jfk.txt").write_text(SAID + rest, encoding="utf-8")
    quiet = kb.cwd / "spoken" / "nonspeech"
    quiet.mkdir()
    write_beeps(quiet / "silence.wav", 3)
    write_beeps(folder / "unknown.wav", 1)
    (folder / "broken.wav").write_bytes(b"RIFF\0\0\0\0WAVEfmt ")
    (folder / "broken.txt").write_text("never heard", encoding="utf-8")

    done = kb.run("eval", "asr", "spoken", "--json")
    assert done.exit_code == 4, done.stderr
    report = done.json
    assert report["schema_version"] == "asr_evaluation.v1"
    assert report["normaliser"] == "kb-eval-1"
    assert [file["path"] for file in report["files"]] == [
        "en/broken.wav",
        "en/jfk.wav",
        "nonspeech/silence.wav",
    ]
    assert "broken.wav" in report["files"][0]["error"]
    assert report["without_reference"] == ["en/unknown.wav"]

    english = report["files"][1]["scores"]
    assert english["wer"]["reference_length"] == 22
    assert english["wer"]["rate"] == english["cer"]["rate"] == 0
    assert (english["language_accuracy"], english["language_count"]) == (1, 1)
    assert english["realtime_factor"] > 0
    assert english["cpu_ms"] > 0
    total = report["total"]
    assert (total["recordings"], total["silent_ms"], total["phantom_words"]) == (2, 3000, 0)
    assert total["phantom_words_per_silent_hour"] == 0
    assert not kb.data_dir.exists()


def test_a_folder_without_references_says_what_is_missing(
    kb: KbCommand, audio_fixtures: Path
) -> None:
    shutil.copy(audio_fixtures / "jfk.wav", kb.cwd)
    for folder, message in (
        (".", f"{kb.cwd}: no recording in it has a reference"),
        ("x", "x: no such folder"),
        ("jfk.wav", "jfk.wav: no folder"),
    ):
        done = kb.run("eval", "asr", folder)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {message}\n")
