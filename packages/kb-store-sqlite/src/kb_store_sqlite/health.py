"""What `kb doctor` and `kb status` ask: is the file sound, do its indexes agree, what is in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from kb_core.errors import printable
from kb_core.ports.store import HealthFinding, StoreCounts

MAX_MESSAGES = 20
_RESTORE = "keep a copy of the file, then restore a backup, or `kb init` elsewhere and ingest again"
_REINDEX = "run `kb reindex`"


def check(connection: sqlite3.Connection) -> Iterator[HealthFinding]:
    """Yield what is wrong, the gravest first; needs a transaction that may write."""
    damage = _integrity(connection)
    yield from damage
    if damage:
        return  # the rest would only repeat it, or fail
    yield from _broken_references(connection)
    yield from _index_agreement(connection)
    yield from _missing_files(connection)


def counts(connection: sqlite3.Connection) -> StoreCounts:
    """Return how much there is."""
    row = connection.execute(
        """
        SELECT (SELECT count(*) FROM documents),
               (SELECT ifnull(sum(duration_ms), 0) FROM documents),
               (SELECT ifnull(sum(segment_count), 0) FROM documents),
               (SELECT count(*) FROM chunks),
               (SELECT count(*) FROM transcripts),
               (SELECT count(*) FROM transcript_windows)
        """
    ).fetchone()
    return StoreCounts.model_validate(dict(zip(StoreCounts.model_fields, row, strict=True)))


def _integrity(connection: sqlite3.Connection) -> list[HealthFinding]:
    try:
        rows = connection.execute(f"PRAGMA integrity_check({MAX_MESSAGES})").fetchall()
    except sqlite3.DatabaseError as error:  # too damaged even for this
        rows = [(str(error),)]
    return [
        HealthFinding(code="damaged_file", message=message, hint=_RESTORE)
        for (message,) in rows
        if message != "ok"
    ]


def _broken_references(connection: sqlite3.Connection) -> Iterator[HealthFinding]:
    for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchmany(
        MAX_MESSAGES
    ):
        yield HealthFinding(
            code="broken_reference",
            message=f"a row of {table} belongs to a row of {parent} that is not there",
            hint=_RESTORE,
        )


def _index_agreement(connection: sqlite3.Connection) -> Iterator[HealthFinding]:
    try:
        connection.execute("INSERT INTO chunk_fts (chunk_fts) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as error:
        yield HealthFinding(code="damaged_index", message=f"word index: {error}", hint=_REINDEX)
        return
    (unindexed, unknown) = connection.execute(
        """
        SELECT (SELECT count(*) FROM chunks
                WHERE chunk_key NOT IN (SELECT rowid FROM chunk_fts)),
               (SELECT count(*) FROM chunk_fts
                WHERE rowid NOT IN (SELECT chunk_key FROM chunks))
        """
    ).fetchone()
    if unindexed or unknown:
        yield HealthFinding(
            code="index_mismatch",
            message=f"{unindexed} chunks not in the word index, {unknown} stale rows in it",
            hint=_REINDEX,
        )
    miscounted = connection.execute(
        """
        SELECT workspace_path FROM documents
        WHERE chunk_count <> (SELECT count(*) FROM chunks WHERE chunks.doc_id = documents.doc_id)
           OR segment_count <>
              (SELECT count(*) FROM segments WHERE segments.doc_id = documents.doc_id)
        ORDER BY workspace_path
        """
    ).fetchmany(MAX_MESSAGES)
    for (workspace_path,) in miscounted:
        yield HealthFinding(
            code="incomplete_document",
            message=f"{printable(workspace_path)}: chunks or segments are missing",
            hint="run `kb forget` and `kb ingest` for it",
        )


def _missing_files(connection: sqlite3.Connection) -> Iterator[HealthFinding]:
    rows = connection.execute(
        """
        SELECT workspace_path, source_path FROM documents LEFT JOIN source_files USING (doc_id)
        ORDER BY workspace_path
        """
    )
    for workspace_path, source_path in rows:
        if source_path is None or not Path(source_path).exists():
            yield HealthFinding(
                code="missing_file",
                message=f"{printable(workspace_path)}: its file is gone",
                hint="put it back, or run `kb ingest` on its folder, or `kb forget` it",
            )
