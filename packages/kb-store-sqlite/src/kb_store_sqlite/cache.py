"""The cache of what was heard, of the transcripts made from it, and of what models replied.

Bodies are compressed JSON: four hours of words are megabytes, and most of it is repetition. A body
that cannot be read counts as absent: what it held is recognised again, and its row replaced.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from kb_core.ports.language_model import StoredReply
from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_core.ports.transcript_cache import CachedTranscript

_M = TypeVar("_M", bound=BaseModel)

HeardKey = tuple[str, str, int, int]
"""Asset id, recognition version, first sample and one past the last."""


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
    """Keep a finished transcript."""
    key = (asset_id, cached.transcript.transcript_version)
    connection.execute("REPLACE INTO transcripts VALUES (?, ?, ?)", (*key, _packed(cached)))


def get_window(connection: sqlite3.Connection, key: HeardKey) -> RecognisedWindow | None:
    """Return what was heard in a range of samples, or None."""
    return _heard(connection, "heard_windows", key, RecognisedWindow)


def put_window(connection: sqlite3.Connection, key: HeardKey, window: RecognisedWindow) -> None:
    """Keep one finished window."""
    _keep_heard(connection, "heard_windows", key, window)


def get_languages(connection: sqlite3.Connection, key: HeardKey) -> HeardLanguages | None:
    """Return which languages a range of samples may be in, or None."""
    return _heard(connection, "heard_languages", key, HeardLanguages)


def put_languages(connection: sqlite3.Connection, key: HeardKey, languages: HeardLanguages) -> None:
    """Keep the languages of one range of samples."""
    _keep_heard(connection, "heard_languages", key, languages)


def get_reply(
    connection: sqlite3.Connection, request_digest: str, model_id: str
) -> StoredReply | None:
    """Return the reply to exactly that request, or None."""
    row = connection.execute(
        "SELECT body FROM model_replies WHERE (request_digest, model_id) = (?, ?)",
        (request_digest, model_id),
    ).fetchone()
    return _unpacked(StoredReply, row[0]) if row else None


def put_reply(
    connection: sqlite3.Connection, asset_id: str, key: tuple[str, str], reply: StoredReply
) -> None:
    """Keep a reply, by the digest of its request and its model."""
    connection.execute(
        "REPLACE INTO model_replies VALUES (?, ?, ?, ?)", (*key, asset_id, _packed(reply))
    )


def unreadable_assets(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield the table and the asset id of every row whose body cannot be read."""
    models: dict[str, type[BaseModel]] = {
        "transcripts": CachedTranscript,
        "heard_windows": RecognisedWindow,
        "heard_languages": HeardLanguages,
        "model_replies": StoredReply,
    }
    for table, model_type in models.items():
        rows = connection.execute(f"SELECT asset_id, body FROM {table} ORDER BY asset_id")  # noqa: S608
        for asset_id, body in rows:
            if _unpacked(model_type, body) is None:
                yield table, asset_id


def _heard(
    connection: sqlite3.Connection, table: str, key: HeardKey, model_type: type[_M]
) -> _M | None:
    row = connection.execute(
        f"""
        SELECT body FROM {table}
        WHERE (asset_id, recognition_version, start_sample, end_sample) = (?, ?, ?, ?)
        """,  # noqa: S608
        key,
    ).fetchone()
    return _unpacked(model_type, row[0]) if row else None


def _keep_heard(
    connection: sqlite3.Connection, table: str, key: HeardKey, model: BaseModel
) -> None:
    connection.execute(
        f"REPLACE INTO {table} VALUES (?, ?, ?, ?, ?)",  # noqa: S608
        (*key, _packed(model)),
    )


def _packed(model: BaseModel) -> bytes:
    return zlib.compress(model.model_dump_json().encode())


def _unpacked(model_type: type[_M], body: bytes) -> _M | None:
    try:
        return model_type.model_validate_json(zlib.decompress(body))
    except (zlib.error, ValidationError):
        return None
