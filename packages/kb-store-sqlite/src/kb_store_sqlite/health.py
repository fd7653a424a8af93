"""What `kb doctor` and `kb status` ask: is the file sound, do its indexes agree, what is in it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import islice

from kb_core.errors import printable
from kb_core.ports.upkeep import HealthFinding, StoreCounts
from kb_store_sqlite.cache import unreadable_assets
from kb_store_sqlite.connection import Database
from kb_store_sqlite.lexical import WORD_INDEXES

MAX_MESSAGES = 20
_RESTORE = (
    "`kb ingest` cannot mend this: put a sound copy of the file in its place; without one, move it"
    " away (keep it) and `kb ingest` again, which recognises every recording again"
)
_REBUILD = "`kb doctor --mend` makes the word indexes anew from what is stored"
_INGEST_AGAIN = (
    "move the file out of its folder, `kb ingest` the folder, move the file back and `kb ingest`"
    " once more; a finished transcript is kept and not made again"
)


def check(database: Database, exact_limit: int) -> Iterator[HealthFinding]:
    """Yield what is wrong, the gravest first.

    Reads only, but for the look at the word indexes that SQLite counts as writing; that is left
    out where nothing can be written. Files are looked for when no transaction is open.
    """
    with database.read() as connection:
        damage = _integrity(connection)
        # After damage the rest would only repeat it, or fail.
        rows = [] if damage else [*_broken_references(connection), *_incomplete(connection)]
        unreadable = [] if damage else list(_unreadable_cache(connection))
        files = [] if damage else _source_files(connection)
    yield from (*damage, *rows)
    if not damage:
        yield from _damaged_indexes(database) or _index_agreement(database)
        # Not at the top: `kb search` for words alone need not wait until numpy is loaded.
        from kb_store_sqlite.vector_health import check_vectors

        yield from check_vectors(database, exact_limit)
    yield from unreadable
    yield from _missing_files(files)


def counts(connection: sqlite3.Connection) -> StoreCounts:
    """Return how much there is."""
    row = connection.execute(
        """
        SELECT (SELECT count(*) FROM documents),
               (SELECT ifnull(sum(duration_ms), 0) FROM documents),
               (SELECT ifnull(sum(segment_count), 0) FROM documents),
               (SELECT count(*) FROM chunks),
               (SELECT count(*) FROM transcripts),
               (SELECT count(*) FROM heard_windows)
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


def _incomplete(connection: sqlite3.Connection) -> Iterator[HealthFinding]:
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
            hint=_INGEST_AGAIN,
        )


def _damaged_indexes(database: Database) -> list[HealthFinding]:
    if database.read_only:
        return []
    found = []
    for leg, table in WORD_INDEXES.items():
        with database.write(keep=False) as connection:
            try:
                statement = f"INSERT INTO {table} ({table}) VALUES ('integrity-check')"  # noqa: S608
                connection.execute(statement)
            except sqlite3.DatabaseError as error:
                message = f"word index ({leg}): {error}"
                found.append(HealthFinding(code="damaged_index", message=message, hint=_REBUILD))
    return found


def _index_agreement(database: Database) -> Iterator[HealthFinding]:
    for leg, table in WORD_INDEXES.items():
        with database.read() as connection:
            (unindexed, unknown) = connection.execute(
                f"""
                SELECT (SELECT count(*) FROM chunks
                        WHERE chunk_key NOT IN (SELECT rowid FROM {table})),
                       (SELECT count(*) FROM {table}
                        WHERE rowid NOT IN (SELECT chunk_key FROM chunks))
                """  # noqa: S608 (own names)
            ).fetchone()
        if unindexed or unknown:
            message = (
                f"{unindexed} chunks not in the word index ({leg}), {unknown} stale rows in it"
            )
            yield HealthFinding(code="index_mismatch", message=message, hint=_REBUILD)


def _unreadable_cache(connection: sqlite3.Connection) -> Iterator[HealthFinding]:
    for table, asset_id in islice(unreadable_assets(connection), MAX_MESSAGES):
        paths = connection.execute(
            "SELECT workspace_path FROM documents WHERE asset_id = ? ORDER BY workspace_path",
            (asset_id,),
        ).fetchall()
        name = ", ".join(printable(path) for (path,) in paths) or f"asset {asset_id}"
        yield HealthFinding(
            code="damaged_cache",
            message=f"{name}: a row of {table} cannot be read",
            hint="what is stored and searched is not touched by this; the row counts as absent,"
            " and the next `kb ingest` that needs it recognises that sound again and replaces it",
        )


def _source_files(connection: sqlite3.Connection) -> list[tuple[str, str | None]]:
    return connection.execute(
        """
        SELECT workspace_path, source_path FROM documents LEFT JOIN source_files USING (doc_id)
        ORDER BY workspace_path
        """
    ).fetchall()


def _missing_files(files: Sequence[tuple[str, str | None]]) -> Iterator[HealthFinding]:
    for workspace_path, source_path in files:
        if source_path is None or not os.path.exists(source_path):
            yield HealthFinding(
                code="missing_file",
                message=f"{printable(workspace_path)}: its file is gone; what it says stays"
                " searchable, it cannot be played",
                hint="put it back, or run `kb ingest` on the folder that it was in",
            )
