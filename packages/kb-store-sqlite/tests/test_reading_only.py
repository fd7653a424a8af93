"""A knowledge base on a disk, or of a person, that allows no writing."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_store_sqlite import SqliteStore
from kb_testing.documents import make_note

NOBODY = 65534
SEARCH = f"""
import os, pathlib, sys
from kb_core.errors import StoreError
import kb_store_sqlite.vector_health  # loaded when needed, which somebody else may not do here
from kb_store_sqlite import SqliteStore
from kb_testing.store_conformance import found_texts, query_of
if os.getuid() == 0:
    os.setgroups([])
    os.setgid({NOBODY})
    os.setuid({NOBODY})
path = pathlib.Path(sys.argv[1])
try:
    with SqliteStore.open(path, create=False) as store:
        print(found_texts(store, query_of("apple")), [each.code for each in store.check()])
        try:
            store.delete_document("any")
        except StoreError as error:
            print(error, "/", error.hint)
    SqliteStore.open(path, create=True)
except StoreError as error:
    print(error, "/", error.hint)
"""

pytestmark = pytest.mark.skipif(
    not hasattr(os, "getuid"), reason="permissions of folders are another thing here"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every person can enter, which pytest's own cannot be."""
    folder = Path(tempfile.mkdtemp())
    (folder / "kb").mkdir()
    folder.chmod(0o755)
    yield folder / "kb"
    (folder / "kb").chmod(0o755)
    shutil.rmtree(folder)


def search_as_somebody_else(path: Path, folder_mode: int) -> list[str]:
    """Return the lines that a process prints which may read the files and not write them."""
    for file in path.parent.iterdir():
        file.chmod(0o444)
    path.parent.chmod(folder_mode)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, path],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("folder_mode", [0o555, 0o777], ids=["folder", "file"])
def test_what_cannot_be_written_can_be_searched(folder: Path, folder_mode: int) -> None:
    path = folder / "kb.sqlite3"
    with SqliteStore.open(path, create=True) as store:
        store.put_document(make_note("a.md", ["apple"]))
    before = path.read_bytes()
    found, *refused = search_as_somebody_else(path, folder_mode)
    assert found == "['apple'] ['missing_file']"
    assert len(refused) == 2
    for line in refused:
        assert line.startswith(f"{path} cannot be written to / check the permissions")
    assert path.read_bytes() == before


def copy_while_open(folder: Path, *suffixes: str) -> Path:
    """Return a store as a kill leaves it, whose only document is still in the log."""
    path = folder / "kb.sqlite3"
    with (
        tempfile.TemporaryDirectory() as elsewhere,
        SqliteStore.open(Path(elsewhere) / "kb.sqlite3", create=True) as store,
    ):
        store.put_document(make_note("a.md", ["apple"]))
        for suffix in ("", *suffixes):
            shutil.copyfile(f"{elsewhere}/kb.sqlite3{suffix}", f"{path}{suffix}")
    return path


def test_a_store_that_was_not_closed_is_read_with_its_log(folder: Path) -> None:
    path = copy_while_open(folder, "-wal", "-shm")
    assert search_as_somebody_else(path, 0o555)[0] == "['apple'] ['missing_file']"


def test_a_log_that_cannot_be_read_is_not_passed_over(folder: Path) -> None:
    path = copy_while_open(folder, "-wal")
    (line,) = search_as_somebody_else(path, 0o555)
    assert "not closed properly / copy its folder" in line


def test_a_folder_that_cannot_be_entered_is_an_error_with_a_hint(folder: Path) -> None:
    path = copy_while_open(folder)
    (line,) = search_as_somebody_else(path, 0o600)
    assert line.startswith(f"{path} cannot be opened: Permission denied / check")


def test_a_store_of_an_earlier_schema_names_the_way_out(folder: Path) -> None:
    path = folder / "kb.sqlite3"
    with SqliteStore.open(path, create=True) as store:
        store._database.connection().execute("PRAGMA user_version = 3")
    (line,) = search_as_somebody_else(path, 0o555)
    assert line.startswith(f"{path} has schema 3 where this kb needs 5, and it cannot be brought")
    assert line.endswith("name that with --data-dir")
