"""Cached work of files that are no document is cleared away, and nothing else."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_core.ports.transcript_cache import CachedTranscript
from kb_store_sqlite import SqliteStore
from kb_testing.documents import make_transcript
from kb_testing.store_conformance import MEETING, NOTE


def keep_work(store: SqliteStore, asset_id: str) -> None:
    transcript = make_transcript([(0, 1000, "words " * 5000, None)])
    store.put_transcript(asset_id, CachedTranscript(transcript=transcript, duration_ms=1000))
    window = RecognisedWindow(segments=(), language="ko")
    store.put_window(asset_id, "version", (0, 16), window)
    store.put_languages(asset_id, "version", (0, 16), HeardLanguages(probabilities={"ko": 1.0}))


def test_only_what_no_document_needs_goes(tmp_path: Path) -> None:
    with SqliteStore.open(tmp_path / "kb.sqlite3", create=True) as store:
        store.put_document(MEETING)
        keep_work(store, MEETING.asset.asset_id)
        for number in range(40):
            keep_work(store, f"gone-{number}")
        would = store.collect_garbage(dry_run=True)
        assert store.counts().transcripts == 41
        done = store.collect_garbage()
        assert (would.transcripts, would.windows, would.languages) == (40, 40, 40)
        assert (done.transcripts, done.windows, done.languages) == (40, 40, 40)
        assert (store.counts().transcripts, store.counts().windows) == (1, 1)
        assert done.freed_bytes > 0
        assert store.load_document(MEETING.document.doc_id) == MEETING.document
        assert {finding.code for finding in store.check()} == {"missing_file"}


def test_a_writer_waits_for_another_while_somebody_reads(tmp_path: Path) -> None:
    path = tmp_path / "kb.sqlite3"
    with SqliteStore.open(path, create=True) as store, SqliteStore.open(path) as second:
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM documents").fetchone()
            other = threading.Thread(target=second.put_document, args=(NOTE,))
            other.start()
            store.put_document(MEETING)
            other.join(30)
            assert not other.is_alive()
            reader.execute("ROLLBACK")
        assert len(store.list_documents()) == 2
