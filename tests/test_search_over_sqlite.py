"""The word search on the real store keeps the promises that it keeps on the fake one."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from kb_core.ports.store import IngestedDocument
from kb_search import PassageRetriever
from kb_store_sqlite import SqliteStore
from kb_testing.retriever_conformance import RETRIEVER_CHECKS, MakeRetriever


@pytest.fixture
def make_retriever(tmp_path: Path) -> Iterator[MakeRetriever]:
    """A maker of retrievers over new stores, all closed at the end."""
    numbers = count()
    with ExitStack() as stores:

        def make(documents: Sequence[IngestedDocument]) -> PassageRetriever:
            path = tmp_path / f"{next(numbers)}.sqlite3"
            store = stores.enter_context(SqliteStore.open(path, create=True))
            for document in documents:
                store.put_document(document)
            return PassageRetriever(store, store, mode="lexical")

        yield make


@pytest.mark.parametrize("name", RETRIEVER_CHECKS)
def test_word_search_over_the_real_store_conforms(name: str, make_retriever: MakeRetriever) -> None:
    RETRIEVER_CHECKS[name](make_retriever)
