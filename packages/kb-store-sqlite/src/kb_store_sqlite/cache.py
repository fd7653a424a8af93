"""The cache of transcripts and of the windows of unfinished ones.

Bodies are compressed JSON: four hours of words are megabytes, and most of it is repetition.
"""

from __future__ import annotations

import sqlite3
import zlib
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from kb_core.errors import StoreCorrupt
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


def _packed(model: BaseModel) -> bytes:
    return zlib.compress(model.model_dump_json().encode())


def _unpacked(model_type: type[_M], body: bytes) -> _M:
    try:
        return model_type.model_validate_json(zlib.decompress(body))
    except (zlib.error, ValidationError) as error:
        raise StoreCorrupt(
            "a cached transcript in the knowledge base cannot be read",
            hint="run `kb doctor`; it names what is damaged and how to mend it",
        ) from error
