from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core.ports.store import IngestedDocument
from kb_search import LexicalRetriever
from kb_testing.documents import make_note
from kb_testing.memory_store import MemoryStore
from kb_testing.retriever_conformance import RETRIEVER_CHECKS
from kb_text import analyze


def make_retriever(documents: Sequence[IngestedDocument]) -> LexicalRetriever:
    store = MemoryStore(lambda text: [token.token for token in analyze(text)])
    for document in documents:
        store.put_document(document)
    return LexicalRetriever(index=store, store=store)


@pytest.mark.parametrize("name", RETRIEVER_CHECKS)
def test_lexical_retriever_conforms(name: str) -> None:
    RETRIEVER_CHECKS[name](make_retriever)


@given(st.text(), st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)))
def test_any_query_over_any_text_gives_hits_and_no_error(query: str, texts: list[str]) -> None:
    for hit in make_retriever([make_note("a.md", texts)]).search(query, limit=5):
        assert hit.highlights
