from pathlib import Path

import pytest

from kb_core.errors import StoreCorrupt
from kb_core.ports.store import StoreCounts
from kb_core.ports.transcriber import RecognisedWindow
from kb_store_sqlite import SqliteStore
from kb_testing.documents import make_note, make_recording
from kb_testing.store_conformance import MEETING


def put_with_file(store: SqliteStore, folder: Path) -> Path:
    file = folder / "note.md"
    file.write_text("apple")
    note = make_note("note.md", ["apple"])
    asset = note.asset.model_copy(update={"source_path": str(file)})
    store.put_document(note.model_copy(update={"asset": asset}))
    return file


def codes(store: SqliteStore) -> list[str]:
    findings = store.check()
    assert all(finding.hint for finding in findings)
    return [finding.code for finding in findings]


def break_it(store: SqliteStore, *statements: str) -> None:
    connection = store._database.connection()
    connection.execute("PRAGMA foreign_keys = OFF")
    for statement in statements:
        connection.execute(statement)
    connection.execute("PRAGMA foreign_keys = ON")


def test_a_sound_store_has_no_findings(store: SqliteStore, tmp_path: Path) -> None:
    assert codes(store) == []
    put_with_file(store, tmp_path)
    assert codes(store) == []


def test_a_file_that_is_gone_is_named(store: SqliteStore, tmp_path: Path) -> None:
    put_with_file(store, tmp_path).unlink()
    (finding,) = store.check()
    assert finding.code == "missing_file"
    assert "note.md" in finding.message


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ("DELETE FROM chunk_fts", "index_mismatch"),
        ("INSERT INTO chunk_fts (rowid, tokens) VALUES (99, 'x')", "index_mismatch"),
        ("DELETE FROM chunk_fts_docsize", "damaged_index"),
        ("DELETE FROM assets", "broken_reference"),
        ("DELETE FROM chunks", "incomplete_document"),
    ],
)
def test_damage_is_found(store: SqliteStore, tmp_path: Path, damage: str, code: str) -> None:
    put_with_file(store, tmp_path)
    break_it(store, damage)
    assert code in codes(store)


def test_a_check_changes_nothing(store: SqliteStore, tmp_path: Path) -> None:
    put_with_file(store, tmp_path)
    before = list(store.dump_reproducible_rows())
    store.check()
    assert list(store.dump_reproducible_rows()) == before


def test_overwritten_pages_are_found(path: Path, tmp_path: Path) -> None:
    with SqliteStore.open(path, create=True) as store:
        rows = [(n, n + 1, f"word {n}", None) for n in range(500)]
        store.put_document(make_recording("long.wav", rows))
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(bytes(content))
    with SqliteStore.open(path) as store:
        assert codes(store)[0] == "damaged_file"


def test_a_damaged_cached_transcript_is_an_error_and_not_silence(store: SqliteStore) -> None:
    store.put_window("asset", "version", 0, 16, RecognisedWindow(segments=()))
    store._database.connection().execute("UPDATE transcript_windows SET body = x'00'")
    with pytest.raises(StoreCorrupt):
        store.get_window("asset", "version", 0, 16)


def test_counts_say_how_much_there_is(store: SqliteStore) -> None:
    store.put_document(MEETING)
    store.put_document(make_note("a.md", ["one", "two"]))
    store.put_window("asset", "version", 0, 16, RecognisedWindow(segments=()))
    assert store.counts() == StoreCounts(
        documents=2, duration_ms=12000, segments=4, chunks=4, transcripts=0, windows=1
    )
