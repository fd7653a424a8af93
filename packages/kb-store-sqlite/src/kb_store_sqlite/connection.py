"""Connections and transactions, and the one place where SQLite's errors become kb's.

Each thread gets a connection of its own, so a server may read from many threads. In WAL mode
readers never wait for a writer. A write transaction takes the write lock at once (`BEGIN
IMMEDIATE`): one that began as a reader and writes later could not wait for the lock, it would fail.

A file on an archive disk can be read as well. Where its folder cannot be written to there is no
place for the files that WAL needs beside it, so SQLite is told that nothing changes it.
"""

from __future__ import annotations

import os
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

BUSY_TIMEOUT_S = 60.0
"""How long a write waits for another process: longer than any transaction of kb takes, even on a
slow disk, because a window that cannot be stored ends an ingest of hours. Readers never wait."""
CACHE_KIB = 32 * 1024
_IOERR_SHMSIZE = 4874  # SQLITE_IOERR_SHMSIZE: no room to grow the -shm file


class Database:
    """One SQLite file and this process's connections to it.

    Args:
        path: the file; its folder exists.
        create: whether to make the file when it is absent. Without it, a file that cannot be
            written to is opened for reading.

    Raises:
        StoreMissing: there is no file and none may be made.
        StoreError: it cannot be opened, or cannot be written to and `create` is set.
    """

    def __init__(self, path: Path, *, create: bool, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self.path = path
        self.read_only = _is_read_only(path)
        if self.read_only and create:
            raise _not_writable(path)
        self._uri = f"{path.absolute().as_uri()}?{_open_mode(path, create, self.read_only)}"
        self._busy_timeout_s = busy_timeout_s
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open: list[sqlite3.Connection] = []
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
        if self.read_only:
            raise _not_writable(self.path)
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


def make_folder(folder: Path) -> None:
    """Make a folder with all above it, unless it is there.

    Raises:
        StoreError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{printable(str(folder))} cannot be made: {error.strerror}",
            hint="name another place with --data-dir",
        ) from error


def _is_read_only(path: Path) -> bool:
    return _exists(path) and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreError(
            f"{printable(str(path))} cannot be opened: {error.strerror}",
            hint="check that you may enter its folder, or name another place with --data-dir",
        ) from error
    return True


def _open_mode(path: Path, create: bool, read_only: bool) -> str:
    """Return the parameters of SQLite's URI for the file.

    Raises:
        StoreMissing: there is no file and none may be made.
        StoreError: its newest changes are in a log that cannot be read without writing.
    """
    if create:
        return "mode=rwc"
    if not _exists(path):
        raise StoreMissing(path)
    if not read_only:
        return "mode=rw"
    log, index = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    if os.access(path.parent, os.W_OK) or index.exists():
        return "mode=ro"
    if log.exists() and log.stat().st_size > 0:
        raise StoreError(
            f"{printable(str(path))} cannot be read where it is: it was not closed properly",
            hint="copy its folder to a place where you may write, and name that with --data-dir",
        )
    return "mode=ro&immutable=1"


def _not_writable(path: Path) -> StoreError:
    return StoreError(
        f"{printable(str(path))} cannot be written to",
        hint="check the permissions of the file and its folder, or copy the folder elsewhere"
        " and name that with --data-dir",
    )


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
        return _not_writable(path)
    return StoreError(f"{name}: SQLite reports: {error}", hint="run `kb doctor`")
