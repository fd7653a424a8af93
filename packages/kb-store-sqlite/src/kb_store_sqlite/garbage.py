"""Clearing away cached work that no document needs any more."""

from __future__ import annotations

import os
from contextlib import suppress

from kb_core.ports.upkeep import RemovedCache
from kb_store_sqlite.connection import Database, translated_errors

VECTOR_FILE_SUFFIX = ".usearch"
_OF_NO_DOCUMENT = "asset_id NOT IN (SELECT asset_id FROM documents)"
_UNUSED = {
    "transcripts": f"transcripts WHERE {_OF_NO_DOCUMENT}",
    "windows": f"heard_windows WHERE {_OF_NO_DOCUMENT}",
    "languages": f"heard_languages WHERE {_OF_NO_DOCUMENT}",
    "replies": f"model_replies WHERE {_OF_NO_DOCUMENT}",
    "vectors": "vectors WHERE vector_key NOT IN (SELECT vector_key FROM chunk_vectors)",
}


def collect(database: Database, *, dry_run: bool) -> RemovedCache:
    """Remove the rows of files that are no document, then make the file as small as it can be."""
    if dry_run:
        with database.read() as connection:
            counts = {
                field: connection.execute(f"SELECT count(*) FROM {rows}").fetchone()[0]  # noqa: S608
                for field, rows in _UNUSED.items()
            }
        return RemovedCache(**counts)
    before_bytes = _size_of(database)
    with database.write() as connection:
        counts = {
            field: connection.execute(f"DELETE FROM {rows}").rowcount  # noqa: S608
            for field, rows in _UNUSED.items()
        }
        connection.execute(
            "DELETE FROM vector_files WHERE NOT EXISTS (SELECT 1 FROM vectors"
            " WHERE vectors.vector_version = vector_files.vector_version)"
        )
    remove_stale_files(database)
    with translated_errors(database.path):
        connection = database.connection()
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return RemovedCache(**counts, freed_bytes=max(0, before_bytes - _size_of(database)))


def remove_stale_files(database: Database) -> None:
    """Take away files of vectors beside the database that do not belong to its present state."""
    with database.read() as connection:
        named = {name for (name,) in connection.execute("SELECT file_name FROM vector_files")}
    for path in database.path.parent.iterdir():
        is_ours = path.name.startswith(f"{database.path.name}.")
        if is_ours and path.name.endswith(VECTOR_FILE_SUFFIX) and path.name not in named:
            with suppress(OSError):  # somebody else may be reading it
                path.unlink()


def _size_of(database: Database) -> int:
    """Return the bytes of the file and its log together."""
    log = database.path.with_name(database.path.name + "-wal")
    return sum(os.path.getsize(path) for path in (database.path, log) if path.exists())
