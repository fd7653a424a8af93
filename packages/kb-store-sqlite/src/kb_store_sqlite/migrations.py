"""Bringing a file to the schema of this kb: forward only, all of it or nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from kb_core.errors import StoreCorrupt, StoreError, StoreMissing, StoreTooNew, printable
from kb_store_sqlite import lexical
from kb_store_sqlite.connection import Database, translated_errors
from kb_store_sqlite.schema import APPLICATION_ID, MIGRATIONS, REBUILDS_INDEX, REPLACES_TABLES


def migrate(database: Database, *, create: bool) -> None:
    """Bring the file up to date; an empty one gets the whole schema when `create` is set.

    Raises:
        StoreMissing: the file is empty and `create` is not set.
        StoreTooNew: a newer kb wrote it.
        StoreCorrupt: it is some other program's file.
        StoreError: it is of an earlier kb and cannot be written to.
    """
    with database.read() as connection:
        version = _version(database, connection)
    if version == len(MIGRATIONS):
        return
    if version and database.read_only:
        raise StoreError(
            f"{printable(str(database.path))} has schema {version} where this kb needs"
            f" {len(MIGRATIONS)}, and it cannot be brought up to date where nothing can be written",
            hint="copy its folder to a place where you may write, and name that with --data-dir",
        )
    if version == 0:
        if not create:
            raise StoreMissing(database.path)
        _use_wal(database)
    with _foreign_keys_off(database, version), database.write() as connection:
        # Another process may have been faster.
        found = _version(database, connection)
        for step in MIGRATIONS[found:]:
            for statement in step:
                connection.execute(statement)
        if any(found < schema for schema in REBUILDS_INDEX):
            lexical.rebuild(connection)
        _check_references(database, connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


@contextmanager
def _foreign_keys_off(database: Database, version: int) -> Iterator[None]:
    """Keep SQLite from deleting what refers to a table that a step replaces."""
    if not any(version < schema for schema in REPLACES_TABLES):
        yield
        return
    with translated_errors(database.path):
        database.connection().execute("PRAGMA foreign_keys = OFF")
        try:
            yield
        finally:
            database.connection().execute("PRAGMA foreign_keys = ON")


def _check_references(database: Database, connection: sqlite3.Connection) -> None:
    broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    if broken is not None:
        raise StoreCorrupt(
            f"{printable(str(database.path))} cannot be brought up to date: rows of {broken[0]}"
            f" refer to rows of {broken[2]} that are not there",
            hint="it is as it was; run `kb doctor` of the kb that wrote it",
        )


def _version(database: Database, connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (table_count,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application_id != APPLICATION_ID and (application_id, version, table_count) != (0, 0, 0):
        raise StoreCorrupt(
            f"{printable(str(database.path))} is a database of another program",
            hint="name the folder of a knowledge base with --data-dir",
        )
    if version > len(MIGRATIONS):
        raise StoreTooNew(database.path, version, len(MIGRATIONS))
    return int(version)


def _use_wal(database: Database) -> None:
    """Switch the file to write-ahead logging; the setting stays in the file."""
    with translated_errors(database.path):
        database.connection().execute("PRAGMA journal_mode = WAL")
