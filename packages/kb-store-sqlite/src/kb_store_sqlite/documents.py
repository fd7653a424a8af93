"""Writing documents: every row of one, and taking them out again.

All functions work inside the caller's write transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from kb_core.blocks import AudioRefBlock, Block
from kb_core.ports.store import FileStamp, IngestedDocument
from kb_core.transcript import TranscriptSegment
from kb_store_sqlite import lexical, vectors
from kb_store_sqlite.rows import compact_json, insert, models_json
from kb_store_sqlite.runs import chunk_count, insert_runs


def put_document(
    connection: sqlite3.Connection, ingested: IngestedDocument, replaces: Sequence[str]
) -> None:
    """Store every row of a document in place of any other at its path and of `replaces`."""
    document = ingested.document
    at_path = connection.execute(
        "SELECT doc_id FROM documents WHERE workspace_path = ?", (document.workspace_path,)
    )
    old_ids = {document.doc_id, *replaces, *(doc_id for (doc_id,) in at_path)}
    left_assets = {
        asset_id for doc_id in sorted(old_ids) for asset_id in _delete_rows(connection, doc_id)
    }
    _insert_asset(connection, ingested)
    _insert_document(connection, ingested)
    _insert_source_file(connection, ingested)
    for ordinal, block in enumerate(document.blocks):
        _insert_block(connection, document.doc_id, ordinal, block)
    insert_runs(connection, document, ingested.runs)
    _drop_unused_assets(connection, left_assets)


def delete_document(connection: sqlite3.Connection, doc_id: str) -> bool:
    """Remove every row of a document; False when there is none."""
    left_assets = _delete_rows(connection, doc_id)
    _drop_unused_assets(connection, left_assets)
    return bool(left_assets)


def forget(connection: sqlite3.Connection, workspace_path: str) -> None:
    """Note a path that stays out."""
    connection.execute("INSERT OR IGNORE INTO forgotten_paths VALUES (?)", (workspace_path,))


def take_back(connection: sqlite3.Connection, workspace_path: str) -> None:
    """Drop the notes of a path and of everything below it."""
    below = workspace_path.rstrip("/") + "/"
    connection.execute(
        "DELETE FROM forgotten_paths WHERE workspace_path = ? OR substr(workspace_path, 1, ?) = ?",
        (workspace_path, len(below), below),
    )


def restamp(
    connection: sqlite3.Connection, doc_id: str, source_path: str, stamp: FileStamp
) -> None:
    """Note a new place or stamp of a file whose bytes are the same."""
    connection.execute(
        """
        UPDATE source_files SET source_path = ?, byte_len = ?, mtime_ns = ?, inode = ?
        WHERE doc_id = ?
        """,
        (source_path, stamp.byte_len, stamp.mtime_ns, str(stamp.inode), doc_id),
    )


def _delete_rows(connection: sqlite3.Connection, doc_id: str) -> list[str]:
    """Remove a document's rows; return the id of its asset, or nothing when it was not there."""
    rows = connection.execute("SELECT asset_id FROM documents WHERE doc_id = ?", (doc_id,))
    asset_ids = [asset_id for (asset_id,) in rows]
    if not asset_ids:
        return []
    lexical.remove_chunks(connection, doc_id)
    vectors.chunks_go(connection, doc_id)
    connection.execute("DELETE FROM documents WHERE doc_id = ?", (doc_id,))
    return asset_ids


def _drop_unused_assets(connection: sqlite3.Connection, asset_ids: Iterable[str]) -> None:
    """Remove those of the assets that no document has any more."""
    connection.executemany(
        "DELETE FROM assets WHERE asset_id = ?1"
        " AND NOT EXISTS (SELECT 1 FROM documents WHERE asset_id = ?1)",
        ((asset_id,) for asset_id in sorted(asset_ids)),
    )


def _insert_asset(connection: sqlite3.Connection, ingested: IngestedDocument) -> None:
    asset = ingested.asset
    connection.execute(
        "INSERT INTO assets VALUES (?, ?, ?) ON CONFLICT (asset_id) DO NOTHING",
        (asset.asset_id, asset.checksum, asset.byte_len),
    )


def _insert_document(connection: sqlite3.Connection, ingested: IngestedDocument) -> None:
    document = ingested.document
    audio = document.audio
    segments = audio.transcript.segments if audio and audio.transcript else ()
    row = {
        "doc_id": document.doc_id,
        "asset_id": document.source_asset_id,
        "workspace_path": document.workspace_path,
        "media_type": document.media_type,
        "title": document.title,
        "lang": document.lang,
        "duration_ms": audio.duration_ms if audio else None,
        "segment_count": len(segments),
        "chunk_count": chunk_count(ingested.runs),
        "metadata": document.metadata.model_dump_json(),
        "provenance": models_json(document.provenance),
        "schema_version": document.schema_version,
        "doc_version": document.doc_version,
        "parser_version": document.parser_version,
        "versions": ingested.versions.model_dump_json(),
        "warnings": models_json(dict.fromkeys(ingested.warnings)),
    }
    insert(connection, "documents", row)


def _insert_source_file(connection: sqlite3.Connection, ingested: IngestedDocument) -> None:
    asset, stamp = ingested.asset, ingested.stamp
    row = {
        "doc_id": ingested.document.doc_id,
        "source_path": asset.source_path,
        "discovered_at": asset.discovered_at,
        "storage": asset.storage,
        "byte_len": stamp.byte_len,
        "mtime_ns": stamp.mtime_ns,
        "inode": str(stamp.inode),  # unsigned 64 bits on some file systems
    }
    insert(connection, "source_files", row)
    companion = ingested.companion
    if companion is not None:
        beside = {
            "doc_id": ingested.document.doc_id,
            "asset_id": companion.asset_id,
            "workspace_path": companion.workspace_path,
            "source_path": companion.source_path,
            "byte_len": companion.stamp.byte_len,
            "mtime_ns": companion.stamp.mtime_ns,
            "inode": str(companion.stamp.inode),
        }
        insert(connection, "companion_files", beside)


def _insert_block(connection: sqlite3.Connection, doc_id: str, ordinal: int, block: Block) -> None:
    body = block.model_dump_json(exclude={"transcript": {"segments"}})
    row = {
        "doc_id": doc_id,
        "ordinal": ordinal,
        "block_id": block.block_id,
        "kind": block.kind,
        "source_span": block.source_span.model_dump_json(),
        "body": body,
    }
    insert(connection, "blocks", row)
    if isinstance(block, AudioRefBlock) and block.transcript is not None:
        connection.executemany(
            "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (doc_id, block.block_id, place, *_segment_row(segment))
                for place, segment in enumerate(block.transcript.segments)
            ),
        )


def _segment_row(segment: TranscriptSegment) -> tuple[object, ...]:
    words: list[JsonValue] = [
        [word.start_ms, word.end_ms, word.text, word.confidence] for word in segment.words
    ]
    flags: list[JsonValue] = [[flag.code, flag.detail] for flag in segment.flags]
    return (
        segment.start_ms,
        segment.end_ms,
        segment.text,
        segment.speaker,
        segment.confidence,
        segment.language,
        compact_json(words),
        compact_json(flags),
        segment.source_lines.start if segment.source_lines else None,
        segment.source_lines.end if segment.source_lines else None,
    )
