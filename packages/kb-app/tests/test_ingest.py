"""Ingest makes the knowledge base agree with the folder, and repeats nothing that is done."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.library import list_documents, status
from kb_app.search import search
from kb_app.wire import IngestProgressV1, IngestReportV1
from kb_core import CancelToken
from kb_core.errors import ModelMissing, StoreBusy
from kb_testing.fake_transcriber import BeepTranscriber, ScriptedTranscriber
from kb_testing.sound import write_beeps

OpenContainer = Callable[..., Container]


def kinds(report: IngestReportV1) -> dict[str, str]:
    return {item.doc_path: item.kind for item in report.items}


def paths(container: Container) -> list[str]:
    return [document.doc_path for document in list_documents(container).documents]


def test_a_new_recording_is_found(open_container: OpenContainer, workspace: Path) -> None:
    write_beeps(workspace / "talk.wav", 4, [1])
    container = open_container()
    report = ingest(container, [workspace])
    assert kinds(report) == {"talk.wav": "new"}
    (hit,) = search(container, "beep").hits
    assert (hit.citation.path, hit.citation.start_ms) == ("talk.wav", 1000)


def test_unchanged_files_are_skipped_without_asking_the_recogniser(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "talk.wav", 4, [1])
    ingest(open_container(), [workspace])
    recogniser = BeepTranscriber()
    report = ingest(open_container(recogniser), [workspace])
    assert kinds(report) == {"talk.wav": "skipped"}
    assert recogniser.calls == 0


def test_a_touched_file_with_the_same_bytes_is_skipped(
    open_container: OpenContainer, workspace: Path
) -> None:
    recording = write_beeps(workspace / "talk.wav", 4, [1])
    container = open_container()
    ingest(container, [workspace])
    os.utime(recording, (1, 1))
    for _ in range(2):
        assert kinds(ingest(container, [workspace])) == {"talk.wav": "skipped"}


def test_a_changed_file_replaces_its_document(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "talk.wav", 4, [1])
    container = open_container()
    ingest(container, [workspace])
    write_beeps(workspace / "talk.wav", 6, [3])
    (item,) = ingest(container, [workspace]).items
    assert (item.kind, item.reasons) == ("updated", ("content changed",))
    assert [hit.citation.start_ms for hit in search(container, "beep").hits] == [3000]
    assert paths(container) == ["talk.wav"]


def test_a_moved_file_keeps_its_transcript(open_container: OpenContainer, workspace: Path) -> None:
    recording = write_beeps(workspace / "talk.wav", 4, [1])
    ingest(open_container(), [workspace])
    (workspace / "2026").mkdir()
    recording.rename(workspace / "2026" / "meeting.wav")
    recogniser = BeepTranscriber()
    container = open_container(recogniser)
    (item,) = ingest(container, [workspace]).items
    assert (item.kind, item.moved_from) == ("moved", "talk.wav")
    assert recogniser.calls == 0
    assert paths(container) == ["2026/meeting.wav"]


def test_a_copy_is_a_document_of_its_own_that_outlives_the_first(
    open_container: OpenContainer, workspace: Path
) -> None:
    first = write_beeps(workspace / "a.wav", 4, [1])
    (workspace / "b.wav").write_bytes(first.read_bytes())
    recogniser = BeepTranscriber()
    container = open_container(recogniser)
    ingest(container, [workspace])
    assert recogniser.calls == 1
    assert {hit.doc_path for hit in search(container, "beep").hits} == {"a.wav", "b.wav"}
    first.unlink()
    assert kinds(ingest(container, [workspace]))["a.wav"] == "removed"
    assert [hit.doc_path for hit in search(container, "beep").hits] == ["b.wav"]


def test_a_file_that_came_back_is_not_transcribed_again(
    open_container: OpenContainer, workspace: Path
) -> None:
    recording = write_beeps(workspace / "talk.wav", 4, [1])
    content = recording.read_bytes()
    container = open_container()
    ingest(container, [workspace])
    recording.unlink()
    assert kinds(ingest(container, [workspace])) == {"talk.wav": "removed"}
    assert search(container, "beep").hits == ()
    recording.write_bytes(content)
    recogniser = BeepTranscriber()
    assert kinds(ingest(open_container(recogniser), [workspace])) == {"talk.wav": "new"}
    assert recogniser.calls == 0


def test_only_files_under_the_given_folder_are_removed(
    open_container: OpenContainer, workspace: Path
) -> None:
    for folder in ("a", "ab"):
        (workspace / folder).mkdir()
        write_beeps(workspace / folder / f"{folder}.wav", 4, [1])
    container = open_container()
    ingest(container, [workspace])
    for folder in ("a", "ab"):
        (workspace / folder / f"{folder}.wav").unlink()
    assert kinds(ingest(container, [workspace / "a"])) == {"a/a.wav": "removed"}
    assert paths(container) == ["ab/ab.wav"]


def test_a_folder_that_is_not_there_is_an_error_and_removes_nothing(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "talk.wav", 4, [1])
    container = open_container()
    ingest(container, [workspace])
    report = ingest(container, [workspace / "gone"])
    assert (report.errors, report.removed) == (1, 0)
    assert paths(container) == ["talk.wav"]


def test_one_bad_file_does_not_keep_the_others_out(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "a.wav", 4, [1])
    (workspace / "b.mp3").write_bytes(b"<html><body>404</body></html>")
    (workspace / "c.wav").write_bytes(b"RIFF\x04\0\0\0WAVE")
    write_beeps(workspace / "d.wav", 4, [2])
    container = open_container()
    report = ingest(container, [workspace])
    assert kinds(report) == {"a.wav": "new", "b.mp3": "error", "c.wav": "error", "d.wav": "new"}
    assert all(item.error and item.doc_path in item.error for item in report.items[1:3])
    assert paths(container) == ["a.wav", "d.wav"]


def test_a_file_that_turned_bad_keeps_its_stored_document(
    open_container: OpenContainer, workspace: Path
) -> None:
    recording = write_beeps(workspace / "talk.wav", 4, [1])
    container = open_container()
    ingest(container, [workspace])
    recording.write_bytes(b"RIFF\x04\0\0\0WAVE")
    assert kinds(ingest(container, [workspace])) == {"talk.wav": "error"}
    assert len(search(container, "beep").hits) == 1


def test_a_kind_that_nothing_reads_is_passed_over_in_a_folder_and_refused_by_name(
    open_container: OpenContainer, workspace: Path
) -> None:
    drawing = workspace / "drawing.png"
    drawing.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    container = open_container()
    (item,) = ingest(container, [workspace]).items
    assert (item.kind, item.warnings[0].code) == ("skipped", "unsupported_media")
    (item,) = ingest(container, [drawing]).items
    assert (item.kind, item.error_code) == ("error", "unsupported_media")


def test_another_policy_makes_stale_and_cuts_again_without_transcribing(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "talk.wav", 20, [1, 5, 9])
    ingest(open_container(), [workspace])
    smaller = {"chunking.audio.target_tokens": 1}
    recogniser = BeepTranscriber()
    container = open_container(recogniser, settings=smaller)
    (stale,) = status(container).stale
    assert stale.reasons == ("chunk policy changed",)
    (item,) = ingest(container, [workspace]).items
    assert (item.kind, item.chunk_count, recogniser.calls) == ("updated", 3, 0)
    assert status(container).stale == ()


def test_another_model_makes_only_its_documents_stale(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "talk.wav", 4, [1])
    ingest(open_container(), [workspace])
    recogniser = BeepTranscriber(model_version="1" * 64)
    container = open_container(recogniser)
    assert [stale.doc_path for stale in status(container).stale] == ["talk.wav"]
    assert kinds(ingest(container, [workspace])) == {"talk.wav": "updated"}
    assert recogniser.calls == 1


def test_a_file_on_which_the_engine_fails_does_not_keep_the_others_out(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "a.wav", 4, [1])
    write_beeps(workspace / "b.wav", 4, [2])
    write_beeps(workspace / "c.wav", 4, [3])
    beeps = BeepTranscriber()
    recogniser = ScriptedTranscriber(
        lambda window: beeps.transcribe([window], language="en")[0], fail_at_call=2
    )
    container = open_container(recogniser)
    report = ingest(container, [workspace])
    assert kinds(report) == {"a.wav": "new", "b.wav": "error", "c.wav": "new"}
    assert paths(container) == ["a.wav", "c.wav"]


def test_a_missing_model_stops_the_run_and_names_every_file(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "a.wav", 4, [1])
    write_beeps(workspace / "b.wav", 4, [2])
    recogniser = ScriptedTranscriber([], fail_at_call=1, error=ModelMissing("no model tiny"))
    report = ingest(open_container(recogniser), [workspace])
    assert [item.error for item in report.items] == [
        "a.wav: no model tiny",
        "b.wav: not attempted after this error",
    ]
    assert report.items[1].error_code == "not_attempted"


def test_a_file_that_changes_while_it_is_heard_is_an_error_and_poisons_nothing(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "a.wav", 4, [1])
    recording = write_beeps(workspace / "b.wav", 4, [2])
    original = recording.read_bytes()

    def overwrite(progress: IngestProgressV1) -> None:
        if progress.event == "file_done" and progress.doc_path == "a.wav":
            write_beeps(recording, 8, [5])

    report = ingest(open_container(), [workspace], on_progress=overwrite)
    assert kinds(report) == {"a.wav": "new", "b.wav": "error"}
    assert "changed while it was read" in str(report.items[1].error)
    recording.write_bytes(original)
    container = open_container()
    assert kinds(ingest(container, [workspace])) == {"a.wav": "skipped", "b.wav": "new"}
    hits = {hit.doc_path: hit.citation.start_ms for hit in search(container, "beep").hits}
    assert hits == {"a.wav": 1000, "b.wav": 2000}


def test_another_workspace_root_moves_documents_and_removes_none(
    open_container: OpenContainer, workspace: Path
) -> None:
    for folder in ("a", "b"):
        (workspace / folder).mkdir()
        write_beeps(workspace / folder / "talk.wav", 4, [1 if folder == "a" else 2])
    ingest(open_container(), [workspace])
    container = open_container(settings={"workspace.root": workspace / "a"})
    report = ingest(container, [workspace / "a"])
    assert kinds(report) == {"talk.wav": "moved"}
    assert paths(container) == ["b/talk.wav", "talk.wav"]


@pytest.mark.parametrize("spelling", ["link", "recordings/inner/.."])
def test_a_deletion_is_noticed_whatever_the_folder_is_called(
    open_container: OpenContainer, workspace: Path, spelling: str
) -> None:
    (workspace / "recordings" / "inner").mkdir(parents=True)
    (workspace / "link").symlink_to("recordings", target_is_directory=True)
    recording = write_beeps(workspace / "recordings" / "talk.wav", 4, [1])
    container = open_container()
    ingest(container, [workspace / spelling])
    recording.unlink()
    assert kinds(ingest(container, [workspace / spelling])) == {"recordings/talk.wav": "removed"}


def test_a_second_ingest_at_the_same_time_is_refused(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "talk.wav", 4, [1])
    container = open_container()
    refused: list[str] = []

    def ingest_again(progress: IngestProgressV1) -> None:
        if progress.event == "file_started":
            with pytest.raises(StoreBusy) as error:
                ingest(open_container(), [workspace])
            refused.append(error.value.message)

    assert kinds(ingest(container, [workspace], on_progress=ingest_again)) == {"talk.wav": "new"}
    assert len(refused) == 1
    assert "another kb ingest" in refused[0]


def test_a_relative_path_that_nothing_reads_is_refused_by_name(
    open_container: OpenContainer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "notes.xyz").write_text("no recording", encoding="utf-8")
    monkeypatch.chdir(workspace)
    assert kinds(ingest(open_container(), [Path("notes.xyz")])) == {"notes.xyz": "error"}


def test_a_stopped_run_goes_on_where_it_was(open_container: OpenContainer, workspace: Path) -> None:
    windows_s = (10, 55, 100)
    beeps_s = [start_s + 0.7 * place for start_s in windows_s for place in range(25)]
    write_beeps(workspace / "long.wav", 150, beeps_s)
    cancel = CancelToken()

    def stop_after_two_windows(progress: IngestProgressV1) -> None:
        if progress.event == "file_progress" and (progress.done_ms or 0) > 50_000:
            cancel.cancel()

    first = BeepTranscriber()
    report = ingest(
        open_container(first), [workspace], on_progress=stop_after_two_windows, cancel=cancel
    )
    assert report.cancelled
    assert report.items == ()
    second = BeepTranscriber()
    container = open_container(second)
    assert kinds(ingest(container, [workspace])) == {"long.wav": "new"}
    assert first.windows
    assert second.windows
    assert not set(first.windows) & set(second.windows)
    (document,) = list_documents(container).documents
    assert document.segment_count == len(beeps_s)


@pytest.mark.parametrize("beeps_s", [[1], [1, 30], []])
def test_progress_tells_length_speed_and_what_was_reused(
    open_container: OpenContainer, workspace: Path, beeps_s: list[float]
) -> None:
    write_beeps(workspace / "talk.wav", 70, beeps_s)
    events: list[IngestProgressV1] = []
    ingest(open_container(), [workspace], on_progress=events.append)
    of_files = [each for each in events if each.event != "vectors"]
    assert [of_files[0].event, of_files[1].event, of_files[2].event, of_files[-1].event] == [
        "looking",
        "planned",
        "file_started",
        "file_done",
    ]
    assert [each.chunks_embedded for each in events if each.event == "vectors"] == (
        [0, events[-1].chunk_count] if beeps_s else []
    )
    steps = [event for event in events if event.event == "file_progress"]
    assert [event.done_ms for event in steps] == sorted(event.done_ms or 0 for event in steps)
    assert (steps[-1].done_ms, steps[-1].total_ms) == (70_000, 70_000)
    assert steps[-1].eta_ms == 0


def test_a_recording_in_which_nobody_speaks_is_stored_and_says_so(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "silence.wav", 4)
    recogniser = BeepTranscriber()
    container = open_container(recogniser)
    (item,) = ingest(container, [workspace]).items
    assert (item.kind, item.chunk_count, recogniser.calls) == ("new", 0, 0)
    assert [warning.code for warning in item.warnings] == ["no_speech"]
    (document,) = list_documents(container).documents
    assert [warning.code for warning in document.warnings] == ["no_speech"]
    assert kinds(ingest(container, [workspace])) == {"silence.wav": "skipped"}


def test_ignored_files_leave_the_knowledge_base(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "draft.wav", 4, [1])
    container = open_container()
    ingest(container, [workspace])
    (workspace / ".kbignore").write_text("draft*\n", encoding="utf-8")
    assert kinds(ingest(container, [workspace])) == {"draft.wav": "removed"}
