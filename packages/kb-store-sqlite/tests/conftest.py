from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_store_sqlite import SqliteStore
from kb_testing.documents import make_note


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kb.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(path, create=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """A store for the examples of a property, none of which pays for loading dictionaries."""
    path = tmp_path_factory.mktemp("store") / "kb.sqlite3"
    with SqliteStore.open(path, create=True) as store:
        note = make_note("a.md", ["words 한국어 中文 かな"])
        store.put_document(note)
        store.check()
        store.delete_document(note.document.doc_id)
        yield store
