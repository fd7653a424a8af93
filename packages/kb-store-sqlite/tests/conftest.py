from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_store_sqlite import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kb.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(path, create=True) as opened:
        yield opened
