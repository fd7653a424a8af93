from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import QueryTerm
from kb_core.query import LexicalLeg
from kb_store_sqlite import SqliteStore
from kb_store_sqlite.expression import all_of, any_of
from kb_testing.documents import make_note
from kb_text import analyze, find_matches, morpheme_tokens, parse_query


def search(store: SqliteStore, query_text: str, *, require_all: bool = True) -> list[str]:
    query = parse_query(query_text).exact
    matches = store.search_lexical(query, require_all=require_all, limit=100)
    passages = store.load_passages([match.chunk_id for match in matches])
    return [passage.chunk.text for passage in passages]


def test_a_rare_word_is_worth_more_than_a_frequent_one(store: SqliteStore) -> None:
    texts = [*(f"common filler {n}" for n in range(20)), "rare filler word"]
    store.put_document(make_note("a.md", texts))
    assert search(store, "common rare", require_all=False)[0] == "rare filler word"


def test_scores_fall(store: SqliteStore) -> None:
    store.put_document(make_note("a.md", ["word", "word word", "word and many others", "none"]))
    matches = store.search_lexical(parse_query("word").exact, require_all=True, limit=9)
    scores = [match.score_bm25 for match in matches]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_quotes_and_operators_in_tokens_are_literal() -> None:
    term = QueryTerm(text="x", tokens=('a"b', "or"))
    assert any_of([term, term]) == '"a""b or" OR "a""b or"'
    assert all_of([term, term]) == '"a""b or" AND "a""b or"'


def test_a_query_of_thousands_of_words_is_answered(store: SqliteStore) -> None:
    store.put_document(make_note("a.md", ["w0 w1 w2"]))
    query_text = " ".join(f"w{n}" for n in range(5000))
    assert search(store, query_text, require_all=False) == ["w0 w1 w2"]
    assert search(store, query_text) == []
    assert search(store, '"' + query_text + '"') == []


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.text(
    alphabet="aAb c가나か゚\u0301ーＡ+#\"'*()-:.👍", min_size=1
)


@given(st.lists(TEXT, min_size=1, max_size=4), st.text() | TEXT)
def test_the_index_finds_what_the_analysis_says_is_there(
    shared_store: SqliteStore, texts: list[str], query_text: str
) -> None:
    shared_store.put_document(make_note("a.md", texts))
    document = shared_store.load_document(make_note("a.md", texts).document.doc_id)
    assert document is not None
    query = parse_query(query_text).exact
    numbers = range(len(query.terms))
    holding = {
        unit.text: {match.term for match in find_matches(unit.text, query)}
        for unit in document.source_units()
    }
    everything = {text for text, terms in holding.items() if terms and terms == set(numbers)}
    anything = {text for text, terms in holding.items() if terms}
    assert set(search(shared_store, query_text)) == everything
    assert set(search(shared_store, query_text, require_all=False)) == anything


def vocabulary(store: SqliteStore, table: str) -> set[str]:
    connection = store._database.connection()
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.of_{table} USING fts5vocab(main, {table}, row)"
    )
    rows = connection.execute(f"SELECT term FROM temp.of_{table}")  # noqa: S608
    return {term for (term,) in rows}


@given(TEXT)
def test_tokens_reach_the_indexes_as_they_are(shared_store: SqliteStore, text: str) -> None:
    shared_store.put_document(make_note("a.md", [text]))
    shown = text if text.strip() else ""
    assert vocabulary(shared_store, "chunk_fts") == {token.token for token in analyze(shown)}
    morphemes = {token.token for token in morpheme_tokens(shown)}
    assert vocabulary(shared_store, "chunk_morphemes") == morphemes


@pytest.mark.parametrize(
    ("text", "query_text", "leg", "is_found"),
    [
        ("They were running home", "run", "morphemes", True),
        ("They were running home", "run", "pairs", False),
        ("배포에서 오류가 났다", "배포", "morphemes", True),
        ("회의사항을 적었다", "의사", "morphemes", False),
        ("회의사항을 적었다", "의사", "pairs", True),
    ],
)
def test_each_leg_searches_its_own_index(
    store: SqliteStore, text: str, query_text: str, leg: LexicalLeg, is_found: bool
) -> None:
    store.put_document(make_note("a.md", [text]))
    query = parse_query(query_text)
    terms = query.exact if leg == "pairs" else query.morphemes
    matches = store.search_lexical(terms, require_all=True, limit=10, leg=leg)
    assert bool(matches) is is_found


def test_a_name_that_sorts_after_every_letter_is_listed(store: SqliteStore, path: Path) -> None:
    store.put_document(make_note("\U0010ffff.md", ["word"]))
    assert [row.workspace_path for row in store.list_documents()] == ["\U0010ffff.md"]
