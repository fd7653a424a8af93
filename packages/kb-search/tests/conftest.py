"""Fixtures of kb-search's tests: retrievers over a store in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from kb_core.ports.store import IngestedDocument
from kb_core.query import Fusion, SearchMode
from kb_search import Meaning, PassageRetriever
from kb_testing.fake_embedder import WordEmbedder
from kb_testing.memory_store import MemoryStore
from kb_text import index_text, morpheme_text

MakeRetriever = Callable[..., PassageRetriever]


@pytest.fixture
def make_retriever() -> MakeRetriever:
    """A maker of retrievers over documents, in a mode of one's choice."""

    def make(
        documents: Sequence[IngestedDocument],
        mode: SearchMode = "lexical",
        fusion: Fusion = "scores",
    ) -> PassageRetriever:
        store = MemoryStore(
            lambda text: index_text(text).split(), lambda text: morpheme_text(text).split()
        )
        for document in documents:
            store.put_document(document)
        embedder = WordEmbedder()
        version = embedder.identity.vector_version
        for pending in store.pending_texts(version, limit=1000):
            (vector,) = embedder.embed_passages([pending.text])
            store.put_vectors(version, {pending.text_digest: vector})
        return PassageRetriever(store, store, Meaning(store, embedder), mode=mode, fusion=fusion)

    return make
