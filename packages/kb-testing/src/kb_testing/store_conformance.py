"""What every store must do, as checks that take a factory of empty stores.

@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
def test_store_conforms(check): check(make_store)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Protocol

from kb_core import (
    DocumentChoices,
    LexicalQuery,
    QueryTerm,
    SegmentFlag,
    StepWarning,
    TranscriptSegment,
    Word,
)
from kb_core.ports.store import (
    DocumentStore,
    FileStamp,
    IngestedDocument,
    LexicalIndex,
    VectorIndex,
)
from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_core.ports.transcript_cache import CachedTranscript, TranscriptCache
from kb_testing.documents import (
    TRANSCRIPT_VERSION,
    ingest_transcript,
    make_note,
    make_recording,
    make_transcript,
    with_chunks,
)


class FullStore(DocumentStore, LexicalIndex, VectorIndex, TranscriptCache, Protocol):
    """Everything that a store offers."""


MakeStore = Callable[[], FullStore]
StoreCheck = Callable[[MakeStore], None]

MEETING = make_recording(
    "meetings/monday.m4a",
    [
        (0, 1500, "good morning everyone", "S2"),
        (1500, 4000, "the budget is late", "S1"),
        (4000, 4000, "budget", None),
        (9000, 12000, "see you on friday", "S2"),
    ],
)
NOTE = make_note("notes/plan.md", ["the plan", "the same words", "the same words"])


def detailed_recording() -> IngestedDocument:
    """Return a recording whose every optional field is set."""
    transcript = make_transcript([(0, 1000, "plain", None)])
    segment = TranscriptSegment(
        start_ms=1000,
        end_ms=2345,
        text="배포 오류",
        speaker="김",
        confidence=0.1 + 0.2,
        language="ko",
        words=(
            Word(start_ms=1000, end_ms=1500, text="배포", confidence=1 / 3),
            Word(start_ms=1500, end_ms=2345, text="오류"),
        ),
        flags=(SegmentFlag(code="time_repaired", detail="was 1-2 ms"),),
    )
    hidden = TranscriptSegment(
        start_ms=2345, end_ms=3000, text="plain", flags=(SegmentFlag(code="repeated"),)
    )
    transcript = transcript.model_copy(
        update={"segments": (*transcript.segments, segment, hidden), "language": None}
    )
    ingested = ingest_transcript("detailed.wav", transcript)
    warnings = (StepWarning(code="damaged_audio", message="gap", unit="00:00:01"),)
    return ingested.model_copy(update={"warnings": warnings})


def query_of(*terms: str, prefix: bool = False) -> LexicalQuery:
    """Return a query of terms whose tokens are separated by spaces."""
    return LexicalQuery(
        terms=tuple(
            QueryTerm(text=term, tokens=tuple(term.split()), prefix=prefix) for term in terms
        )
    )


def found_texts(store: FullStore, query: LexicalQuery, *, require_all: bool = True) -> list[str]:
    """Return the texts of what a store finds, best first."""
    matches = store.search_lexical(query, require_all=require_all, limit=10)
    passages = store.load_passages([match.chunk_id for match in matches])
    return [passage.chunk.text for passage in passages]


def check_a_document_comes_back_equal(make_store: MakeStore) -> None:
    """Load what was put."""
    store = make_store()
    for ingested in (MEETING, NOTE, detailed_recording(), make_recording("silence.wav", [])):
        store.put_document(ingested)
        assert store.load_document(ingested.document.doc_id) == ingested.document


def check_choices_for_a_document_come_back_equal(make_store: MakeStore) -> None:
    """Choose nothing, then all, then what differs from nothing least, for one document."""
    store = make_store()
    for choices in (
        DocumentChoices(),
        DocumentChoices(languages=("ko", "en"), speakers="channels", keep_suspect=True),
        DocumentChoices(languages=(), speakers="none", keep_suspect=False),
    ):
        kept = choices.keep_suspect is True
        versions = MEETING.versions.model_copy(update={"choices": choices, "keeps_suspects": kept})
        metadata = MEETING.document.metadata.model_copy(update={"keeps_suspects": kept})
        document = MEETING.document.model_copy(update={"metadata": metadata})
        store.put_document(MEETING.model_copy(update={"versions": versions, "document": document}))
        (row,) = store.list_documents()
        assert row.versions == versions
        assert store.load_document(document.doc_id) == document


def check_an_absent_document_is_none(make_store: MakeStore) -> None:
    """Ask an empty store."""
    store = make_store()
    assert store.list_documents() == []
    assert store.load_document("none") is None
    assert store.find_document("none") is None
    assert store.find_document_by_path("none.md") is None
    assert store.chunk_ids("none") == []
    assert store.neighbour_ids("none", 1) == []
    assert store.document_facts() == []
    assert store.load_passages(["none"]) == []
    assert store.delete_document("none") is False


def check_a_row_tells_what_was_stored(make_store: MakeStore) -> None:
    """Read the rows of two documents, ordered by path."""
    store = make_store()
    store.put_document(NOTE)
    store.put_document(MEETING)
    meeting, note = store.list_documents()
    assert (meeting.workspace_path, note.workspace_path) == ("meetings/monday.m4a", "notes/plan.md")
    assert (meeting.segment_count, meeting.chunk_count, meeting.duration_ms) == (4, 2, 12000)
    assert meeting.speakers == ("S2", "S1")
    assert (note.segment_count, note.chunk_count, note.duration_ms) == (0, 3, None)
    assert meeting.stamp == MEETING.stamp
    assert meeting.versions == MEETING.versions
    assert meeting.checksum == MEETING.asset.checksum
    assert meeting.source_path == MEETING.asset.source_path
    assert store.find_document(meeting.doc_id) == meeting
    assert store.find_document_by_path("notes/plan.md") == note


def check_warnings_stay_with_the_step_that_gave_them(make_store: MakeStore) -> None:
    """Warn from reading, and of something else from cutting."""
    store = make_store()
    ingested = detailed_recording()
    of_cutting = StepWarning(code="caveat", message="a boundary is not sure", unit="#0")
    store.put_document(with_chunks(ingested, ingested.chunks, [of_cutting]))
    (found,) = store.list_documents()
    assert found.warnings == ingested.warnings
    assert [run.warnings for run in found.runs] == [(of_cutting,)]
    assert store.find_document(ingested.document.doc_id) == found


def check_a_path_in_any_normal_form_is_found(make_store: MakeStore) -> None:
    """Store under a decomposed name, ask for the composed one and the reverse."""
    store = make_store()
    composed = "노트/각.md"
    decomposed = unicodedata.normalize("NFD", composed)
    store.put_document(make_note(decomposed, ["text"]))
    assert store.find_document_by_path(composed) is not None
    assert store.find_document_by_path(decomposed) is not None


def check_putting_again_replaces(make_store: MakeStore) -> None:
    """Shrink a file: old words are gone from every index."""
    store = make_store()
    store.put_document(make_note("a.md", ["apple", "banana", "cherry"]))
    shorter = make_note("a.md", ["apple"])
    store.put_document(shorter)
    store.put_document(shorter)
    assert [row.doc_id for row in store.list_documents()] == [shorter.document.doc_id]
    assert list(store.iter_chunk_ids("")) == store.chunk_ids(shorter.document.doc_id)
    assert found_texts(store, query_of("banana")) == []
    assert found_texts(store, query_of("apple")) == ["apple"]


def check_replaced_documents_are_gone(make_store: MakeStore) -> None:
    """Move a file: the document at the new path takes the place of the old one."""
    store = make_store()
    old = make_note("old.md", ["apple"])
    new = make_note("new.md", ["apple"])
    store.put_document(old)
    store.put_document(new, replaces=[old.document.doc_id])
    assert [row.workspace_path for row in store.list_documents()] == ["new.md"]
    assert found_texts(store, query_of("apple")) == ["apple"]


def check_the_same_bytes_at_two_paths_are_two_documents(make_store: MakeStore) -> None:
    """Delete one copy; the other stays whole."""
    store = make_store()
    one, other = make_note("one.md", ["apple"]), make_note("two.md", ["apple"])
    assert one.asset.asset_id == other.asset.asset_id
    store.put_document(one)
    store.put_document(other)
    matches = store.search_lexical(query_of("apple"), require_all=True, limit=10)
    passages = store.load_passages([match.chunk_id for match in matches])
    assert sorted(passage.doc_path for passage in passages) == ["one.md", "two.md"]
    assert store.delete_document(one.document.doc_id) is True
    assert store.load_document(other.document.doc_id) == other.document
    assert store.find_document_by_path("two.md") is not None
    assert found_texts(store, query_of("apple")) == ["apple"]


def check_a_new_stamp_changes_nothing_else(make_store: MakeStore) -> None:
    """Touch a file and move its folder."""
    store = make_store()
    store.put_document(NOTE)
    before = store.list_documents()[0]
    stamp = FileStamp(byte_len=9, mtime_ns=-1, inode=7)
    store.restamp(before.doc_id, "/elsewhere/plan.md", stamp)
    expected = before.model_copy(update={"source_path": "/elsewhere/plan.md", "stamp": stamp})
    assert store.list_documents() == [expected]


def check_passages_know_where_their_units_stand(make_store: MakeStore) -> None:
    """Cut every unit out of its chunk's text."""
    store = make_store()
    for ingested in (MEETING, NOTE):
        store.put_document(ingested)
        units = {unit.unit_id: unit for unit in ingested.document.source_units()}
        passages = store.load_passages(store.chunk_ids(ingested.document.doc_id))
        assert [passage.chunk for passage in passages] == list(ingested.chunks)
        for passage in passages:
            for unit in passage.units:
                source = units[unit.unit_id]
                assert passage.chunk.text[unit.char_start : unit.char_end] == source.text
                assert (unit.span, unit.speaker) == (source.span, source.speaker)


def check_units_of_a_rewritten_text_share_the_whole_of_it(make_store: MakeStore) -> None:
    """Store a chunk whose text is not its units put together."""
    store = make_store()
    chunk = MEETING.chunks[0].model_copy(update={"text": "they talked about money"})
    store.put_document(with_chunks(MEETING, [chunk]))
    (passage,) = store.load_passages([chunk.chunk_id])
    ranges = {(unit.char_start, unit.char_end) for unit in passage.units}
    assert ranges == {(0, len(chunk.text))}


def check_passages_come_in_the_order_asked_for(make_store: MakeStore) -> None:
    """Ask backwards, with one id that does not exist."""
    store = make_store()
    store.put_document(NOTE)
    ids = store.chunk_ids(NOTE.document.doc_id)[::-1]
    passages = store.load_passages([ids[0], "none", *ids[1:]])
    assert [passage.chunk.chunk_id for passage in passages] == ids


def check_chunk_ids_are_found_by_their_beginning(make_store: MakeStore) -> None:
    """Ask for all, for some and for none."""
    store = make_store()
    store.put_document(NOTE)
    ids = sorted(store.chunk_ids(NOTE.document.doc_id))
    assert list(store.iter_chunk_ids("")) == ids
    assert list(store.iter_chunk_ids(ids[1][:6])) == [i for i in ids if i.startswith(ids[1][:6])]
    assert list(store.iter_chunk_ids("%")) == []


def check_all_terms_or_any_term(make_store: MakeStore) -> None:
    """Ask for two words of which one is in every chunk."""
    store = make_store()
    store.put_document(make_note("a.md", ["red apple", "green apple", "red wine"]))
    assert found_texts(store, query_of("red", "apple")) == ["red apple"]
    found = found_texts(store, query_of("red", "apple"), require_all=False)
    assert found[0] == "red apple"
    assert sorted(found) == ["green apple", "red apple", "red wine"]


def check_tokens_of_a_term_are_neighbours(make_store: MakeStore) -> None:
    """Ask for a phrase, and for the beginning of its last word."""
    store = make_store()
    store.put_document(make_note("a.md", ["new york times", "times of york new"]))
    assert found_texts(store, query_of("new york")) == ["new york times"]
    assert found_texts(store, query_of("york ti", prefix=True)) == ["new york times"]
    assert found_texts(store, query_of("york ti")) == []


def check_a_query_without_terms_finds_nothing(make_store: MakeStore) -> None:
    """Ask for nothing, and for no results."""
    store = make_store()
    store.put_document(NOTE)
    assert store.search_lexical(LexicalQuery(), require_all=True, limit=10) == []
    assert store.search_lexical(LexicalQuery(), require_all=False, limit=10) == []
    assert store.search_lexical(query_of("plan"), require_all=True, limit=0) == []


def check_equal_scores_are_in_order_of_chunk_id(make_store: MakeStore) -> None:
    """Ask two stores that were filled in opposite order."""
    notes = [make_note(f"{number}.md", ["the same words"]) for number in range(8)]
    answers = []
    for order in (notes, notes[::-1]):
        store = make_store()
        for note in order:
            store.put_document(note)
        answers.append(store.search_lexical(query_of("same"), require_all=True, limit=3))
    assert answers[0] == answers[1]
    expected = sorted(note.chunks[0].chunk_id for note in notes)[:3]
    assert [match.chunk_id for match in answers[0]] == expected


def check_a_deleted_document_is_found_no_more(make_store: MakeStore) -> None:
    """Delete, and look everywhere."""
    store = make_store()
    store.put_document(MEETING)
    store.put_document(NOTE)
    assert store.delete_document(MEETING.document.doc_id) is True
    assert found_texts(store, query_of("budget")) == []
    assert store.chunk_ids(MEETING.document.doc_id) == []
    assert [row.doc_id for row in store.list_documents()] == [NOTE.document.doc_id]
    assert store.delete_document(MEETING.document.doc_id) is False


def check_a_transcript_outlives_its_document(make_store: MakeStore) -> None:
    """Keep a transcript, delete the document."""
    store = make_store()
    audio = MEETING.document.audio
    assert audio is not None
    assert audio.transcript is not None
    warning = StepWarning(code="damaged_audio", message="gap")
    cached = CachedTranscript(transcript=audio.transcript, duration_ms=5, warnings=(warning,))
    asset_id = MEETING.asset.asset_id
    assert store.get_transcript(asset_id, TRANSCRIPT_VERSION) is None
    store.put_transcript(asset_id, cached)
    store.put_document(MEETING)
    store.delete_document(MEETING.document.doc_id)
    assert store.get_transcript(asset_id, TRANSCRIPT_VERSION) == cached
    assert store.get_transcript(asset_id, "another") is None
    assert store.get_transcript("another", TRANSCRIPT_VERSION) is None


def check_what_was_heard_outlives_its_transcript(make_store: MakeStore) -> None:
    """Keep windows and languages of two versions, finish a transcript."""
    store = make_store()
    transcript = make_transcript([(0, 1000, "word", None)])
    window = RecognisedWindow(segments=transcript.segments, language="en")
    languages = HeardLanguages(probabilities={"en": 0.75, "ko": 0.25})
    for version in ("one", "one", "two"):
        store.put_window("asset", version, (0, 160), window)
        store.put_languages("asset", version, (0, 160), languages)
    store.put_transcript("asset", CachedTranscript(transcript=transcript, duration_ms=1000))
    for version in ("one", "two"):
        assert store.get_window("asset", version, (0, 160)) == window
        assert store.get_languages("asset", version, (0, 160)) == languages
    assert store.get_window("asset", "one", (0, 176)) is None
    assert store.get_languages("asset", "one", (16, 160)) is None
    assert store.get_languages("other", "one", (0, 160)) is None


STORE_CHECKS: tuple[StoreCheck, ...] = (
    check_a_document_comes_back_equal,
    check_choices_for_a_document_come_back_equal,
    check_an_absent_document_is_none,
    check_a_row_tells_what_was_stored,
    check_warnings_stay_with_the_step_that_gave_them,
    check_a_path_in_any_normal_form_is_found,
    check_putting_again_replaces,
    check_replaced_documents_are_gone,
    check_the_same_bytes_at_two_paths_are_two_documents,
    check_a_new_stamp_changes_nothing_else,
    check_passages_know_where_their_units_stand,
    check_units_of_a_rewritten_text_share_the_whole_of_it,
    check_passages_come_in_the_order_asked_for,
    check_chunk_ids_are_found_by_their_beginning,
    check_all_terms_or_any_term,
    check_tokens_of_a_term_are_neighbours,
    check_a_query_without_terms_finds_nothing,
    check_equal_scores_are_in_order_of_chunk_id,
    check_a_deleted_document_is_found_no_more,
    check_a_transcript_outlives_its_document,
    check_what_was_heard_outlives_its_transcript,
)
