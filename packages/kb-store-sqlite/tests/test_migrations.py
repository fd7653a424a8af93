"""A file of an older kb is brought up to date with all that is in it, or left as it was."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kb_core import DocumentChoices, digest_hex
from kb_core.errors import StoreError
from kb_core.ports.store import IngestedDocument
from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_core.ports.transcript_cache import CachedTranscript
from kb_store_sqlite import SqliteStore
from kb_store_sqlite.schema import MIGRATIONS
from kb_testing.documents import TRANSCRIPT_VERSION, make_note, make_transcript
from kb_testing.store_conformance import MEETING, NOTE, found_texts, query_of
from kb_testing.vector_conformance import embed_everything
from kb_text import parse_query

RELEASED_STEPS = ("c569af71", "f8430fe9")
"""How the digests of the steps that are out in the world begin."""

BACK_TO_SCHEMA_4 = (
    MIGRATIONS[0][8].replace("CREATE TABLE chunks", "CREATE TABLE old_chunks"),
    "ALTER TABLE old_chunks ADD COLUMN text_digest TEXT NOT NULL DEFAULT ''",
    """
    INSERT INTO old_chunks
    SELECT chunk_key, chunk_id, doc_id, chunk_index, text, block_ids, heading_path, source_spans,
           token_estimate, chunker_version, policy_hash, metadata, text_digest
    FROM chunks
    """,
    "DROP TABLE chunks",
    "ALTER TABLE old_chunks RENAME TO chunks",
    "CREATE INDEX chunks_by_text ON chunks (text_digest)",
    "DROP TABLE chunk_runs",
    "DROP TABLE model_replies",
    """
    UPDATE documents SET versions = json_remove(
        json_set(
            versions,
            '$.chunker_version', versions ->> '$.modules[0].chunker_version',
            '$.policy_hash', versions ->> '$.modules[0].policy_hash'
        ),
        '$.modules'
    )
    """,
    "PRAGMA user_version = 4",
)
BACK_TO_SCHEMA_3 = (
    *BACK_TO_SCHEMA_4,
    "DROP TABLE chunk_morphemes",
    "DROP TABLE chunk_vectors",
    "DROP TABLE vectors",
    "DROP TABLE vector_files",
    "DROP TABLE vector_state",
    "DROP INDEX chunks_by_text",
    "DROP INDEX chunk_units_by_segment",
    "DROP INDEX segments_by_language",
    "ALTER TABLE chunks DROP COLUMN text_digest",
    "PRAGMA user_version = 3",
)
BACK_TO_SCHEMA_2 = (
    "ALTER TABLE segments DROP COLUMN line_start",
    "ALTER TABLE segments DROP COLUMN line_end",
    "ALTER TABLE chunk_units DROP COLUMN unit_char_start",
    "ALTER TABLE chunk_units DROP COLUMN unit_char_end",
    "ALTER TABLE chunk_units DROP COLUMN span",
    "DROP TABLE companion_files",
    "DROP TABLE forgotten_paths",
    "UPDATE chunk_fts SET tokens = 'of another analysis'",
    "PRAGMA user_version = 2",
)
BACK_TO_SCHEMA_1 = (
    "DROP TABLE heard_windows",
    "DROP TABLE heard_languages",
    MIGRATIONS[0][-1],
    "INSERT INTO transcript_windows VALUES ('asset', 'v', 0, 16, x'00')",
    "PRAGMA user_version = 1",
)


def write_store_of_schema_1(path: Path, *documents: IngestedDocument) -> None:
    """Write what the kb of schema 1 would have: its tables, and JSON without what came later."""
    with SqliteStore.open(path, create=True) as store:
        for ingested in documents:
            store.put_document(ingested)
        transcript = make_transcript([(0, 1000, "kept", None)])
        store.put_transcript("asset", CachedTranscript(transcript=transcript, duration_ms=1000))
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in (*BACK_TO_SCHEMA_3, *BACK_TO_SCHEMA_2, *BACK_TO_SCHEMA_1):
            connection.execute(statement)
        for doc_id, versions, metadata in connection.execute(
            "SELECT doc_id, versions, metadata FROM documents"
        ).fetchall():
            connection.execute(
                "UPDATE documents SET versions = ?, metadata = ? WHERE doc_id = ?",
                (
                    _without(versions, "choices", "keeps_suspects"),
                    _without(metadata, "keeps_suspects", "line_count", "page_count"),
                    doc_id,
                ),
            )


def _without(text: str, *names: str) -> str:
    fields = json.loads(text)
    for name in names:
        del fields[name]
    return json.dumps(fields)


def unchanged_rows(store: SqliteStore) -> list[tuple[object, ...]]:
    """Return the rows that are the same whether a file was migrated or made anew."""
    return [
        row for row in store.dump_reproducible_rows() if row[0] not in ("documents", "chunk_runs")
    ]


def tables_of(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}


def test_a_released_step_never_changes() -> None:
    digests = [digest_hex("\0".join(step).encode()) for step in MIGRATIONS]
    for digest, released in zip(digests, RELEASED_STEPS, strict=False):
        assert digest.startswith(released)


def test_documents_of_schema_1_survive_and_are_found(path: Path) -> None:
    write_store_of_schema_1(path, MEETING, NOTE)
    assert "transcript_windows" in tables_of(path)
    with SqliteStore.open(path) as store:
        for ingested in (MEETING, NOTE):
            assert store.load_document(ingested.document.doc_id) == ingested.document
            (found,) = [
                row for row in store.list_documents() if row.doc_id == ingested.document.doc_id
            ]
            assert found.versions == ingested.versions
            assert found.versions.choices == DocumentChoices()
        assert found_texts(store, query_of("budget"))
        cached = store.get_transcript("asset", TRANSCRIPT_VERSION)
        assert cached is not None
        assert cached.transcript.text == "kept"
        assert not {"damaged_file", "damaged_cache", "broken_reference"} & {
            finding.code for finding in store.check()
        }
        window = RecognisedWindow(segments=(), language="ko")
        languages = HeardLanguages(probabilities={"ko": 1.0})
        store.put_window("asset", "version", (0, 16), window)
        store.put_languages("asset", "version", (0, 16), languages)
        assert store.get_window("asset", "version", (0, 16)) == window
        assert store.get_languages("asset", "version", (0, 16)) == languages
    assert "transcript_windows" not in tables_of(path)


def test_words_and_texts_of_schema_3_are_indexed_anew(path: Path) -> None:
    with SqliteStore.open(path, create=True) as store:
        store.put_document(make_note("a.md", ["They were running home"]))
        before = unchanged_rows(store)
        versions = store.list_documents()[0].versions
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in BACK_TO_SCHEMA_3:
            connection.execute(statement)
    with SqliteStore.open(path) as store:
        assert unchanged_rows(store) == before
        assert store.list_documents()[0].versions == versions
        (run,) = store.list_documents()[0].runs
        assert (run.chunk_count, run.policy) == (1, None)
        morphemes = parse_query("run").morphemes
        assert store.search_lexical(morphemes, require_all=True, limit=1, leg="morphemes")
        assert embed_everything(store, "v") == 1
        assert {finding.code for finding in store.check()} == {"missing_file"}


def test_a_migrated_file_holds_the_rows_and_tables_of_a_new_one(path: Path, tmp_path: Path) -> None:
    write_store_of_schema_1(path, MEETING)
    new_path = tmp_path / "new.sqlite3"
    with SqliteStore.open(path) as migrated, SqliteStore.open(new_path, create=True) as new:
        for store in (migrated, new):
            store.put_document(MEETING)
        assert list(migrated.dump_reproducible_rows()) == list(new.dump_reproducible_rows())
        assert migrated.counts().windows == 0
    assert tables_of(path) == tables_of(new_path)


def test_a_migration_that_fails_leaves_the_old_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_store_of_schema_1(path, MEETING)
    before = tables_of(path)
    broken = (MIGRATIONS[0], (*MIGRATIONS[1], "CREATE TABLE broken ("))
    monkeypatch.setattr("kb_store_sqlite.migrations.MIGRATIONS", broken)
    with pytest.raises(StoreError):
        SqliteStore.open(path)
    assert tables_of(path) == before
    monkeypatch.undo()
    with SqliteStore.open(path) as store:
        assert store.load_document(MEETING.document.doc_id) == MEETING.document
