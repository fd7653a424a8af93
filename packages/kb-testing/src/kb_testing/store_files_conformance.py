"""What every store must do about files, parts of chunks, and paths that stay out.

@pytest.mark.parametrize("check", STORE_FILE_CHECKS, ids=lambda check: check.__name__)
def test_store_conforms(check): check(make_store)
"""

from __future__ import annotations

from kb_core import Chunk, ChunkPart, LineSpan, SourceUnit, TranscriptSegment, nfc
from kb_core.ports.store import CompanionFile, FileStamp, IngestedDocument
from kb_testing.documents import ingest_transcript, make_note, make_transcript, with_chunks
from kb_testing.store_conformance import MEETING, NOTE, MakeStore, StoreCheck

COMPANION = CompanionFile(
    asset_id="c" * 32,
    workspace_path="meetings/monday.ko.srt",
    source_path="/workspace/meetings/monday.ko.srt",
    stamp=FileStamp(byte_len=12, mtime_ns=34, inode=2**64 - 1),
)
BESIDE = MEETING.model_copy(update={"companion": COMPANION})


def note_in_parts() -> IngestedDocument:
    """Return a note of one block whose second line is a chunk of its own."""
    note = make_note("parts.md", ["one line\nand another"])
    (unit,) = note.document.source_units()
    (chunk,) = note.chunks
    ranges = [(0, 8, 1), (9, 20, 2)]
    chunks = [_part(chunk, unit, index, *each) for index, each in enumerate(ranges)]
    return with_chunks(note, chunks)


def _part(chunk: Chunk, unit: SourceUnit, index: int, start: int, end: int, line: int) -> Chunk:
    span = LineSpan(start=line, end=line)
    part = ChunkPart(
        unit_id=unit.unit_id,
        char_start=0,
        char_end=end - start,
        unit_char_start=start,
        unit_char_end=end,
        span=span,
    )
    changes = {
        "chunk_id": f"{index:032d}",
        "index": index,
        "text": unit.text[start:end],
        "source_spans": (span,),
        "parts": (part,),
    }
    return chunk.model_copy(update=changes)


def check_parts_come_back_and_say_where_they_stand(make_store: MakeStore) -> None:
    """Cut one block in two."""
    store = make_store()
    note = note_in_parts()
    store.put_document(note)
    passages = store.load_passages([chunk.chunk_id for chunk in note.chunks])
    assert [passage.chunk for passage in passages] == list(note.chunks)
    assert [passage.units[0].span for passage in passages] == [
        LineSpan(start=1, end=1),
        LineSpan(start=2, end=2),
    ]


def check_a_transcript_without_times_comes_back_equal(make_store: MakeStore) -> None:
    """Cite by lines."""
    store = make_store()
    segment = TranscriptSegment(
        start_ms=0, end_ms=0, text="turn", speaker="A", source_lines=LineSpan(start=3, end=4)
    )
    transcript = make_transcript([]).model_copy(update={"segments": (segment,), "timed": False})
    ingested = ingest_transcript("turns.txt", transcript)
    store.put_document(ingested)
    assert store.load_document(ingested.document.doc_id) == ingested.document


def check_files_are_known_with_their_companions(make_store: MakeStore) -> None:
    """Ask for all files at once."""
    store = make_store()
    assert store.known_files() == []
    for ingested in (NOTE, BESIDE):
        store.put_document(ingested)
    places = [
        (BESIDE.asset.source_path, BESIDE.stamp, BESIDE.document.doc_id),
        (COMPANION.source_path, COMPANION.stamp, BESIDE.document.doc_id),
        (NOTE.asset.source_path, NOTE.stamp, NOTE.document.doc_id),
    ]
    assert store.known_files() == [
        (path, stamp.byte_len, stamp.mtime_ns, stamp.inode, doc_id)
        for path, stamp, doc_id in sorted(places, key=lambda place: place[0])
    ]


def check_a_companion_goes_with_its_recording(make_store: MakeStore) -> None:
    """Put a recording with a companion, without one, and delete it."""
    store = make_store()
    store.put_document(BESIDE)
    (row,) = store.list_documents()
    assert row.companion == COMPANION
    assert store.has_companions()
    assert store.version_groups() == []
    store.put_document(MEETING)
    (row,) = store.list_documents()
    assert row.companion is None
    assert not store.has_companions()
    assert store.version_groups() == [(MEETING.document.media_type, MEETING.versions)]
    store.put_document(BESIDE)
    store.delete_document(BESIDE.document.doc_id)
    assert store.known_files() == []


def check_forgotten_paths_are_kept_until_they_are_taken_back(make_store: MakeStore) -> None:
    """Forget twice, take back one, then a folder."""
    store = make_store()
    decomposed = "notes/\u1100\u1161.md"
    for path in ("a/one.md", "a/b", "ab/two.md", decomposed, "a/one.md"):
        store.forget(path)
    assert store.forgotten_paths() == sorted(["a/one.md", "a/b", "ab/two.md", nfc(decomposed)])
    store.take_back("no/such")
    store.take_back(nfc(decomposed))
    store.take_back("a")
    assert store.forgotten_paths() == ["ab/two.md"]


STORE_FILE_CHECKS: tuple[StoreCheck, ...] = (
    check_parts_come_back_and_say_where_they_stand,
    check_a_transcript_without_times_comes_back_equal,
    check_files_are_known_with_their_companions,
    check_a_companion_goes_with_its_recording,
    check_forgotten_paths_are_kept_until_they_are_taken_back,
)
