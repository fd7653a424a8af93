"""Common words are left out of a question where they decide nothing, and only there."""

import pytest

from kb_core import LexicalQuery, QueryTerm
from kb_core.query import EVERYTHING, SearchScope
from kb_store_sqlite import SqliteStore
from kb_store_sqlite.scope import condition_of
from kb_store_sqlite.selectivity import selective_terms
from kb_testing.documents import make_note


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb_store_sqlite.selectivity.ROWS", 10)


def terms_of(*words: str) -> tuple[QueryTerm, ...]:
    return tuple(QueryTerm(text=word, tokens=(word,)) for word in words)


def asked_for(store: SqliteStore, *words: str, limit: int = 1) -> list[str]:
    """Return the words that are asked for where all may be found."""
    with store._database.read() as connection:
        condition = condition_of(EVERYTHING, key="+rowid")
        chosen = selective_terms(connection, "chunk_fts", terms_of(*words), condition, limit)
    return [term.text for term in chosen]


def found(
    store: SqliteStore, *words: str, limit: int = 5, scope: SearchScope = EVERYTHING
) -> list[str]:
    query = LexicalQuery(terms=terms_of(*words))
    matches = store.search_lexical(query, require_all=False, limit=limit, scope=scope)
    passages = store.load_passages([match.chunk_id for match in matches])
    return [passage.chunk.text for passage in passages]


def fill(store: SqliteStore) -> None:
    texts = [f"common {number}" for number in range(20)]
    store.put_document(make_note("common.md", texts))
    store.put_document(make_note("rare.md", ["rare common", "scarce common", "scarce"]))


def test_a_common_word_is_left_out_beside_rare_ones(store: SqliteStore) -> None:
    fill(store)
    assert asked_for(store, "scarce", "common", "rare") == ["scarce", "rare"]
    assert asked_for(store, "common", "absent") == ["common", "absent"]
    assert asked_for(store, "common") == ["common"]


def test_every_word_is_asked_for_where_few_rows_match(store: SqliteStore) -> None:
    words = ("a", "b", "c", "d")
    store.put_document(make_note("a.md", [f"{' '.join(words)} {number}" for number in range(10)]))
    assert asked_for(store, *words) == list(words)


def test_words_are_asked_for_as_long_as_few_rows_match(store: SqliteStore) -> None:
    texts = [f"{word} {number}" for word in ("a", "b", "c") for number in range(4)]
    store.put_document(make_note("a.md", texts))
    assert asked_for(store, "c", "b", "a") == ["c", "b"]


def test_one_word_at_least_is_asked_for(store: SqliteStore) -> None:
    texts = [f"{word} {number}" for word in ("a", "b") for number in range(12)]
    store.put_document(make_note("a.md", [*texts, "b again"]))
    assert asked_for(store, "b", "a") == ["a"]
    assert asked_for(store, "b", "absent") == ["b", "absent"]


def test_common_words_fill_what_rare_ones_leave(store: SqliteStore) -> None:
    fill(store)
    assert len(found(store, "common", "rare", limit=1)) == 1
    texts = found(store, "common", "rare", limit=5)
    assert texts[0] == "rare common"
    assert len(texts) == 5
    assert len(found(store, "common", "rare", limit=15)) == 15


def test_rare_words_alone_answer_where_common_ones_would_take_too_long(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    monkeypatch.setattr("kb_store_sqlite.selectivity.MOST_ROWS", 15)
    assert found(store, "common", "rare", limit=5) == ["rare common"]
    assert len(found(store, "common", "absent", limit=5)) == 5


def test_a_word_that_is_common_elsewhere_is_found_in_a_scope(store: SqliteStore) -> None:
    fill(store)
    mine = make_note("mine.md", ["common word", "another"])
    store.put_document(mine)
    scope = SearchScope(doc_ids=frozenset({mine.document.doc_id}))
    for limit in (1, 5):
        assert found(store, "common", "rare", limit=limit, scope=scope) == ["common word"]
    without_rare = SearchScope(excluded=terms_of("rare"))
    assert len(found(store, "common", "rare", limit=1, scope=without_rare)) == 1
