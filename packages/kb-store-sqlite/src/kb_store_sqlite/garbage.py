"""Clearing away cached work that no document needs any more."""

from __future__ import annotations

import os

from kb_core.ports.store import RemovedCache
from kb_store_sqlite.connection import Database, translated_errors

_UNUSED = "asset_id NOT IN (SELECT asset_id FROM documents)"
_TABLES = {
    "transcripts": "transcripts",
    "windows": "heard_windows",
    "languages": "heard_languages",
}


def collect(database: Database, *, dry_run: bool) -> RemovedCache:
    """Remove the rows of files that are no document, then make the file as small as it can be."""
    if dry_run:
        with database.read() as connection:
            counts = {
                field: connection.execute(
                    f"SELECT count(*) FROM {table} WHERE {_UNUSED}"  # noqa: S608
                ).fetchone()[0]
                for field, table in _TABLES.items()
            }
        return RemovedCache(**counts)
    before_bytes = _size_of(database)
    with database.write() as connection:
        counts = {
            field: connection.execute(f"DELETE FROM {table} WHERE {_UNUSED}").rowcount  # noqa: S608
            for field, table in _TABLES.items()
        }
    with translated_errors(database.path):
        connection = database.connection()
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return RemovedCache(**counts, freed_bytes=max(0, before_bytes - _size_of(database)))


def _size_of(database: Database) -> int:
    """Return the bytes of the file and its log together."""
    log = database.path.with_name(database.path.name + "-wal")
    return sum(os.path.getsize(path) for path in (database.path, log) if path.exists())
