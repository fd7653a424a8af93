"""Forgetting documents on purpose, and clearing away what nothing needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.library import list_documents
from kb_app.run_lock import only_ingest
from kb_app.search import search
from kb_app.upkeep import collect_garbage, forget
from kb_core.errors import NotFound, StoreBusy
from kb_testing.fake_transcriber import BeepTranscriber
from kb_testing.sound import write_beeps

OpenContainer = Callable[..., Container]


def paths(container: Container) -> list[str]:
    return [document.doc_path for document in list_documents(container).documents]


def test_a_forgotten_file_stays_out_of_later_ingests(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "secret.wav", 4, [1])
    (workspace / "plan.md").write_text("# plan\n\nthe budget\n")
    container = open_container()
    ingest(container, [workspace])
    report = forget(container, [str(workspace / "secret.wav")])
    assert [each.doc_path for each in report.removed] == ["secret.wav"]
    assert search(container, "beep").hits == ()
    again = ingest(container, [workspace])
    assert paths(container) == ["plan.md"]
    (item,) = [item for item in again.items if item.doc_path == "secret.wav"]
    assert item.kind == "skipped"
    assert "forgotten" in item.warnings[0].message


def test_naming_a_forgotten_file_brings_it_back_without_hearing_it_again(
    open_container: OpenContainer, workspace: Path
) -> None:
    recording = write_beeps(workspace / "talk.wav", 4, [1])
    ingest(open_container(), [workspace])
    forget(open_container(), ["talk.wav"])
    recogniser = BeepTranscriber()
    container = open_container(recogniser)
    assert [item.kind for item in ingest(container, [recording]).items] == ["new"]
    assert recogniser.calls == 0
    assert [item.kind for item in ingest(container, [workspace]).items] == ["skipped"]


def test_a_forgotten_folder_takes_everything_below_it_along(
    open_container: OpenContainer, workspace: Path
) -> None:
    for name in ("a/one.md", "a/b/two.md", "ab/three.md"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("words\n")
    container = open_container()
    ingest(container, [workspace])
    report = forget(container, [str(workspace / "a")])
    assert [each.doc_path for each in report.removed] == ["a/b/two.md", "a/one.md"]
    (workspace / "a" / "later.md").write_text("words\n")
    ingest(container, [workspace])
    assert paths(container) == ["ab/three.md"]


def test_an_unknown_name_forgets_nothing_of_the_others(
    open_container: OpenContainer, workspace: Path
) -> None:
    (workspace / "a.md").write_text("words\n")
    container = open_container()
    ingest(container, [workspace])
    with pytest.raises(NotFound, match=r"no-such\.md"):
        forget(container, ["a.md", "no-such.md"])
    assert paths(container) == ["a.md"]


def test_garbage_is_what_no_document_needs(open_container: OpenContainer, workspace: Path) -> None:
    kept = write_beeps(workspace / "kept.wav", 4, [1])
    gone = write_beeps(workspace / "gone.wav", 5, [2])
    ingest(open_container(), [workspace])
    gone.unlink()
    ingest(open_container(), [workspace])
    container = open_container()
    would = collect_garbage(container, dry_run=True)
    done = collect_garbage(container)
    assert (would.transcripts, done.transcripts, done.windows) == (1, 1, 1)
    assert collect_garbage(container).transcripts == 0
    recogniser = BeepTranscriber()
    forget(open_container(recogniser), ["kept.wav"])
    ingest(open_container(recogniser), [kept])
    assert recogniser.calls == 0


def test_nothing_is_cleared_away_under_a_running_ingest(
    open_container: OpenContainer, workspace: Path
) -> None:
    container = open_container()
    with only_ingest(container.settings.data_dir), pytest.raises(StoreBusy):
        collect_garbage(container)
