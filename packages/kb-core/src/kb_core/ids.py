"""How every id is made. One function per recipe; nothing else in kb builds an id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from kb_core.canonical import POLICY_HASH_HEX_CHARS, canonical_json, digest_hex, id_from
from kb_core.chunks import ChunkPolicy
from kb_core.spans import LineSpan, PageSpan, TimeSpan


def make_asset_id(checksum: str) -> str:
    """Return the id of the file whose BLAKE3 digest is `checksum`."""
    return id_from({"kind": "asset", "asset_blake3": checksum})


def make_doc_id(*, workspace_path: str, asset_id: str, parser_version: str) -> str:
    """Return the id of a document: these bytes, at this place, read by this parser."""
    return id_from(
        {
            "kind": "doc",
            "workspace_path": workspace_path,
            "asset_id": asset_id,
            "parser_version": parser_version,
        }
    )


def make_block_id(
    *,
    doc_id: str,
    block_kind: str,
    heading_path: Sequence[str],
    ordinal: int,
    source_span: LineSpan | PageSpan | TimeSpan,
) -> str:
    """Return the id of a block; `ordinal` counts the document's blocks from 0."""
    return id_from(
        {
            "kind": "block",
            "doc_id": doc_id,
            "block_kind": block_kind,
            "heading_path": list(heading_path),
            "ordinal": ordinal,
            "source_span": source_span,
        }
    )


def make_chunk_id(
    *,
    doc_id: str,
    chunker_version: str,
    block_ids: Sequence[str],
    policy_hash: str,
    source_spans: Sequence[LineSpan | PageSpan | TimeSpan],
    occurrence: int,
) -> str:
    """Return the id of a chunk.

    Every chunk of a recording shares its one block, so the spans are part of the recipe;
    `occurrence` counts chunks that are otherwise equal from 0. The speaker is not part of it:
    renaming a speaker must not invalidate an embedding.
    """
    return id_from(
        {
            "kind": "chunk",
            "doc_id": doc_id,
            "chunker_version": chunker_version,
            "block_ids": list(block_ids),
            "policy_hash": policy_hash,
            "source_spans": list(source_spans),
            "occurrence": occurrence,
        }
    )


def make_embedding_id(*, chunk_id: str, model_id: str, model_version: str, dimensions: int) -> str:
    """Return the id of one chunk's vector under one model."""
    return id_from(
        {
            "kind": "embedding",
            "chunk_id": chunk_id,
            "model_id": model_id,
            "model_version": model_version,
            "dimensions": dimensions,
        }
    )


def make_transcript_version(
    *,
    engine: str,
    engine_version: str,
    model_version: str,
    decoding: Mapping[str, JsonValue],
    windowing_version: str,
) -> str:
    """Return the version of every transcript that this engine makes in this way."""
    return id_from(
        {
            "kind": "transcript",
            "engine": engine,
            "engine_version": engine_version,
            "model_version": model_version,
            "decoding": dict(decoding),
            "windowing_version": windowing_version,
        }
    )


def make_policy_hash(policy: ChunkPolicy) -> str:
    """Return 16 hex characters that stand for a chunk policy."""
    return digest_hex(canonical_json(policy))[:POLICY_HASH_HEX_CHARS]
