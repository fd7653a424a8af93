"""A folder that is followed agrees with the knowledge base after each rest."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app.container import Container
from kb_app.library import list_documents
from kb_app.watching import follow
from kb_app.wire import IngestReportV1
from kb_core import CancelToken
from kb_core.errors import InputError

OpenContainer = Callable[..., Container]
PATIENCE_S = 30.0


def kinds(report: IngestReportV1) -> dict[str, str]:
    return {item.doc_path: item.kind for item in report.items}


class Followed:
    """A watch in a thread, whose reports are waited for."""

    def __init__(self, open_it: Callable[[], Container], folder: Path) -> None:
        self._reports: list[IngestReportV1] = []
        self._arrived = threading.Condition()
        self._cancel = CancelToken()
        self._thread = threading.Thread(target=self._run, args=(open_it, folder))
        self._thread.start()

    def _run(self, open_it: Callable[[], Container], folder: Path) -> None:
        follow(open_it(), [folder], on_report=self._note, cancel=self._cancel, quiet_ms=200)

    def _note(self, report: IngestReportV1) -> None:
        with self._arrived:
            self._reports.append(report)
            self._arrived.notify_all()

    def report(self, number: int) -> IngestReportV1:
        with self._arrived:
            arrived = self._arrived.wait_for(lambda: len(self._reports) > number, PATIENCE_S)
            assert arrived, f"no report {number} within {PATIENCE_S} s"
            return self._reports[number]

    def end(self) -> int:
        self._cancel.cancel()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return len(self._reports)


def test_what_appears_changes_and_goes_is_followed(
    open_container: OpenContainer, workspace: Path
) -> None:
    (workspace / "there.md").write_text("words\n")
    followed = Followed(open_container, workspace)
    try:
        assert kinds(followed.report(0)) == {"there.md": "new"}
        (workspace / "one.md").write_text("first\n")
        (workspace / "two.md").write_text("second\n")
        changed = kinds(followed.report(1))
        assert (changed["one.md"], changed["two.md"]) == ("new", "new")
        (workspace / "one.md").unlink()
        (workspace / "two.md").write_text("another second\n")
        changed = kinds(followed.report(2))
        assert (changed["one.md"], changed["two.md"]) == ("removed", "updated")
    finally:
        count = followed.end()
    assert count == 3
    documents = list_documents(open_container()).documents
    assert [each.doc_path for each in documents] == ["there.md", "two.md"]


def test_kb_writing_its_own_files_inside_the_folder_is_no_change(
    open_container: OpenContainer, workspace: Path, tmp_path: Path
) -> None:
    (workspace / "a.md").write_text("words\n")
    # The folder of the knowledge base lies below the folder that is followed.
    followed = Followed(open_container, tmp_path)
    try:
        followed.report(0)
        (workspace / "b.md").write_text("more words\n")
        followed.report(1)
        threading.Event().wait(1.0)
    finally:
        count = followed.end()
    assert count == 2


def test_a_folder_that_is_not_there_is_named(
    open_container: OpenContainer, workspace: Path
) -> None:
    with pytest.raises(InputError, match="no-such"):
        follow(open_container(), [workspace / "no-such"], on_report=lambda _: None)
