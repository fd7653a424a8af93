"""The cache of transcripts and of the windows of unfinished ones.

Bodies are compressed JSON: four hours of words are megabytes, and most of it is repetition. A body
that cannot be read counts as absent: what it held is recognised again, and its row replaced.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from kb_core.ports.transcriber import RecognisedWindow
from kb_core.ports.transcript_cache import CachedTranscript

_M = TypeVar("_M", bound=BaseModel)


def get_transcript(
    connection: sqlite3.Connection, asset_id: str, transcript_version: str
) -> CachedTranscript | None:
    """Return the finished transcript, or None."""
    row = connection.execute(
        "SELECT body FROM transcripts WHERE (asset_id, transcript_version) = (?, ?)",
        (asset_id, transcript_version),
    ).fetchone()
    return _unpacked(CachedTranscript, row[0]) if row else None


def put_transcript(connection: sqlite3.Connection, asset_id: str, cached: CachedTranscript) -> None:
    """Keep a finished transcript and drop the windows that it was made from."""
    key = (asset_id, cached.transcript.transcript_version)
    connection.execute("REPLACE INTO transcripts VALUES (?, ?, ?)", (*key, _packed(cached)))
    connection.execute(
        "DELETE FROM transcript_windows WHERE (asset_id, transcript_version) = (?, ?)", key
    )


def get_window(
    connection: sqlite3.Connection, asset_id: str, transcript_version: str, samples: tuple[int, int]
) -> RecognisedWindow | None:
    """Return what was heard in the half-open range of samples, or None."""
    row = connection.execute(
        """
        SELECT body FROM transcript_windows
        WHERE (asset_id, transcript_version, start_sample, end_sample) = (?, ?, ?, ?)
        """,
        (asset_id, transcript_version, *samples),
    ).fetchone()
    return _unpacked(RecognisedWindow, row[0]) if row else None


def put_window(
    connection: sqlite3.Connection,
    asset_id: str,
    transcript_version: str,
    samples: tuple[int, int],
    window: RecognisedWindow,
) -> None:
    """Keep one finished window."""
    connection.execute(
        "REPLACE INTO transcript_windows VALUES (?, ?, ?, ?, ?)",
        (asset_id, transcript_version, *samples, _packed(window)),
    )


def unreadable_assets(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield the table and the asset id of every row whose body cannot be read."""
    models: dict[str, type[BaseModel]] = {
        "transcripts": CachedTranscript,
        "transcript_windows": RecognisedWindow,
    }
    for table, model_type in models.items():
        rows = connection.execute(f"SELECT asset_id, body FROM {table} ORDER BY rowid")  # noqa: S608
        for asset_id, body in rows:
            if _unpacked(model_type, body) is None:
                yield table, asset_id


def _packed(model: BaseModel) -> bytes:
    return zlib.compress(model.model_dump_json().encode())


def _unpacked(model_type: type[_M], body: bytes) -> _M | None:
    try:
        return model_type.model_validate_json(zlib.decompress(body))
    except (zlib.error, ValidationError):
        return None
