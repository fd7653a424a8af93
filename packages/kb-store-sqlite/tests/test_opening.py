import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kb_core.errors import StoreCorrupt, StoreError, StoreMissing, StoreTooNew
from kb_store_sqlite import SqliteStore
from kb_store_sqlite.schema import MIGRATIONS
from kb_testing.documents import make_note


def execute(path: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def test_a_missing_store_is_not_made_by_opening_it(path: Path) -> None:
    with pytest.raises(StoreMissing, match=r"kb\.sqlite3"):
        SqliteStore.open(path, create=False)
    assert not path.exists()


@pytest.mark.parametrize("statement", [None, "PRAGMA journal_mode = WAL"])
def test_what_a_kill_before_the_schema_leaves_is_no_store_yet(
    path: Path, statement: str | None
) -> None:
    path.touch()
    if statement:
        execute(path, statement)
    left = path.read_bytes()
    with pytest.raises(StoreMissing):
        SqliteStore.open(path, create=False)
    assert path.read_bytes() == left
    with SqliteStore.open(path, create=True) as store:
        store.put_document(make_note("a.md", ["apple"]))
    with SqliteStore.open(path, create=False) as store:
        assert [row.workspace_path for row in store.list_documents()] == ["a.md"]
    assert execute(path, "PRAGMA journal_mode") == [("wal",)]


def test_missing_folders_are_made(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path / "a" / "b ?#%" / "kb.sqlite3", create=True).close()
    assert (tmp_path / "a" / "b ?#%" / "kb.sqlite3").exists()


def test_a_store_is_in_wal_mode_and_says_what_it_is(path: Path, store: SqliteStore) -> None:
    assert execute(path, "PRAGMA journal_mode") == [("wal",)]
    assert execute(path, "PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert execute(path, "PRAGMA application_id") == [(0x6B626462,)]


def test_what_was_stored_is_there_after_opening_again(path: Path) -> None:
    note = make_note("a.md", ["apple"])
    with SqliteStore.open(path, create=True) as store:
        store.put_document(note)
    with SqliteStore.open(path, create=True) as store:
        assert store.load_document(note.document.doc_id) == note.document


def test_a_newer_store_is_refused_and_left_alone(path: Path) -> None:
    SqliteStore.open(path, create=True).close()
    execute(path, "PRAGMA user_version = 999")
    with pytest.raises(StoreTooNew, match="schema 999"):
        SqliteStore.open(path, create=True)
    assert execute(path, "PRAGMA user_version") == [(999,)]


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    execute(path, "CREATE TABLE bookmarks (url)")
    with pytest.raises(StoreCorrupt, match="another program"):
        SqliteStore.open(path, create=True)
    assert execute(path, "SELECT name FROM sqlite_schema") == [("bookmarks",)]


def test_a_file_that_is_no_database_is_named(path: Path) -> None:
    path.write_bytes(b"these are not the bytes of a database" * 100)
    with pytest.raises(StoreCorrupt, match=r"kb\.sqlite3"):
        SqliteStore.open(path, create=False)


def test_a_folder_in_place_of_the_file_is_an_error_with_a_hint(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreError) as caught:
        SqliteStore.open(path, create=True)
    assert caught.value.hint


def test_a_file_in_place_of_the_folder_is_an_error_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "folder").touch()
    with pytest.raises(StoreError, match="folder") as caught:
        SqliteStore.open(tmp_path / "folder" / "kb.sqlite3", create=True)
    assert caught.value.hint


def test_a_failed_migration_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (*MIGRATIONS[0], "CREATE TABLE broken (")
    monkeypatch.setattr("kb_store_sqlite.migrations.MIGRATIONS", (broken,))
    with pytest.raises(StoreError):
        SqliteStore.open(path, create=True)
    assert execute(path, "SELECT name FROM sqlite_schema") == []
    monkeypatch.undo()
    SqliteStore.open(path, create=True).close()


def test_processes_may_make_the_same_store_at_once(path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from kb_store_sqlite import SqliteStore\n"
        "SqliteStore.open(pathlib.Path(sys.argv[1]), create=True).close()\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen([sys.executable, "-c", script, path], env=environment) for _ in range(4)
    ]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0, 0]
