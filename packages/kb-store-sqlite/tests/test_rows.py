import itertools
import time
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import SegmentFlag, TranscriptSegment, Word
from kb_store_sqlite import SqliteStore
from kb_store_sqlite.units import locate_units
from kb_testing.documents import ingest_transcript, make_note, make_recording, make_transcript
from kb_testing.store_conformance import MEETING, NOTE, detailed_recording

DOCUMENTS = [MEETING, NOTE, detailed_recording(), make_note("copy of plan.md", ["the plan"])]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_rows_do_not_depend_on_what_came_before(tmp_path: Path, order: tuple[int, ...]) -> None:
    dumps = []
    for number, ingested in enumerate(([0, 1, 2], [*order, *order])):
        with SqliteStore.open(tmp_path / f"{number}.sqlite3", create=True) as store:
            if number:
                store.put_document(DOCUMENTS[3])
            for place in ingested:
                store.put_document(DOCUMENTS[place])
            store.delete_document(DOCUMENTS[3].document.doc_id)
            dumps.append(list(store.dump_reproducible_rows()))
    assert dumps[0] == dumps[1]


def test_rows_hold_nothing_of_the_machine(store: SqliteStore) -> None:
    store.put_document(MEETING)
    before = list(store.dump_reproducible_rows())
    assert before
    elsewhere = MEETING.asset.model_copy(
        update={"source_path": "/other/monday.m4a", "discovered_at": "2030-01-01T00:00:00Z"}
    )
    stamp = MEETING.stamp.model_copy(update={"mtime_ns": 1})
    store.put_document(MEETING.model_copy(update={"asset": elsewhere, "stamp": stamp}))
    assert list(store.dump_reproducible_rows()) == before
    assert "/other" not in repr(before)


def test_every_chunk_is_in_the_word_index(store: SqliteStore) -> None:
    for document in DOCUMENTS:
        store.put_document(document)
    rows = list(store.dump_reproducible_rows())
    tables = {
        table: {row[1] for row in rows if row[0] == table} for table in ("chunks", "chunk_fts")
    }
    assert tables["chunks"] == tables["chunk_fts"] == set(store.iter_chunk_ids(""))


def test_nothing_is_left_when_all_is_deleted(store: SqliteStore) -> None:
    for document in DOCUMENTS:
        store.put_document(document)
    for document in DOCUMENTS:
        store.delete_document(document.document.doc_id)
    assert list(store.dump_reproducible_rows()) == []


def test_a_renamed_speaker_shows_in_the_document_and_in_its_passages(store: SqliteStore) -> None:
    store.put_document(MEETING)
    with store._database.write() as connection:
        connection.execute("UPDATE segments SET speaker = 'Ada' WHERE speaker = 'S2'")
    document = store.load_document(MEETING.document.doc_id)
    assert document is not None
    assert [unit.speaker for unit in document.source_units()] == ["Ada", "S1", None, "Ada"]
    passages = store.load_passages(store.chunk_ids(document.doc_id))
    assert [unit.speaker for passage in passages for unit in passage.units] == [
        "Ada",
        "S1",
        None,
        "Ada",
    ]
    assert store.list_documents()[0].speakers == ("Ada", "S1")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
CONFIDENCE = st.none() | st.floats(0, 1)
TIMES = st.tuples(st.integers(0, 2**40), st.integers(0, 2**40)).map(sorted)
WORDS = st.builds(
    lambda times, text, confidence: Word(
        start_ms=times[0], end_ms=times[1], text=text, confidence=confidence
    ),
    TIMES,
    TEXT,
    CONFIDENCE,
)
FLAGS = st.builds(
    SegmentFlag,
    code=st.sampled_from(["time_repaired", "repeated", "suspected_hallucination"]),
    detail=st.none() | TEXT,
)
SEGMENTS = st.builds(
    lambda times, **fields: TranscriptSegment(start_ms=times[0], end_ms=times[1], **fields),
    TIMES,
    text=TEXT,
    speaker=st.none() | TEXT,
    confidence=CONFIDENCE,
    language=st.none() | TEXT,
    words=st.lists(WORDS, max_size=3).map(tuple),
    flags=st.lists(FLAGS, max_size=2).map(tuple),
)


@given(st.lists(SEGMENTS, max_size=6))
def test_any_transcript_comes_back_equal(
    shared_store: SqliteStore, segments: list[TranscriptSegment]
) -> None:
    transcript = make_transcript([]).model_copy(update={"segments": tuple(segments)})
    ingested = ingest_transcript("any.wav", transcript)
    shared_store.put_document(ingested)
    assert shared_store.load_document(ingested.document.doc_id) == ingested.document
    passages = shared_store.load_passages(shared_store.chunk_ids(ingested.document.doc_id))
    assert tuple(passage.chunk for passage in passages) == ingested.chunks
    assert [f.code for f in shared_store.check() if f.code != "missing_file"] == []


@given(
    st.lists(TEXT.map(lambda text: text.strip() or "x"), min_size=1), st.sampled_from([" ", "\n\n"])
)
def test_units_are_located_by_position(texts: list[str], joint: str) -> None:
    chunk_text = joint.join(texts)
    ranges = locate_units(chunk_text, texts)
    assert [chunk_text[start:end] for start, end in ranges] == texts


def test_a_sentence_said_twice_has_two_places() -> None:
    assert locate_units("yes yes", ["yes", "yes"]) == [(0, 3), (4, 7)]


def test_a_text_that_is_not_its_units_gives_each_the_whole_of_it() -> None:
    assert locate_units("summary", ["one", "two"]) == [(0, 7), (0, 7)]


def test_a_recording_without_speech_is_stored(store: SqliteStore) -> None:
    store.put_document(make_recording("silence.wav", []))
    (row,) = store.list_documents()
    assert (row.segment_count, row.chunk_count, row.speakers) == (0, 0, ())


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the time zone is fixed here")
def test_the_day_of_a_file_is_the_same_in_every_time_zone(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = NOTE.stamp.model_copy(update={"mtime_ns": 0})
    store.put_document(NOTE.model_copy(update={"stamp": stamp}))
    try:
        for zone in ("EAST-14", "WEST+11"):  # POSIX rules, so no database of zones is needed
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            assert store.document_facts()[0].modified_on == date(1970, 1, 1)
    finally:
        monkeypatch.undo()
        time.tzset()
