"""The approximate index beside the database: when it is made, used and passed over."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_core.errors import StoreError
from kb_core.ports.store import PendingText
from kb_core.query import EVERYTHING, SearchScope
from kb_store_sqlite import SqliteStore
from kb_store_sqlite.vector_search import VectorSearch
from kb_testing.documents import make_note
from kb_testing.vector_conformance import unit_vector

DIMENSIONS = 16
LIMIT = 100
"""With more chunks than this the tests use a file."""


def vector_of(text: str) -> bytes:
    generator = random.Random(text)  # noqa: S311
    return unit_vector(*(generator.gauss(0.3, 1) for _ in range(DIMENSIONS)))


def embed(store: SqliteStore, vector_version: str = "v") -> None:
    while pending := store.pending_texts(vector_version, limit=500):
        put(store, pending, vector_version)


def put(store: SqliteStore, pending: list[PendingText], vector_version: str) -> None:
    store.put_vectors(vector_version, {each.text_digest: vector_of(each.text) for each in pending})


def fill(store: SqliteStore, count: int, *, folder: str = "") -> list[str]:
    """Store so many texts in documents of fifty, and return the ids of these."""
    doc_ids = []
    for start in range(0, count, 50):
        texts = [f"{folder} {number}" for number in range(start, start + 50)]
        note = make_note(f"{folder}{start}.md", texts)
        store.put_document(note)
        doc_ids.append(note.document.doc_id)
    embed(store)
    return doc_ids


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(path, create=True, exact_limit=LIMIT) as opened:
        yield opened


def files(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.usearch"))


def codes(store: SqliteStore) -> set[str]:
    return {finding.code for finding in store.check()} - {"missing_file"}


def exactly(store: SqliteStore) -> VectorSearch:
    """Return a search that never uses a file."""
    return VectorSearch(store._database, 10**9)


def assert_finds_the_same(store: SqliteStore, scope: SearchScope = EVERYTHING) -> None:
    exact = exactly(store)
    for number in range(20):
        query = vector_of(f"query {number}")
        expected = exact.search("v", query, limit=10, scope=scope)
        assert store.search_vectors("v", query, limit=10, scope=scope) == expected


def test_no_file_is_made_while_search_is_exact(path: Path, store: SqliteStore) -> None:
    fill(store, LIMIT)
    assert store.rebuild_vector_file() is False
    assert files(path) == []
    assert codes(store) == set()


def test_search_with_the_file_finds_what_exact_search_finds(path: Path, store: SqliteStore) -> None:
    fill(store, 1000)
    assert codes(store) == {"vector_file_missing"}
    assert_finds_the_same(store)
    assert store.rebuild_vector_file() is True
    (file,) = files(path)
    assert file.name.startswith("kb.sqlite3.v-")
    assert codes(store) == set()
    assert_finds_the_same(store)
    assert store.rebuild_vector_file(only_if_behind=True) is False


def test_the_file_is_used_as_soon_as_it_is_there(store: SqliteStore) -> None:
    fill(store, 1000)
    for has_file in (False, True):
        assert store.search_vectors("v", vector_of("query"), limit=10)
        held = store._vector_search._held
        assert held is not None
        assert (held.file is not None) is has_file
        assert len(held.matrix) == (0 if has_file else 1000)
        store.rebuild_vector_file()


def test_new_vectors_are_found_beside_the_file(store: SqliteStore) -> None:
    fill(store, 1000)
    store.rebuild_vector_file()
    fill(store, 50, folder="new")
    assert_finds_the_same(store)
    query = vector_of("new 7")
    (match,) = store.search_vectors("v", query, limit=1)
    (passage,) = store.load_passages([match.chunk_id])
    assert passage.chunk.text == "new 7"
    assert codes(store) == set()
    assert store.rebuild_vector_file(only_if_behind=True) is False


def test_a_file_that_fell_behind_is_named_and_made_anew(path: Path, store: SqliteStore) -> None:
    fill(store, 1000)
    store.rebuild_vector_file()
    (before,) = files(path)
    fill(store, 100, folder="new")
    assert codes(store) == {"vector_file_behind"}
    assert_finds_the_same(store)
    assert store.rebuild_vector_file(only_if_behind=True) is True
    assert codes(store) == set()
    (after,) = files(path)
    assert after != before
    assert_finds_the_same(store)


def test_chunks_that_went_are_not_found_and_take_no_place(store: SqliteStore) -> None:
    doc_ids = fill(store, 1000)
    store.rebuild_vector_file()
    for doc_id in doc_ids[:17]:
        store.delete_document(doc_id)
    assert_finds_the_same(store)
    store.collect_garbage()
    assert codes(store) == {"vector_file_behind"}
    assert_finds_the_same(store)


def test_new_vectors_after_garbage_was_collected_are_found(store: SqliteStore) -> None:
    fill(store, 1000)
    last = fill(store, 50, folder="last")
    store.rebuild_vector_file()
    store.delete_document(last[0])
    store.collect_garbage()
    fill(store, 50, folder="new")
    assert_finds_the_same(store)
    query = vector_of("new 7")
    (match,) = store.search_vectors("v", query, limit=1)
    assert match.score_cosine == pytest.approx(1, abs=0.001)


def test_a_text_that_came_back_is_found_in_the_file(store: SqliteStore) -> None:
    fill(store, 1000)
    store.rebuild_vector_file()
    note = make_note("0.md", [f" {number}" for number in range(50)])
    store.delete_document(note.document.doc_id)
    store.put_document(note)
    embed(store)
    assert_finds_the_same(store)
    assert codes(store) == set()


@pytest.mark.parametrize("few_chunks", [0, 10_000])
def test_scopes_hold_with_the_file(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, few_chunks: int
) -> None:
    monkeypatch.setattr("kb_store_sqlite.vector_search._FEW_CHUNKS", few_chunks)
    doc_ids = fill(store, 1000)
    store.rebuild_vector_file()
    doc_ids += fill(store, 50, folder="new")
    for some in (doc_ids[:1], doc_ids[5:15], doc_ids[-2:], doc_ids):
        assert_finds_the_same(store, SearchScope(doc_ids=frozenset(some)))


def test_the_same_vectors_give_the_same_file(tmp_path: Path) -> None:
    found = []
    for name in ("one", "other"):
        path = tmp_path / name / "kb.sqlite3"
        with SqliteStore.open(path, create=True, exact_limit=LIMIT) as store:
            for start in (0, 1) if name == "one" else (1, 0):
                fill(store, 300, folder=f"part {start}")
            store.rebuild_vector_file()
        found += files(path)
    assert found[0].name == found[1].name
    assert found[0].read_bytes() == found[1].read_bytes()


@pytest.mark.parametrize("damage", ["gone", "cut", "garbage"])
def test_search_is_exact_without_a_usable_file(path: Path, store: SqliteStore, damage: str) -> None:
    fill(store, 500)
    store.rebuild_vector_file()
    (file,) = files(path)
    whole = file.read_bytes()
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(whole[:-1] if damage == "cut" else b"\0" * len(whole))
    with SqliteStore.open(path, exact_limit=LIMIT) as again:
        assert codes(again) == {"vector_file_missing"}
        assert_finds_the_same(again)
        assert again.rebuild_vector_file(only_if_behind=True) is True
        assert codes(again) == set()
    assert file.read_bytes() == whole


def test_a_file_of_another_state_is_not_used(path: Path, store: SqliteStore) -> None:
    fill(store, 500)
    store.rebuild_vector_file()
    with store._database.write() as connection:
        connection.execute("DELETE FROM vector_files")
    with SqliteStore.open(path, exact_limit=LIMIT) as again:
        assert codes(again) == {"vector_file_missing"}
        assert_finds_the_same(again)
        again.collect_garbage()
    assert files(path) == []


def test_the_file_of_another_model_goes(path: Path, store: SqliteStore) -> None:
    fill(store, 500)
    store.rebuild_vector_file()
    (first,) = files(path)
    embed(store, "w")
    assert store.search_vectors("v", vector_of("query"), limit=5) == []
    assert len(store.search_vectors("w", vector_of("query"), limit=5)) == 5
    assert files(path) == [first]
    store.collect_garbage()
    assert files(path) == []
    store.rebuild_vector_file()
    (second,) = files(path)
    assert second.name.startswith("kb.sqlite3.w-")


def test_files_of_other_stores_in_the_folder_stay(path: Path, store: SqliteStore) -> None:
    others = [path.with_name(name) for name in ("other.sqlite3.v-1.usearch", "kb.sqlite3.txt")]
    for other in others:
        other.touch()
    store.collect_garbage()
    assert all(other.exists() for other in others)


def test_a_file_that_misses_too_much_is_named(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, 1000)
    store.rebuild_vector_file()
    with store._database.write() as connection:
        (keys,) = connection.execute("SELECT vector_keys FROM vector_files").fetchone()
        shifted = keys[-8 * 300 :] + keys[: -8 * 300]
        connection.execute("UPDATE vector_files SET vector_keys = ?", (shifted,))
    (finding,) = [each for each in store.check() if each.code != "missing_file"]
    assert finding.code == "vector_file_inaccurate"
    assert "%" in finding.message


def test_the_background_of_the_file_is_that_of_its_vectors(store: SqliteStore) -> None:
    fill(store, 500)
    query = vector_of("query")
    expected = store.background_cosine("v", query)
    store.rebuild_vector_file()
    assert store.background_cosine("v", query) == pytest.approx(expected, abs=2e-6)
    fill(store, 50, folder="new")
    expected = exactly(store).background_cosine("v", query)
    assert store.background_cosine("v", query) == pytest.approx(expected, abs=2e-6)


def test_without_usearch_search_stays_exact(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, 500)
    store.rebuild_vector_file()
    monkeypatch.setattr("kb_store_sqlite.vector_file.find_spec", lambda name: None)
    with SqliteStore.open(path, exact_limit=LIMIT) as again:
        assert again.rebuild_vector_file() is False
        assert codes(again) == set()
        assert_finds_the_same(again)


def test_a_file_that_cannot_be_written_is_an_error_with_a_hint(
    path: Path, store: SqliteStore
) -> None:
    fill(store, 500)
    in_the_way = path.with_name(f"kb.sqlite3.{os.getpid()}.tmp.usearch")
    in_the_way.mkdir()
    with pytest.raises(StoreError, match=r"cannot be written") as caught:
        store.rebuild_vector_file()
    assert caught.value.hint
    assert files(path) == [in_the_way]
    assert_finds_the_same(store)
