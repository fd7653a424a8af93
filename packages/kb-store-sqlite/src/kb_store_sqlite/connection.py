"""Connections and transactions, and the one place where SQLite's errors become kb's.

Each thread gets a connection of its own, so a server may read from many threads. In WAL mode
readers never wait for a writer. A write transaction takes the write lock at once (`BEGIN
IMMEDIATE`): one that began as a reader and writes later could not wait for the lock, it would fail.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb_core.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    printable,
)

BUSY_TIMEOUT_S = 10.0
CACHE_KIB = 32 * 1024
_IOERR_SHMSIZE = 4874  # SQLITE_IOERR_SHMSIZE: no room to grow the -shm file


class Database:
    """One SQLite file and this process's connections to it.

    Args:
        path: the file; its folder exists.
        create: whether to make the file when it is absent.

    Raises:
        StoreMissing: there is no file and none may be made.
        StoreError: it cannot be opened.
    """

    def __init__(self, path: Path, *, create: bool, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self.path = path
        self._uri = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
        self._busy_timeout_s = busy_timeout_s
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open: list[sqlite3.Connection] = []
        if not create and not path.exists():
            raise StoreMissing(path)
        self.connection()

    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection, in autocommit mode outside of `read` and `write`."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with translated_errors(self.path):
                connection = self._connect()
            self._local.connection = connection
            with self._lock:
                self._open.append(connection)
        return connection

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give a connection whose reads all see the same state."""
        connection = self.connection()
        with translated_errors(self.path):
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                _roll_back(connection)

    @contextmanager
    def write(self, *, keep: bool = True) -> Iterator[sqlite3.Connection]:
        """Give a connection that holds the write lock; all is kept at the end, or nothing.

        Args:
            keep: False for a look that SQLite counts as writing; nothing of it is kept.

        Raises:
            StoreBusy: another process held the lock for longer than the timeout.
            StoreFull, StoreCorrupt, StoreError: nothing was kept.
        """
        connection = self.connection()
        with translated_errors(self.path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                if keep:
                    connection.execute("COMMIT")
            finally:
                _roll_back(connection)

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            connections, self._open = self._open, []
        self._local = threading.local()
        for connection in connections:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._uri,
            uri=True,
            timeout=self._busy_timeout_s,
            isolation_level=None,
            check_same_thread=False,  # so that close() may come from any thread
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        except sqlite3.Error:
            connection.close()
            raise
        return connection


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into errors that name the file and the way out."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(path, error) from error


def _roll_back(connection: sqlite3.Connection) -> None:
    """End a transaction that is still open; SQLite has ended it itself after some errors."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _translated(path: Path, error: sqlite3.Error) -> StoreError:
    extended = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    code = extended & 0xFF
    name = printable(str(path))
    if code == sqlite3.SQLITE_FULL or extended == _IOERR_SHMSIZE:
        return StoreFull(path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(
            f"{name} is locked by another process",
            hint="wait until the other kb has finished, then run the same command again",
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreCorrupt(
            f"{name} is damaged or no knowledge base: {error}",
            hint="run `kb doctor`; keep a copy of the file before you try to mend it",
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreError(
            f"{name} cannot be opened",
            hint="check that its folder exists and that you may read and write there",
        )
    if code == sqlite3.SQLITE_READONLY:
        return StoreError(
            f"{name} cannot be written to", hint="check the permissions of the file and its folder"
        )
    return StoreError(f"{name}: SQLite reports: {error}", hint="run `kb doctor`")
