"""What every vector index must do, as checks that take a factory of empty stores.

@pytest.mark.parametrize("check", VECTOR_CHECKS, ids=lambda check: check.__name__)
def test_store_conforms(check): check(make_store)
"""

from __future__ import annotations

import math
import struct

from kb_core import digest_hex
from kb_core.ports.embedder import Vector
from kb_core.ports.store import VectorCounts, VectorIndex
from kb_testing.documents import make_note
from kb_testing.store_conformance import FullStore, MakeStore, StoreCheck, found_texts, query_of

EAST, NORTH = (1.0, 0.0), (0.0, 1.0)


def unit_vector(*components: float) -> Vector:
    """Return the vector of length 1 in that direction, as it is stored."""
    length = math.hypot(*components)
    return struct.pack(f"<{len(components)}e", *(each / length for each in components))


def text_digest(text: str) -> str:
    """Return what the vector of a text is kept by."""
    return digest_hex(text.encode())


def embed_everything(store: VectorIndex, vector_version: str, *, batch: int = 2) -> int:
    """Give every text a vector made from its digest; return how many were made."""
    made = 0
    while pending := store.pending_texts(vector_version, limit=batch):
        vectors = {
            each.text_digest: unit_vector(
                1.0 + int(each.text_digest[:2], 16), 1.0 + int(each.text_digest[2:4], 16)
            )
            for each in pending
        }
        store.put_vectors(vector_version, vectors)
        made += len(vectors)
    return made


def texts_by_meaning(
    store: FullStore, vector_version: str, *direction: float, limit: int = 10
) -> list[str]:
    """Return the texts that are closest to a direction, closest first."""
    matches = store.search_vectors(vector_version, unit_vector(*direction), limit=limit)
    passages = store.load_passages([match.chunk_id for match in matches])
    return [passage.chunk.text for passage in passages]


def check_texts_are_pending_once_and_in_order(make_store: MakeStore) -> None:
    """Ask for a part and for all, with one text in two documents."""
    store = make_store()
    store.put_document(make_note("a.md", ["one", "두 번째", "one"]))
    store.put_document(make_note("b.md", ["one", "three"]))
    pending = store.pending_texts("v", limit=10)
    assert pending == sorted((text_digest(text), text) for text in ("one", "두 번째", "three"))
    assert store.pending_texts("v", limit=2) == pending[:2]
    assert store.pending_texts("v", limit=0) == []


def check_vectors_are_counted_by_chunk(make_store: MakeStore) -> None:
    """Give vectors to two of three texts, of which one is in two chunks."""
    store = make_store()
    assert store.vector_counts("v") == VectorCounts(chunks=0, embedded=0)
    assert not store.has_vectors("v")
    store.put_document(make_note("a.md", ["one", "two", "one", "three"]))
    store.put_vectors(
        "v", {text_digest("one"): unit_vector(*EAST), text_digest("two"): unit_vector(*NORTH)}
    )
    assert store.vector_counts("v") == VectorCounts(chunks=4, embedded=3)
    assert [each.text for each in store.pending_texts("v", limit=10)] == ["three"]
    assert store.has_vectors("v")
    assert not store.has_vectors("other")
    assert store.vector_counts("other") == VectorCounts(chunks=4, embedded=0)


def check_the_closest_chunks_come_first(make_store: MakeStore) -> None:
    """Ask for a direction that two texts lie on both sides of."""
    store = make_store()
    store.put_document(make_note("a.md", ["east", "north", "west", "pending"]))
    directions = {"east": EAST, "north": NORTH, "west": (-1.0, 0.0)}
    store.put_vectors(
        "v", {text_digest(text): unit_vector(*where) for text, where in directions.items()}
    )
    assert texts_by_meaning(store, "v", 3.0, 4.0) == ["north", "east", "west"]
    assert texts_by_meaning(store, "v", 3.0, 4.0, limit=1) == ["north"]
    assert texts_by_meaning(store, "v", 3.0, 4.0, limit=0) == []
    matches = store.search_vectors("v", unit_vector(3.0, 4.0), limit=10)
    for match, cosine in zip(matches, (0.8, 0.6, -0.6), strict=True):
        assert abs(match.score_cosine - cosine) < 0.001
    assert store.search_vectors("other", unit_vector(*EAST), limit=10) == []


def check_equal_cosines_are_in_order_of_chunk_id(make_store: MakeStore) -> None:
    """Ask two stores that were filled in opposite order."""
    notes = [make_note(f"{number}.md", ["same", f"own {number}"]) for number in range(8)]
    answers = []
    for order in (notes, notes[::-1]):
        store = make_store()
        for note in order:
            store.put_document(note)
        for pending in store.pending_texts("v", limit=100):
            where = EAST if pending.text == "same" else NORTH
            store.put_vectors("v", {pending.text_digest: unit_vector(*where)})
        answers.append(store.search_vectors("v", unit_vector(*EAST), limit=3))
    assert answers[0] == answers[1]
    expected = sorted(note.chunks[0].chunk_id for note in notes)[:3]
    assert [match.chunk_id for match in answers[0]] == expected


def check_a_new_document_is_pending_until_asked_for(make_store: MakeStore) -> None:
    """Move a text to another document: its vector is not made again."""
    store = make_store()
    old, new = make_note("old.md", ["one", "two"]), make_note("new.md", ["two", "three"])
    store.put_document(old)
    assert embed_everything(store, "v") == 2
    store.delete_document(old.document.doc_id)
    assert store.vector_counts("v") == VectorCounts(chunks=0, embedded=0)
    assert not store.has_vectors("v")
    store.put_document(new)
    assert store.vector_counts("v").embedded == 0
    assert [each.text for each in store.pending_texts("v", limit=10)] == ["three"]
    assert store.vector_counts("v").embedded == 1


def check_vectors_of_two_models_never_mix(make_store: MakeStore) -> None:
    """Change the model, half way, and go back to the first."""
    store = make_store()
    store.put_document(make_note("a.md", ["one", "two", "three"]))
    assert embed_everything(store, "first") == 3
    (pending, *_) = store.pending_texts("second", limit=10)
    assert store.search_vectors("first", unit_vector(*EAST), limit=10) == []
    store.put_vectors("second", {pending.text_digest: unit_vector(1, 0, 0)})
    assert store.vector_counts("second") == VectorCounts(chunks=3, embedded=1)
    assert store.vector_counts("first") == VectorCounts(chunks=3, embedded=0)
    assert len(store.search_vectors("second", unit_vector(1, 0, 0), limit=10)) == 1
    assert embed_everything(store, "first") == 0
    assert len(store.search_vectors("first", unit_vector(*EAST), limit=10)) == 3
    assert store.search_vectors("second", unit_vector(1, 0, 0), limit=10) == []


def check_vectors_of_another_model_are_put_in_place_of_the_first(make_store: MakeStore) -> None:
    """Put a vector of another model without asking what is pending."""
    store = make_store()
    store.put_document(make_note("a.md", ["one", "two"]))
    embed_everything(store, "first")
    store.put_vectors("second", {text_digest("one"): unit_vector(*EAST)})
    assert store.vector_counts("first").embedded == 0
    assert texts_by_meaning(store, "second", *EAST) == ["one"]


def check_a_vector_is_made_once(make_store: MakeStore) -> None:
    """Put another vector for the same text and model: the first one stays."""
    store = make_store()
    store.put_document(make_note("a.md", ["one", "two"]))
    store.put_vectors("v", {text_digest("one"): unit_vector(*EAST)})
    store.put_vectors("v", {text_digest("one"): unit_vector(*NORTH)})
    (match,) = store.search_vectors("v", unit_vector(*EAST), limit=10)
    assert match.score_cosine == 1.0


def check_the_background_is_the_mean(make_store: MakeStore) -> None:
    """Ask for the mean cosine of nothing, and of two chunks with one text and another."""
    store = make_store()
    assert store.background_cosine("v", unit_vector(*EAST)) == 0.0
    store.put_document(make_note("a.md", ["one", "one", "two", "pending"]))
    store.put_vectors(
        "v", {text_digest("one"): unit_vector(*EAST), text_digest("two"): unit_vector(*NORTH)}
    )
    assert abs(store.background_cosine("v", unit_vector(*EAST)) - 2 / 3) < 0.000_001
    assert store.background_cosine("other", unit_vector(*EAST)) == 0.0


def check_indexes_agree_whatever_happens_to_files(make_store: MakeStore) -> None:
    """Shrink a file, delete another, ingest twice, change the model."""
    store = make_store()
    gone = make_note("b.md", ["durian", "elderberry"])
    store.put_document(make_note("a.md", ["apple", "banana", "cherry"]))
    store.put_document(gone)
    embed_everything(store, "first")
    shorter = make_note("a.md", ["banana"])
    for vector_version, made in (("first", 0), ("first", 0), ("second", 1), ("second", 0)):
        store.put_document(shorter)
        store.delete_document(gone.document.doc_id)
        assert embed_everything(store, vector_version) == made
        chunk_ids = store.chunk_ids(shorter.document.doc_id)
        assert store.vector_counts(vector_version) == VectorCounts(chunks=1, embedded=1)
        for word in ("apple", "cherry", "durian", "elderberry"):
            assert found_texts(store, query_of(word)) == []
        matches = store.search_vectors(vector_version, unit_vector(*EAST), limit=10)
        assert [match.chunk_id for match in matches] == chunk_ids
    assert store.search_vectors("first", unit_vector(*EAST), limit=10) == []


VECTOR_CHECKS: tuple[StoreCheck, ...] = (
    check_texts_are_pending_once_and_in_order,
    check_vectors_are_counted_by_chunk,
    check_the_closest_chunks_come_first,
    check_equal_cosines_are_in_order_of_chunk_id,
    check_a_new_document_is_pending_until_asked_for,
    check_vectors_of_two_models_never_mix,
    check_vectors_of_another_model_are_put_in_place_of_the_first,
    check_a_vector_is_made_once,
    check_the_background_is_the_mean,
    check_indexes_agree_whatever_happens_to_files,
)
