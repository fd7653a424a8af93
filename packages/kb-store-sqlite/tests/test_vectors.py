"""Vectors are found exactly, in the same order everywhere, and damaged ones do no harm."""

import math
import random
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core.errors import StoreError
from kb_core.ports.store import VectorCounts
from kb_core.query import EVERYTHING, SearchScope
from kb_store_sqlite import SqliteStore
from kb_testing.documents import make_note
from kb_testing.store_conformance import found_texts, query_of
from kb_testing.vector_conformance import (
    EAST,
    embed_everything,
    text_digest,
    texts_by_meaning,
    unit_vector,
)


def fill(store: SqliteStore, count: int, *, per_document: int = 50) -> None:
    """Store so many texts, each with a vector."""
    for start in range(0, count, per_document):
        texts = [f"text {number}" for number in range(start, min(start + per_document, count))]
        store.put_document(make_note(f"{start}.md", texts))
    embed_everything(store, "v", batch=1000)


def codes(store: SqliteStore) -> set[str]:
    return {finding.code for finding in store.check()} - {"missing_file"}


@given(
    st.lists(st.tuples(st.integers(-8, 8), st.integers(-8, 8)).filter(any), max_size=30),
    st.integers(1, 10),
    st.tuples(st.integers(-8, 8), st.integers(-8, 8)).filter(any),
)
def test_search_agrees_with_every_cosine(
    shared_store: SqliteStore,
    directions: list[tuple[int, int]],
    limit: int,
    query: tuple[int, int],
) -> None:
    note = make_note("a.md", [f"text {number}" for number in range(len(directions))])
    shared_store.put_document(note)
    vectors = {
        text_digest(f"text {number}"): unit_vector(*where)
        for number, where in enumerate(directions)
    }
    vector_version = str(directions)
    shared_store.put_vectors(vector_version, vectors)
    asked = struct.unpack("<2e", unit_vector(*query))
    expected = sorted(
        (-round(sum(a * b for a, b in zip(asked, stored, strict=True)), 6), chunk.chunk_id)
        for chunk in note.chunks
        for stored in [struct.unpack("<2e", vectors[text_digest(chunk.text)])]
    )
    matches = shared_store.search_vectors(vector_version, unit_vector(*query), limit=limit)
    assert [(-match.score_cosine, match.chunk_id) for match in matches] == expected[:limit]


def test_ties_are_found_whatever_the_order_of_additions(store: SqliteStore) -> None:
    generator = random.Random(7)  # noqa: S311
    numbers = [generator.gauss(0, 1) for _ in range(256)]
    note = make_note("a.md", [f"text {number}" for number in range(200)])
    store.put_document(note)
    vectors = {
        text_digest(chunk.text): unit_vector(*generator.sample(numbers, len(numbers)))
        for chunk in note.chunks
    }
    store.put_vectors("v", vectors)
    matches = store.search_vectors("v", unit_vector(*[1.0] * len(numbers)), limit=5)
    assert [match.chunk_id for match in matches] == sorted(store.iter_chunk_ids(""))[:5]
    assert len({match.score_cosine for match in matches}) == 1


def test_a_search_sees_what_another_process_stored(path: Path, store: SqliteStore) -> None:
    store.put_document(make_note("a.md", ["one"]))
    store.put_vectors("v", {text_digest("one"): unit_vector(*EAST)})
    assert texts_by_meaning(store, "v", *EAST) == ["one"]
    with SqliteStore.open(path) as other:
        other.put_document(make_note("b.md", ["two"]))
        other.put_vectors("v", {text_digest("two"): unit_vector(3, 4)})
        assert texts_by_meaning(store, "v", *EAST) == ["one", "two"]
        other.delete_document(make_note("a.md", ["one"]).document.doc_id)
    assert texts_by_meaning(store, "v", *EAST) == ["two"]
    assert store.background_cosine("v", unit_vector(*EAST)) == pytest.approx(0.6, abs=0.001)


def test_rows_of_vectors_do_not_depend_on_what_came_before(tmp_path: Path) -> None:
    notes = [make_note(f"{number}.md", ["same", f"own {number}"]) for number in range(3)]
    dumps = []
    for name, order in (("one", notes), ("other", notes[::-1])):
        with SqliteStore.open(tmp_path / f"{name}.sqlite3", create=True) as store:
            if name == "other":
                gone = make_note("gone.md", ["own 1", "gone"])
                store.put_document(gone)
                embed_everything(store, "earlier")
                embed_everything(store, "v", batch=1)
                store.delete_document(gone.document.doc_id)
            for note in order:
                store.put_document(note)
                embed_everything(store, "v")
            dumps.append(list(store.dump_reproducible_rows()))
    assert dumps[0] == dumps[1]
    assert len([row for row in dumps[0] if row[0] == "chunk_vectors"]) == 6


def test_a_shrunk_file_and_another_model_leave_no_trace_in_any_index(store: SqliteStore) -> None:
    store.put_document(make_note("a.md", ["apple", "banana", "cherry"]))
    gone = make_note("b.md", ["durian"])
    store.put_document(gone)
    embed_everything(store, "first")
    shorter = make_note("a.md", ["banana"])
    for vector_version in ("first", "second"):
        for _ in range(2):
            store.put_document(shorter)
            store.delete_document(gone.document.doc_id)
            embed_everything(store, vector_version)
        rows = list(store.dump_reproducible_rows())
        tables = ("chunks", "chunk_fts", "chunk_morphemes", "chunk_vectors")
        assert [len([row for row in rows if row[0] == table]) for table in tables] == [1, 1, 1, 1]
        assert [row[2] for row in rows if row[0] == "chunk_vectors"] == [vector_version]
        for word in ("apple", "cherry", "durian"):
            assert found_texts(store, query_of(word)) == []
        before = rows
        assert embed_everything(store, vector_version) == 0
        assert list(store.dump_reproducible_rows()) == before
        assert codes(store) == set()


def test_garbage_is_what_no_chunk_has(store: SqliteStore) -> None:
    store.put_document(make_note("a.md", ["one", "two"]))
    gone = make_note("b.md", ["two", "three"])
    store.put_document(gone)
    embed_everything(store, "earlier")
    embed_everything(store, "v")
    store.delete_document(gone.document.doc_id)
    before = list(store.dump_reproducible_rows())
    assert store.collect_garbage(dry_run=True).vectors == 4
    assert store.collect_garbage().vectors == 4
    assert store.collect_garbage().vectors == 0
    assert list(store.dump_reproducible_rows()) == before
    assert store.vector_counts("v") == VectorCounts(chunks=2, embedded=2)
    store.put_document(gone)
    assert [each.text for each in store.pending_texts("v", limit=9)] == ["three"]


@pytest.mark.parametrize(
    "vectors",
    [
        {"a": unit_vector(1, 0, 0)},
        {"a": unit_vector(1, 0), "b": unit_vector(1, 0, 0)},
        {"a": unit_vector(1, 0)[:3]},
        {"a": b""},
        {"a": struct.pack("<2e", float("nan"), 0)},
        {"a": struct.pack("<2e", float("inf"), 0)},
    ],
)
def test_vectors_that_cannot_be_compared_are_refused(
    store: SqliteStore, vectors: dict[str, bytes]
) -> None:
    store.put_document(make_note("a.md", ["one", "two"]))
    store.put_vectors("v", {text_digest("one"): unit_vector(*EAST)})
    before = list(store.dump_reproducible_rows())
    with pytest.raises(StoreError) as caught:
        store.put_vectors("v", vectors)
    assert caught.value.hint
    assert list(store.dump_reproducible_rows()) == before


def test_no_vectors_are_no_error(store: SqliteStore) -> None:
    store.put_vectors("v", {})
    assert store.search_vectors("v", unit_vector(*EAST), limit=1) == []


@pytest.mark.parametrize("blob", ["3c", "3c0000000000", "007e007e", "00000000", "00400000"])
def test_damaged_vectors_are_found_passed_over_and_taken_out(store: SqliteStore, blob: str) -> None:
    texts = ["one", "two", "three"]
    store.put_document(make_note("a.md", texts))
    store.put_vectors("v", {text_digest(text): unit_vector(*EAST) for text in texts})
    with store._database.write() as connection:
        connection.execute(
            "UPDATE vectors SET vector = ? WHERE vector_key = 2", (bytes.fromhex(blob),)
        )
    (finding,) = [each for each in store.check() if each.code == "damaged_vectors"]
    assert finding.message == "1 vectors are damaged"
    for limit in (1, 2):
        matches = store.search_vectors("v", unit_vector(*EAST), limit=limit)
        assert len(matches) == limit
        assert all(math.isfinite(match.score_cosine) for match in matches)
    assert math.isfinite(store.background_cosine("v", unit_vector(*EAST)))
    assert store.remove_damaged_vectors() == 1
    assert store.remove_damaged_vectors() == 0
    assert codes(store) == set()
    assert len(store.pending_texts("v", limit=10)) == 1


def test_many_threads_may_search_while_one_writes(store: SqliteStore) -> None:
    fill(store, 100)
    answers: list[int] = []

    def search() -> None:
        for _ in range(20):
            answers.append(len(store.search_vectors("v", unit_vector(*EAST), limit=5)))

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(20):
        store.put_document(make_note("busy.md", [f"busy {number}"]))
        embed_everything(store, "v")
    for thread in threads:
        thread.join()
    assert answers == [5] * 80


def test_scopes_of_any_size_give_the_same_as_a_search_of_all(store: SqliteStore) -> None:
    fill(store, 300)
    doc_ids = [document.doc_id for document in store.list_documents()]
    everything = store.search_vectors("v", unit_vector(1, 2), limit=300, scope=EVERYTHING)
    owners = {
        passage.chunk.chunk_id: passage.chunk.doc_id
        for passage in store.load_passages([match.chunk_id for match in everything])
    }
    for count in range(1, len(doc_ids) + 1):
        scope = SearchScope(doc_ids=frozenset(doc_ids[:count]))
        expected = [match for match in everything if owners[match.chunk_id] in doc_ids[:count]]
        for limit in (3, 300):
            found = store.search_vectors("v", unit_vector(1, 2), limit=limit, scope=scope)
            assert found == expected[:limit]


def test_words_are_searched_without_loading_numpy(path: Path, store: SqliteStore) -> None:
    store.put_document(make_note("a.md", ["apple"]))
    script = (
        "import sys, pathlib\n"
        "from kb_core import LexicalQuery, QueryTerm\n"
        "from kb_store_sqlite import SqliteStore\n"
        "store = SqliteStore.open(pathlib.Path(sys.argv[1]))\n"
        "query = LexicalQuery(terms=(QueryTerm(text='apple', tokens=('apple',)),))\n"
        "print(len(store.search_lexical(query, require_all=True, limit=1)))\n"
        "print(store.has_vectors('v'), 'numpy' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\nFalse False\n"
