"""Reading documents and passages back.

All functions work inside the caller's read transaction, so what they return belongs together.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import TypeAdapter

from kb_core.blocks import Block
from kb_core.chunks import Chunk, ChunkPart
from kb_core.document import CanonicalDocument
from kb_core.ports.store import (
    CompanionFile,
    DocumentVersions,
    FileStamp,
    KnownFile,
    StoredDocument,
    StoredRun,
)
from kb_core.query import PassageUnit, StoredPassage
from kb_core.transcript import TranscriptSegment
from kb_store_sqlite.runs import RunsReader, warnings_in

_BLOCK: TypeAdapter[Block] = TypeAdapter(Block)
_STORED_DOCUMENT = """
    SELECT d.doc_id, d.asset_id, d.workspace_path, f.source_path, d.media_type, d.title, d.lang,
           d.duration_ms, d.segment_count, d.chunk_count, a.checksum, d.versions, d.warnings,
           f.byte_len, f.mtime_ns, f.inode,
           d.metadata ->> '$.line_count' AS line_count, d.metadata ->> '$.page_count' AS page_count,
           (SELECT json_group_array(speaker) FROM (
                SELECT speaker FROM segments AS s
                WHERE s.doc_id = d.doc_id AND speaker IS NOT NULL
                GROUP BY speaker ORDER BY min(ordinal)
           )) AS speakers,
           c.asset_id AS beside_asset_id, c.workspace_path AS beside_workspace_path,
           c.source_path AS beside_source_path, c.byte_len AS beside_byte_len,
           c.mtime_ns AS beside_mtime_ns, c.inode AS beside_inode
    FROM documents AS d JOIN assets AS a USING (asset_id) JOIN source_files AS f USING (doc_id)
    LEFT JOIN companion_files AS c USING (doc_id)
"""
_KNOWN_FILES = """
    SELECT source_path, byte_len, mtime_ns, inode, doc_id FROM source_files
    UNION ALL SELECT source_path, byte_len, mtime_ns, inode, doc_id FROM companion_files
    ORDER BY source_path, doc_id
"""
_NO_SPEAKERS = "[]"
_COMPANION_FIELDS = (
    "asset_id", "workspace_path", "source_path", "byte_len", "mtime_ns", "inode",
)  # fmt: skip


def list_documents(connection: sqlite3.Connection) -> list[StoredDocument]:
    """Return all documents, ordered by workspace path."""
    rows = _dicts(connection.execute(f"{_STORED_DOCUMENT} ORDER BY d.workspace_path"))
    versions, runs = VersionsReader(), RunsReader().of_all(connection)
    return [_stored_document(row, versions, runs.get(row["doc_id"], ())) for row in rows]


def known_files(connection: sqlite3.Connection) -> list[KnownFile]:
    """Return place and stamp of every file, companions included, in order of place."""
    return [
        KnownFile(path, byte_len, mtime_ns, int(inode), doc_id)
        for path, byte_len, mtime_ns, inode, doc_id in connection.execute(_KNOWN_FILES)
    ]


def version_groups(connection: sqlite3.Connection) -> list[tuple[str, DocumentVersions]]:
    """Return each kind with its versions once, companions' recordings left out."""
    rows = connection.execute(
        "SELECT DISTINCT media_type, versions FROM documents"
        " WHERE doc_id NOT IN (SELECT doc_id FROM companion_files) ORDER BY 1, 2"
    )
    return [(kind, DocumentVersions.model_validate_json(text)) for kind, text in rows]


def has_companions(connection: sqlite3.Connection) -> bool:
    """Return whether there is a companion file."""
    (found,) = connection.execute("SELECT EXISTS (SELECT 1 FROM companion_files)").fetchone()
    return bool(found)


def forgotten_paths(connection: sqlite3.Connection) -> list[str]:
    """Return the paths that stay out, in order."""
    rows = connection.execute("SELECT workspace_path FROM forgotten_paths ORDER BY 1")
    return [path for (path,) in rows]


def find_document(connection: sqlite3.Connection, column: str, value: str) -> StoredDocument | None:
    """Return the document whose `doc_id` or `workspace_path` is `value`, or None."""
    cursor = connection.execute(f"{_STORED_DOCUMENT} WHERE d.{column} = ?", (value,))
    row = next(_dicts(cursor), None)
    if row is None:
        return None
    return _stored_document(row, VersionsReader(), RunsReader().of_one(connection, row["doc_id"]))


def load_document(connection: sqlite3.Connection, doc_id: str) -> CanonicalDocument | None:
    """Return the document as it was put, with the segments as they are now."""
    cursor = connection.execute(
        """
        SELECT doc_id, asset_id AS source_asset_id, workspace_path, media_type, title, lang,
               metadata, provenance, parser_version, schema_version, doc_version
        FROM documents WHERE doc_id = ?
        """,
        (doc_id,),
    )
    row = next(_dicts(cursor), None)
    if row is None:
        return None
    row["metadata"] = json.loads(row["metadata"])
    row["provenance"] = json.loads(row["provenance"])
    return CanonicalDocument.model_validate({**row, "blocks": _load_blocks(connection, doc_id)})


def chunk_ids(connection: sqlite3.Connection, doc_id: str) -> list[str]:
    """Return the ids of a document's chunks in their order, run after run."""
    rows = connection.execute(
        "SELECT chunk_id FROM chunk_runs JOIN chunks USING (doc_id, module)"
        " WHERE doc_id = ? ORDER BY place, chunk_index",
        (doc_id,),
    )
    return [chunk_id for (chunk_id,) in rows]


def chunk_ids_from(connection: sqlite3.Connection, prefix: str) -> list[str]:
    """Return the ids of all chunks that begin with `prefix`, in order."""
    rows = connection.execute(
        "SELECT chunk_id FROM chunks WHERE chunk_id >= ? AND substr(chunk_id, 1, ?) = ?"
        " ORDER BY chunk_id",
        (prefix, len(prefix), prefix),
    )
    return [chunk_id for (chunk_id,) in rows]


def neighbour_ids(connection: sqlite3.Connection, chunk_id: str, distance: int) -> list[str]:
    """Return a chunk and up to `distance` of its run before and after it, in order."""
    rows = connection.execute(
        """
        SELECT near.chunk_id FROM chunks AS here
        JOIN chunks AS near ON near.doc_id = here.doc_id AND near.module = here.module
            AND near.chunk_index BETWEEN here.chunk_index - :distance
                                     AND here.chunk_index + :distance
        WHERE here.chunk_id = :chunk_id ORDER BY near.chunk_index
        """,
        {"chunk_id": chunk_id, "distance": distance},
    )
    return [neighbour_id for (neighbour_id,) in rows]


def load_passages(connection: sqlite3.Connection, ids: Sequence[str]) -> list[StoredPassage]:
    """Return the chunks with their units, in the order asked for; absent ids are left out."""
    rows = _dicts(
        connection.execute(
            """
            SELECT c.*, d.workspace_path, d.title, d.media_type, d.lang
            FROM chunks AS c JOIN documents AS d USING (doc_id)
            WHERE c.chunk_id IN (SELECT value FROM json_each(?))
            """,
            (json.dumps(ids),),
        )
    )
    found = {row["chunk_id"]: _passage(connection, row) for row in rows}
    return [found[chunk_id] for chunk_id in ids if chunk_id in found]


def _dicts(cursor: sqlite3.Cursor) -> Iterator[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    return (dict(zip(names, row, strict=True)) for row in cursor)


class VersionsReader:
    """Reads the versions of documents; thousands of documents share a handful of them."""

    def __init__(self) -> None:
        self._read: dict[str, DocumentVersions] = {}

    def __call__(self, text: str) -> DocumentVersions:
        """Return the versions in a column of JSON."""
        versions = self._read.get(text)
        if versions is None:
            versions = self._read[text] = DocumentVersions.model_validate_json(text)
        return versions


def _stored_document(
    row: dict[str, Any], versions: VersionsReader, runs: tuple[StoredRun, ...]
) -> StoredDocument:
    """Return a row as a model, without checking again what was checked when it was stored."""
    stamp = {name: row.pop(name) for name in ("byte_len", "mtime_ns", "inode")}
    beside = {name: row.pop(f"beside_{name}") for name in _COMPANION_FIELDS}
    speakers, warnings = row.pop("speakers"), row.pop("warnings")
    return StoredDocument.model_construct(
        **{
            **row,
            "stamp": _stamp(stamp),
            "versions": versions(row["versions"]),
            "warnings": warnings_in(warnings),
            "runs": runs,
            "speakers": () if speakers == _NO_SPEAKERS else tuple(json.loads(speakers)),
            "companion": _companion(beside) if beside["asset_id"] is not None else None,
        }
    )


def _stamp(fields: dict[str, Any]) -> FileStamp:
    return FileStamp.model_construct(**{**fields, "inode": int(fields["inode"])})


def _companion(fields: dict[str, Any]) -> CompanionFile:
    stamp = {name: fields.pop(name) for name in ("byte_len", "mtime_ns", "inode")}
    return CompanionFile.model_construct(**fields, stamp=_stamp(stamp))


def _load_blocks(connection: sqlite3.Connection, doc_id: str) -> list[Block]:
    rows = connection.execute(
        "SELECT block_id, body FROM blocks WHERE doc_id = ? ORDER BY ordinal", (doc_id,)
    ).fetchall()
    blocks = []
    for block_id, body in rows:
        fields = json.loads(body)
        if fields.get("transcript") is not None:
            fields["transcript"]["segments"] = _load_segments(connection, doc_id, block_id)
        blocks.append(_BLOCK.validate_python(fields))
    return blocks


def _load_segments(
    connection: sqlite3.Connection, doc_id: str, block_id: str
) -> list[TranscriptSegment]:
    rows = _dicts(
        connection.execute(
            """
            SELECT start_ms, end_ms, text, speaker, confidence, language, words, flags,
                   line_start, line_end
            FROM segments WHERE doc_id = ? AND block_id = ? ORDER BY ordinal
            """,
            (doc_id, block_id),
        )
    )
    return [
        TranscriptSegment.model_validate(
            {
                "source_lines": _lines(row.pop("line_start"), row.pop("line_end")),
                **row,
                "words": [
                    {"start_ms": start_ms, "end_ms": end_ms, "text": text, "confidence": confidence}
                    for start_ms, end_ms, text, confidence in json.loads(row["words"])
                ],
                "flags": [
                    {"code": code, "detail": detail} for code, detail in json.loads(row["flags"])
                ],
            }
        )
        for row in rows
    ]


def _lines(start: int | None, end: int | None) -> dict[str, int] | None:
    return None if start is None or end is None else {"start": start, "end": end}


def _passage(connection: sqlite3.Connection, row: dict[str, Any]) -> StoredPassage:
    units, parts = _load_units(connection, row["chunk_key"], row["doc_id"])
    chunk = Chunk.model_validate(
        {
            "chunk_id": row["chunk_id"],
            "doc_id": row["doc_id"],
            "index": row["chunk_index"],
            "block_ids": json.loads(row["block_ids"]),
            "unit_ids": [unit.unit_id for unit in units],
            "text": row["text"],
            "heading_path": json.loads(row["heading_path"]),
            "source_spans": json.loads(row["source_spans"]),
            "parts": parts,
            "token_estimate": row["token_estimate"],
            "chunker_version": row["chunker_version"],
            "policy_hash": row["policy_hash"],
            "metadata": json.loads(row["metadata"]),
        }
    )
    return StoredPassage(
        chunk=chunk,
        module=row["module"],
        doc_path=row["workspace_path"],
        doc_title=row["title"],
        media_type=row["media_type"],
        lang=row["lang"],
        units=tuple(units),
    )


def _load_units(
    connection: sqlite3.Connection, chunk_key: int, doc_id: str
) -> tuple[list[PassageUnit], list[ChunkPart]]:
    """Return a chunk's units, and its parts where it has them."""
    rows = connection.execute(
        """
        SELECT u.unit_id, u.char_start, u.char_end, u.unit_char_start, u.unit_char_end, u.span,
               b.source_span, s.start_ms, s.end_ms, s.speaker
        FROM chunk_units AS u
        JOIN blocks AS b ON b.doc_id = :doc_id AND b.block_id = u.block_id
        LEFT JOIN segments AS s
            ON s.doc_id = :doc_id AND s.block_id = u.block_id AND s.ordinal = u.segment_ordinal
        WHERE u.chunk_key = :chunk_key ORDER BY u.ordinal
        """,
        {"doc_id": doc_id, "chunk_key": chunk_key},
    )
    units, parts = [], []
    for row in rows:
        unit_id, char_start, char_end, unit_start, unit_end, part_span, block_span, *segment = row
        start_ms, end_ms, speaker = segment
        where = {"unit_id": unit_id, "char_start": char_start, "char_end": char_end}
        if part_span is None and start_ms is not None:
            span = {"kind": "time", "start_ms": start_ms, "end_ms": end_ms}
        else:
            span = json.loads(part_span or block_span)
        units.append(PassageUnit.model_validate({**where, "span": span, "speaker": speaker}))
        if unit_start is not None:
            part = {**where, "unit_char_start": unit_start, "unit_char_end": unit_end, "span": span}
            parts.append(ChunkPart.model_validate(part))
    return units, parts
