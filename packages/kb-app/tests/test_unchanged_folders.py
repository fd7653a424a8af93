"""With many files, an ingest that has nothing to do says so without naming each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.wire import IngestReportV1

OpenContainer = Callable[..., Container]


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb_app.unchanged_folders.MIN_FILES", 3)


@pytest.fixture
def folder(workspace: Path) -> Path:
    (workspace / "sub").mkdir()
    for name in ("one.md", "two.md", "sub/three.md"):
        (workspace / name).write_text(f"words of {name}\n")
    return workspace


def counts(report: IngestReportV1) -> tuple[int, ...]:
    return (report.scanned, report.new, report.updated, report.skipped, report.removed)


def test_nothing_changed_is_counted(open_container: OpenContainer, folder: Path) -> None:
    assert counts(ingest(open_container(), [folder])) == (3, 3, 0, 0, 0)
    again = ingest(open_container(), [folder])
    assert (counts(again), again.items) == ((3, 0, 0, 3, 0), ())


def test_whatever_changed_is_seen(open_container: OpenContainer, folder: Path) -> None:
    ingest(open_container(), [folder])
    (folder / "one.md").unlink()
    assert counts(ingest(open_container(), [folder])) == (2, 0, 0, 2, 1)
    (folder / "four.md").write_text("new\n")
    assert counts(ingest(open_container(), [folder])) == (3, 1, 0, 2, 0)
    (folder / "two.md").write_text("changed\n")
    assert counts(ingest(open_container(), [folder])) == (3, 0, 1, 2, 0)


def test_a_new_policy_makes_unchanged_files_stale(
    open_container: OpenContainer, folder: Path
) -> None:
    ingest(open_container(), [folder])
    smaller = {"chunking.markdown.target_tokens": 50}
    assert ingest(open_container(settings=smaller), [folder]).updated == 3
    assert ingest(open_container(settings=smaller), [folder]).skipped == 3


def test_a_part_of_the_folder_takes_nothing_else_out(
    open_container: OpenContainer, folder: Path
) -> None:
    ingest(open_container(), [folder])
    assert counts(ingest(open_container(), [folder / "sub"])) == (1, 0, 0, 1, 0)
    assert counts(ingest(open_container(), [folder / "one.md"])) == (1, 0, 0, 1, 0)


def test_what_is_left_out_is_still_said(open_container: OpenContainer, folder: Path) -> None:
    (folder / ".cache").mkdir()
    first, again = (ingest(open_container(), [folder]) for _ in range(2))
    left_out = [item for item in first.items if item.doc_path == ".cache"]
    assert again.items == tuple(left_out)
