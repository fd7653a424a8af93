from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from kb_store_sqlite import SqliteStore
from kb_testing.scope_conformance import SCOPE_CHECKS
from kb_testing.store_conformance import STORE_CHECKS, MakeStore, StoreCheck
from kb_testing.store_files_conformance import STORE_FILE_CHECKS
from kb_testing.store_runs_conformance import STORE_RUN_CHECKS
from kb_testing.vector_conformance import VECTOR_CHECKS

CHECKS = [*STORE_CHECKS, *STORE_FILE_CHECKS, *STORE_RUN_CHECKS, *SCOPE_CHECKS, *VECTOR_CHECKS]


@pytest.fixture
def make_store(tmp_path: Path) -> Iterator[MakeStore]:
    """A maker of empty stores, all closed at the end."""
    stores: list[SqliteStore] = []
    numbers = count()

    def make() -> SqliteStore:
        stores.append(SqliteStore.open(tmp_path / f"{next(numbers)}.sqlite3", create=True))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_sqlite_store_conforms(check: StoreCheck, make_store: MakeStore) -> None:
    check(make_store)
