"""What every store must do when a search is restricted, and what it must tell for that.

@pytest.mark.parametrize("check", SCOPE_CHECKS, ids=lambda check: check.__name__)
def test_store_conforms(check): check(make_store)
"""

from __future__ import annotations

from datetime import date

from kb_core import DocumentMetadata, TranscriptSegment
from kb_core.ports.store import FileStamp, IngestedDocument
from kb_core.query import EVERYTHING, SearchScope
from kb_testing.documents import ingest_transcript, make_note, make_recording, make_transcript
from kb_testing.store_conformance import FullStore, MakeStore, StoreCheck, query_of
from kb_testing.vector_conformance import embed_everything, unit_vector

TALK = make_recording(
    "talk.wav",
    [
        (0, 1, "apple one", "Kim"),
        (1, 2, "apple two", "Lee"),
        (2, 3, "apple three", None),
        (3, 4, "apple four", "Kim"),
        (4, 5, "pineapple five", "Lee"),
    ],
    segments_per_chunk=2,
)
NOTES = make_note("notes.md", ["apple six", "apple pie seven", "pear eight"])
OTHER = make_note("other.md", ["apple nine", "applesauce ten"])

SCOPES: dict[str, tuple[SearchScope, set[str]]] = {
    "everything": (
        EVERYTHING,
        {"one", "three", "five", "six", "seven", "eight", "nine", "ten"},
    ),
    "no document": (SearchScope(doc_ids=frozenset()), set()),
    "unknown document": (SearchScope(doc_ids=frozenset({"none"})), set()),
    "one document": (
        SearchScope(doc_ids=frozenset({NOTES.document.doc_id})),
        {"six", "seven", "eight"},
    ),
    "one speaker": (SearchScope(speakers=frozenset({"Kim"})), {"one", "three"}),
    "either speaker": (
        SearchScope(speakers=frozenset({"Kim", "Lee"})),
        {"one", "three", "five"},
    ),
    "no such speaker": (SearchScope(speakers=frozenset({"Park"})), set()),
    "without a speaker": (
        SearchScope(without_speakers=frozenset({"Kim"})),
        {"five", "six", "seven", "eight", "nine", "ten"},
    ),
    "one speaker without another": (
        SearchScope(speakers=frozenset({"Lee"}), without_speakers=frozenset({"Kim"})),
        {"five"},
    ),
    "required": (
        SearchScope(required=query_of("apple", "seven").terms),
        {"seven"},
    ),
    "required phrase": (SearchScope(required=query_of("apple pie").terms), {"seven"}),
    "required beginning": (
        SearchScope(required=query_of("apples", prefix=True).terms),
        {"ten"},
    ),
    "excluded": (
        SearchScope(excluded=query_of("apple", "five").terms),
        {"eight", "ten"},
    ),
    "all of it": (
        SearchScope(
            doc_ids=frozenset({TALK.document.doc_id, NOTES.document.doc_id}),
            without_speakers=frozenset({"Lee"}),
            required=query_of("apple").terms,
            excluded=query_of("pie").terms,
        ),
        {"three", "six"},
    ),
}
"""Restrictions, and a word of each chunk of `TALK`, `NOTES` and `OTHER` that they leave."""

_NUMBERS = ("one", "three", "five", "six", "seven", "eight", "nine", "ten")


def filled(make_store: MakeStore) -> FullStore:
    """Return a store with all documents above, each chunk with a vector of the model `v`."""
    store = make_store()
    for ingested in (OTHER, TALK, NOTES):
        store.put_document(ingested)
    embed_everything(store, "v")
    return store


def _names(store: FullStore, chunk_ids: list[str]) -> list[str]:
    """Return the number word of each chunk, the first where it has two."""
    texts = [passage.chunk.text.split() for passage in store.load_passages(chunk_ids)]
    return [next(number for number in _NUMBERS if number in text) for text in texts]


def check_a_search_by_words_stays_in_its_scope(make_store: MakeStore) -> None:
    """Search for a word in each scope, in both legs; nothing outside takes a place."""
    store = filled(make_store)
    query = query_of("appl", "pineappl", "pear", prefix=True)
    for leg in ("pairs", "morphemes"):
        for scope, expected in SCOPES.values():
            matches = store.search_lexical(
                query, require_all=False, limit=len(expected), leg=leg, scope=scope
            )
            assert set(_names(store, [match.chunk_id for match in matches])) == expected
            assert len(matches) == len(expected)


def check_a_search_by_meaning_stays_in_its_scope(make_store: MakeStore) -> None:
    """Search for a vector in each scope; nothing outside takes a place."""
    store = filled(make_store)
    for scope, expected in SCOPES.values():
        matches = store.search_vectors("v", unit_vector(1, 0), limit=len(expected), scope=scope)
        assert set(_names(store, [match.chunk_id for match in matches])) == expected
        assert len(matches) == len(expected)


def check_a_scope_is_listed_in_order_of_path_and_place(make_store: MakeStore) -> None:
    """List each scope, whole and in part."""
    store = filled(make_store)
    in_order = ["six", "seven", "eight", "nine", "ten", "one", "three", "five"]
    for scope, expected in SCOPES.values():
        names = [name for name in in_order if name in expected]
        for limit in (0, 2, 100):
            assert _names(store, store.chunks_in_scope(scope, limit=limit)) == names[:limit]


def check_neighbours_come_in_document_order(make_store: MakeStore) -> None:
    """Ask at the edge, in the middle, and for nothing but itself."""
    store = make_store()
    note = make_note("long.md", [f"part {number}" for number in range(7)])
    store.put_document(note)
    store.put_document(NOTES)
    ids = store.chunk_ids(note.document.doc_id)
    assert store.neighbour_ids(ids[0], 2) == ids[:3]
    assert store.neighbour_ids(ids[3], 1) == ids[2:5]
    assert store.neighbour_ids(ids[6], 100) == ids
    assert store.neighbour_ids(ids[3], 0) == [ids[3]]


def check_facts_of_documents_are_told(make_store: MakeStore) -> None:
    """Ask for the facts of a recording in two languages and of a dated note."""
    store = make_store()
    store.put_document(_bilingual_recording())
    store.put_document(_dated_note())
    note, talk = store.document_facts()
    assert (note.doc_path, note.media_type) == ("a.md", "markdown")
    assert (note.languages, note.speakers) == (("de",), ())
    assert (note.tags, note.created) == (("z", "a"), "2024-02-03")
    assert note.modified_on == date(1969, 12, 31)
    assert (talk.doc_path, talk.media_type) == ("b.wav", "audio/mpeg")
    assert (talk.languages, talk.speakers) == (("en", "ko", "zh"), ("Ada", "김"))
    assert (talk.tags, talk.created) == (("testing",), None)
    assert talk.modified_on == date(2026, 4, 24)
    assert talk.doc_id == _bilingual_recording().document.doc_id


def _bilingual_recording() -> IngestedDocument:
    said = [("ko", "김"), ("zh", "Ada"), ("ko", "김"), (None, None)]
    segments = tuple(
        TranscriptSegment(
            start_ms=at, end_ms=at + 1, text=f"word {at}", language=language, speaker=speaker
        )
        for at, (language, speaker) in enumerate(said)
    )
    transcript = make_transcript([]).model_copy(update={"segments": segments})
    return ingest_transcript("b.wav", transcript)


def _dated_note() -> IngestedDocument:
    note = make_note("a.md", ["text"])
    metadata = DocumentMetadata(tags=("z", "a"), created="2024-02-03")
    document = note.document.model_copy(update={"lang": "de", "metadata": metadata})
    stamp = FileStamp(byte_len=1, mtime_ns=-1)
    return note.model_copy(update={"document": document, "stamp": stamp})


SCOPE_CHECKS: tuple[StoreCheck, ...] = (
    check_a_search_by_words_stays_in_its_scope,
    check_a_search_by_meaning_stays_in_its_scope,
    check_a_scope_is_listed_in_order_of_path_and_place,
    check_neighbours_come_in_document_order,
    check_facts_of_documents_are_told,
)
