import re
import zlib
from contextlib import closing
from pathlib import Path

import pytest

import kb_store_sqlite
from kb_core.errors import StoreBusy
from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_core.ports.transcript_cache import CachedTranscript
from kb_core.ports.upkeep import StoreCounts
from kb_store_sqlite import SqliteStore
from kb_store_sqlite.connection import Database
from kb_store_sqlite.health import check
from kb_store_sqlite.store import EXACT_LIMIT
from kb_testing.documents import make_note, make_recording
from kb_testing.store_conformance import MEETING

COMMANDS = {
    *("init", "ingest", "search", "list", "inspect", "play", "models", "status", "doctor", "demo")
}


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
        ("DELETE FROM chunk_morphemes", "index_mismatch"),
        ("INSERT INTO chunk_morphemes (rowid, tokens) VALUES (99, 'x')", "index_mismatch"),
        ("DELETE FROM chunk_morphemes_docsize", "damaged_index"),
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


def test_an_unreadable_cache_row_is_absent_and_named(store: SqliteStore) -> None:
    audio = MEETING.document.audio
    assert audio is not None
    assert audio.transcript is not None
    asset_id, version = MEETING.asset.asset_id, audio.transcript.transcript_version
    cached = CachedTranscript(transcript=audio.transcript, duration_ms=12000)
    window = RecognisedWindow(segments=())
    languages = HeardLanguages(probabilities={"en": 1.0})
    store.put_document(MEETING)
    store.put_transcript(asset_id, cached)
    store.put_window("other", version, (0, 16), window)
    store.put_languages("other", version, (0, 16), languages)
    assert "damaged_cache" not in codes(store)
    break_it(
        store,
        "UPDATE transcripts SET body = substr(body, 1, length(body) / 2)",
        "UPDATE heard_windows SET body = x'00'",
        "UPDATE heard_languages SET body = x'00'",
    )
    assert store.get_transcript(asset_id, version) is None
    assert store.get_window("other", version, (0, 16)) is None
    assert store.get_languages("other", version, (0, 16)) is None
    named = [finding.message for finding in store.check() if finding.code == "damaged_cache"]
    assert named == [
        "meetings/monday.m4a: a row of transcripts cannot be read",
        "asset other: a row of heard_windows cannot be read",
        "asset other: a row of heard_languages cannot be read",
    ]
    store.put_transcript(asset_id, cached)
    store.put_window("other", version, (0, 16), window)
    store.put_languages("other", version, (0, 16), languages)
    assert "damaged_cache" not in codes(store)
    assert store.get_transcript(asset_id, version) == cached


def test_a_readable_body_of_another_shape_is_absent_too(store: SqliteStore) -> None:
    store.put_window("asset", "version", (0, 16), RecognisedWindow(segments=()))
    body = zlib.compress(b'{"segments": [{"start_ms": 1}]}')
    store._database.connection().execute("UPDATE heard_windows SET body = ?", (body,))
    assert store.get_window("asset", "version", (0, 16)) is None


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM chunk_fts",
        "INSERT INTO chunk_fts (rowid, tokens) VALUES (99, 'x')",
        "DELETE FROM chunk_fts_docsize",
        "DELETE FROM chunk_fts_data",
        "DELETE FROM chunk_morphemes",
        "DELETE FROM chunk_morphemes_data",
    ],
)
def test_a_rebuilt_word_index_is_as_it_was(store: SqliteStore, tmp_path: Path, damage: str) -> None:
    put_with_file(store, tmp_path)
    before = list(store.dump_reproducible_rows())
    break_it(store, damage)
    assert codes(store) != []
    store.rebuild_lexical()
    assert codes(store) == []
    assert list(store.dump_reproducible_rows()) == before


def test_a_check_holds_up_no_writer_but_for_a_look_at_the_word_index(
    path: Path, store: SqliteStore
) -> None:
    store.put_document(MEETING)
    held_up: list[str] = []
    seen: list[str] = []
    with closing(Database(path, create=False, busy_timeout_s=0.0)) as other:

        def try_to_write(statement: str) -> None:
            seen.append(statement)
            try:
                with other.write():
                    pass
            except StoreBusy:
                held_up.append(statement)

        connection = store._database.connection()
        connection.set_trace_callback(try_to_write)
        store.check()
        connection.set_trace_callback(None)
    assert any("integrity_check" in statement for statement in seen)
    assert "INSERT INTO chunk_fts (chunk_fts) VALUES ('integrity-check')" in held_up
    assert not any("integrity_check" in statement for statement in held_up)
    assert not any("FROM" in each for each in held_up if not each.startswith("--"))


def test_a_check_of_a_locked_store_names_what_is_wrong_with_the_rest(
    path: Path, store: SqliteStore
) -> None:
    break_it(store, "INSERT INTO blocks VALUES ('gone', 0, 'b', 'paragraph', '{}', '{}')")
    with closing(Database(path, create=False)) as other, other.write():
        assert next(iter(check(store._database, EXACT_LIMIT))).code == "broken_reference"


def test_hints_name_commands_that_exist() -> None:
    package = Path(kb_store_sqlite.__file__).parent
    text = "".join(file.read_text(encoding="utf-8") for file in package.glob("*.py"))
    assert set(re.findall("`kb ([a-z]+)", text)) <= COMMANDS


def test_counts_say_how_much_there_is(store: SqliteStore) -> None:
    store.put_document(MEETING)
    store.put_document(make_note("a.md", ["one", "two"]))
    store.put_window("asset", "version", (0, 16), RecognisedWindow(segments=()))
    assert store.counts() == StoreCounts(
        documents=2, duration_ms=12000, segments=4, chunks=4, transcripts=0, windows=1
    )
