"""Measuring transcribes for real, and neither reads nor writes the knowledge base."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app import plugins
from kb_app.container import Container
from kb_app.evaluation import evaluate_asr
from kb_app.ingest import ingest
from kb_app.transcribe import load_recogniser, recordings_below, transcribe_file
from kb_core.errors import FeatureMissing, InputError, UnreadableFile, UnsupportedMedia
from kb_testing.fake_transcriber import BeepTranscriber
from kb_testing.sound import write_beeps

OpenContainer = Callable[..., Container]


def test_transcribing_stores_nothing_and_uses_nothing_stored(
    open_container: OpenContainer, workspace: Path
) -> None:
    transcriber = BeepTranscriber()
    container = open_container(transcriber)
    recording = write_beeps(workspace / "a.wav", 10, [2])
    ingest(container, [recording])
    stored = list(container.store.dump_reproducible_rows())
    for _ in range(2):
        calls = transcriber.calls
        measured = transcribe_file(container, recording)
        assert [segment.text for segment in measured.transcript.segments] == ["beep"]
        assert measured.duration_ms == 10_000
        assert transcriber.calls > calls
    assert list(container.store.dump_reproducible_rows()) == stored


def test_loading_hears_a_second_of_silence(open_container: OpenContainer) -> None:
    transcriber = BeepTranscriber()
    assert load_recogniser(open_container(transcriber)) >= 0
    assert transcriber.windows == [(0, 16_000)]


def test_recordings_are_found_by_content_or_name_and_kb_leaves_itself_out(
    open_container: OpenContainer, workspace: Path
) -> None:
    container = open_container()
    root = workspace.parent
    write_beeps(workspace / "b.wav", 1)
    write_beeps(workspace / "a", 1)
    write_beeps(container.settings.data_dir / "mine.wav", 1)
    (workspace / "damaged.mp3").write_bytes(b"")
    (workspace / "b.txt").write_text("beep", encoding="utf-8")
    found = [path.relative_to(workspace).as_posix() for path in recordings_below(container, root)]
    assert found == ["a", "b.wav", "damaged.mp3"]


def test_what_is_no_recording_is_not_transcribed(
    open_container: OpenContainer, workspace: Path
) -> None:
    (workspace / "notes.txt").write_text("hello", encoding="utf-8")
    (workspace / "page.mp3").write_text("<!doctype html><html></html>", encoding="utf-8")
    for name in ("notes.txt", "page.mp3"):
        with pytest.raises(UnsupportedMedia):
            transcribe_file(open_container(), workspace / name)
    with pytest.raises(UnreadableFile):
        transcribe_file(open_container(), workspace / "none.wav")


def test_what_is_no_folder_is_not_evaluated(open_container: OpenContainer, workspace: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        evaluate_asr(open_container(), workspace / "none")


def test_without_its_package_an_evaluation_says_what_to_install(
    open_container: OpenContainer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugins, "_names", lambda _group: ())
    with pytest.raises(FeatureMissing, match="kb-eval is not installed"):
        evaluate_asr(open_container(), workspace)
