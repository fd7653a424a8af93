"""What chunk modules made of documents: one run of each, side by side, with its chunks.

All functions work inside the caller's transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence

from kb_core.canonical import digest_hex
from kb_core.chunks import Chunk, ChunkPolicy, ChunkRun
from kb_core.document import CanonicalDocument, SourceUnit
from kb_core.ports.store import DocumentVersions, StoredRun
from kb_core.runtime import StepWarning
from kb_store_sqlite import lexical, vectors
from kb_store_sqlite.rows import compact_json, insert, models_json
from kb_store_sqlite.units import chunk_unit_rows


def insert_runs(
    connection: sqlite3.Connection, document: CanonicalDocument, runs: Sequence[ChunkRun]
) -> None:
    """Store the runs of a document that has none."""
    units = {unit.unit_id: unit for unit in document.source_units()}
    for place, run in enumerate(runs):
        module = run.version.module
        row = {
            "doc_id": document.doc_id,
            "place": place,
            "module": module,
            "policy": run.policy.model_dump_json(),
            "chunk_count": len(run.result.chunks),
            "warnings": models_json(run.result.warnings),
        }
        insert(connection, "chunk_runs", row)
        for chunk in run.result.chunks:
            _insert_chunk(connection, module, chunk, units)


def replace_runs(
    connection: sqlite3.Connection,
    document: CanonicalDocument,
    versions: DocumentVersions,
    runs: Sequence[ChunkRun],
) -> None:
    """Store runs in place of all of a document's chunks."""
    doc_id = document.doc_id
    lexical.remove_chunks(connection, doc_id)
    vectors.chunks_go(connection, doc_id)
    connection.execute("DELETE FROM chunk_runs WHERE doc_id = ?", (doc_id,))
    connection.execute(
        "UPDATE documents SET versions = ?, chunk_count = ? WHERE doc_id = ?",
        (versions.model_dump_json(), chunk_count(runs), doc_id),
    )
    insert_runs(connection, document, runs)


def chunk_count(runs: Sequence[ChunkRun]) -> int:
    """Return how many chunks all runs have together."""
    return sum(len(run.result.chunks) for run in runs)


class RunsReader:
    """Reads the runs of documents; thousands of documents share a handful of policies."""

    def __init__(self) -> None:
        self._policies: dict[str, ChunkPolicy] = {}

    def of_all(self, connection: sqlite3.Connection) -> dict[str, tuple[StoredRun, ...]]:
        """Return the runs of each document, in their order."""
        return self._read(connection.execute(f"{_RUNS} ORDER BY doc_id, place"))

    def of_one(self, connection: sqlite3.Connection, doc_id: str) -> tuple[StoredRun, ...]:
        """Return the runs of a document, in their order."""
        rows = connection.execute(f"{_RUNS} WHERE doc_id = ? ORDER BY place", (doc_id,))
        return self._read(rows).get(doc_id, ())

    def _read(self, rows: sqlite3.Cursor) -> dict[str, tuple[StoredRun, ...]]:
        runs: dict[str, tuple[StoredRun, ...]] = {}
        for doc_id, module, policy, count, warnings in rows:
            run = StoredRun.model_construct(
                module=module,
                policy=None if policy is None else self._policy(policy),
                chunk_count=count,
                warnings=warnings_in(warnings),
            )
            runs[doc_id] = (*runs.get(doc_id, ()), run)
        return runs

    def _policy(self, text: str) -> ChunkPolicy:
        policy = self._policies.get(text)
        if policy is None:
            policy = self._policies[text] = ChunkPolicy.model_validate_json(text)
        return policy


def warnings_in(text: str) -> tuple[StepWarning, ...]:
    """Return the warnings in a column of JSON."""
    return tuple(map(StepWarning.model_validate, json.loads(text))) if text != "[]" else ()


_RUNS = "SELECT doc_id, module, policy, chunk_count, warnings FROM chunk_runs"


def _insert_chunk(
    connection: sqlite3.Connection, module: str, chunk: Chunk, units: Mapping[str, SourceUnit]
) -> None:
    row = {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "module": module,
        "chunk_index": chunk.index,
        "text": chunk.text,
        "block_ids": compact_json(list(chunk.block_ids)),
        "heading_path": compact_json(list(chunk.heading_path)),
        "source_spans": models_json(chunk.source_spans),
        "token_estimate": chunk.token_estimate,
        "chunker_version": chunk.chunker_version,
        "policy_hash": chunk.policy_hash,
        "metadata": compact_json(chunk.metadata),
        "text_digest": digest_hex(chunk.text.encode()),
    }
    chunk_key = insert(connection, "chunks", row)
    lexical.index_chunk(connection, chunk_key, chunk.text)
    connection.executemany(
        "INSERT INTO chunk_units VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((chunk_key, place, *row) for place, row in enumerate(chunk_unit_rows(chunk, units))),
    )
