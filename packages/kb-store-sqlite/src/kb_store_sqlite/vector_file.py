"""An approximate index of vectors in a file beside the database, for when there are very many.

The file is a cache: it can be made again from the database at any time, and without it search is
exact. It is made in order of text digest by one thread, so the same vectors give the same file, and
its keys are places in that order; the database says which vector stands at which place, and which
file belongs to its own state, so a copy of another day is never taken for it.

HNSW (Malkov and Yashunin 2016) as in usearch, with the sizes that usearch proposes.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from kb_core.errors import StoreError, printable
from kb_store_sqlite.connection import Database
from kb_store_sqlite.garbage import VECTOR_FILE_SUFFIX, remove_stale_files
from kb_store_sqlite.vector_matrix import STORED_TYPE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from usearch.index import Index

MAX_BEHIND = 0.05
"""Share of the vectors that may be missing in the file, or be in it for nothing."""
_EXPANSION_SEARCH = 256
_BATCH_ROWS = 1024
_KEY_TYPE = np.dtype("<i8")
_TOTAL_TYPE = np.dtype("<f8")


@dataclass(frozen=True, slots=True)
class VectorFileRow:
    """What the database knows of the file.

    Attributes:
        path: where it is, if it is.
        byte_len: of the file.
        checksum: BLAKE2b of the file, 64 hex characters.
        vector_keys: int64, the vector at each place of the file.
        total: float64, the sum of all vectors in it.
    """

    path: Path
    byte_len: int
    checksum: str
    vector_keys: NDArray[np.int64]
    total: NDArray[np.float64]

    @property
    def last_key(self) -> int:
        """What has a higher key is not in the file."""
        return int(self.vector_keys.max())

    def is_whole(self) -> bool:
        """Return whether the file is there, byte for byte."""
        return self.has_right_size() and _checksum(self.path) == self.checksum

    def has_right_size(self) -> bool:
        """Return whether the file is there, as far as its size tells."""
        try:
            return self.path.stat().st_size == self.byte_len
        except OSError:
            return False


class VectorFile:
    """The opened file; its pages are read when they are needed."""

    def __init__(self, row: VectorFileRow, index: Index) -> None:
        self.row = row
        self._index = index
        self._lock = Lock()  # threads of a search share its scratch space

    def __len__(self) -> int:
        return len(self.row.vector_keys)

    @classmethod
    def open(cls, row: VectorFileRow) -> VectorFile | None:
        """Return the file, or None when it cannot be used."""
        if not is_available() or not row.has_right_size():
            return None
        from usearch.index import Index

        with suppress(RuntimeError, ValueError):  # damaged, or of another usearch
            index = Index.restore(
                row.path, view=True, enable_key_lookups=False, expansion_search=_EXPANSION_SEARCH
            )
            return cls(row, index) if index is not None else None
        return None

    def nearest(self, query: NDArray[np.float32], count: int) -> NDArray[np.int64]:
        """Return the keys of about the closest vectors."""
        with self._lock:
            matches = self._index.search(query.astype(STORED_TYPE), count, threads=1)
        places: NDArray[np.intp] = matches.keys.astype(np.intp)
        return self.row.vector_keys[places]


def is_available() -> bool:
    """Return whether such files can be read and made here."""
    return find_spec("usearch") is not None


def row_of(
    database: Database, connection: sqlite3.Connection, vector_version: str
) -> VectorFileRow | None:
    """Return what the database knows of the file of a model; None when none was made."""
    row = connection.execute(
        "SELECT file_name, byte_len, checksum, vector_keys, total FROM vector_files"
        " WHERE vector_version = ?",
        (vector_version,),
    ).fetchone()
    if row is None:
        return None
    name, byte_len, checksum, vector_keys, total = row
    return VectorFileRow(
        database.path.with_name(name),
        byte_len,
        checksum,
        np.frombuffer(vector_keys, _KEY_TYPE).astype(np.int64),
        np.frombuffer(total, _TOTAL_TYPE).astype(np.float64),
    )


def is_behind(connection: sqlite3.Connection, vector_version: str, row: VectorFileRow) -> bool:
    """Return whether too many vectors came or went since the file was made."""
    (there, added) = connection.execute(
        "SELECT count(*), count(*) FILTER (WHERE vector_key > ?) FROM vectors"
        " WHERE vector_version = ?",
        (row.last_key, vector_version),
    ).fetchone()
    gone = len(row.vector_keys) - (there - added)
    return bool(added + gone > MAX_BEHIND * len(row.vector_keys))


def build(database: Database, vector_version: str, byte_len: int) -> None:
    """Make the file from all vectors of a model, and take away files of earlier states.

    Raises:
        StoreError: it cannot be written; the earlier one is as it was.
    """
    from usearch.index import Index

    index = Index(ndim=byte_len // STORED_TYPE.itemsize, metric="ip", dtype="f16")
    vector_keys: list[int] = []
    total = np.zeros(byte_len // STORED_TYPE.itemsize)
    with database.read() as connection:
        for keys, vectors in stored_vectors(connection, vector_version, byte_len):
            places = np.arange(len(vector_keys), len(vector_keys) + len(keys))
            index.add(places, vectors, threads=1)
            vector_keys += keys
            total += vectors.sum(axis=0, dtype=np.float64)
    unfinished = database.path.with_name(
        f"{database.path.name}.{os.getpid()}.tmp{VECTOR_FILE_SUFFIX}"
    )
    try:
        index.save(unfinished)
        checksum = _checksum(unfinished)
        stem = f"{database.path.name}.{vector_version[:16]}-{checksum[:16]}"
        finished = database.path.with_name(stem + VECTOR_FILE_SUFFIX)
        byte_len = unfinished.stat().st_size
        unfinished.replace(finished)
    except (OSError, RuntimeError) as error:
        with suppress(OSError):
            unfinished.unlink()
        raise StoreError(
            f"{printable(str(unfinished))} cannot be written: {printable(str(error))}",
            hint="make room on its disk; until then search by meaning is exact, but slower",
        ) from error
    with database.write() as connection:
        connection.execute("DELETE FROM vector_files")
        connection.execute(
            "INSERT INTO vector_files VALUES (?, ?, ?, ?, ?, ?)",
            (
                vector_version,
                finished.name,
                byte_len,
                checksum,
                np.array(vector_keys, _KEY_TYPE).tobytes(),
                total.astype(_TOTAL_TYPE).tobytes(),
            ),
        )
    remove_stale_files(database)


def stored_vectors(
    connection: sqlite3.Connection, vector_version: str, byte_len: int
) -> Iterator[tuple[list[int], NDArray[np.float16]]]:
    """Yield keys and vectors of a model in order of text digest, some at a time."""
    cursor = connection.execute(
        "SELECT vector_key, vector FROM vectors WHERE vector_version = ?"
        " AND length(vector) = ? ORDER BY text_digest",
        (vector_version, byte_len),
    )
    while rows := cursor.fetchmany(_BATCH_ROWS):
        stored = np.frombuffer(b"".join([blob for _, blob in rows]), STORED_TYPE)
        yield [key for key, _ in rows], stored.reshape(len(rows), -1)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=32)).hexdigest()
