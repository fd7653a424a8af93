"""Small documents for tests, with real ids and chunks that keep the contract.

The bytes of a file are stood in for by its text: the same rows at two paths are two copies of one
file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from kb_core import (
    AudioRefBlock,
    Block,
    CanonicalDocument,
    Chunk,
    ChunkPolicy,
    ChunkResult,
    ChunkRun,
    DocumentMetadata,
    LineSpan,
    ModuleVersion,
    ParagraphBlock,
    ProvenanceEvent,
    RawAsset,
    SourceUnit,
    StepWarning,
    TimeSpan,
    Transcript,
    TranscriptSegment,
    digest_hex,
    estimate_tokens,
    id_from,
    make_asset_id,
    make_block_id,
    make_chunk_id,
    make_doc_id,
    make_policy_hash,
)
from kb_core.ports.store import DocumentVersions, FileStamp, IngestedDocument

SegmentRow = tuple[int, int, str, str | None]
"""start_ms, end_ms, text, speaker."""

PARSER_VERSION = "testing-v1"
TRANSCRIPT_VERSION = "0123456789abcdef0123456789abcdef"
POLICY = ChunkPolicy(chunker_version="testing-chunker-v1")
MODULE = ModuleVersion(
    module=POLICY.chunker_version,
    chunker_version=POLICY.chunker_version,
    policy_hash=make_policy_hash(POLICY),
)

_T = TypeVar("_T")


def make_transcript(
    rows: Sequence[SegmentRow], *, transcript_version: str = TRANSCRIPT_VERSION
) -> Transcript:
    """Return a transcript of segments given as (start_ms, end_ms, text, speaker)."""
    return Transcript(
        segments=tuple(
            TranscriptSegment(start_ms=start_ms, end_ms=end_ms, text=text, speaker=speaker)
            for start_ms, end_ms, text, speaker in rows
        ),
        language="en",
        engine="testing",
        engine_version="1",
        model_id="none",
        model_version="0" * 64,
        transcript_version=transcript_version,
    )


def make_recording(
    workspace_path: str, rows: Sequence[SegmentRow], *, segments_per_chunk: int = 3
) -> IngestedDocument:
    """Return a recording with these segments."""
    return ingest_transcript(
        workspace_path, make_transcript(rows), segments_per_chunk=segments_per_chunk
    )


def ingest_transcript(
    workspace_path: str, transcript: Transcript, *, segments_per_chunk: int = 3
) -> IngestedDocument:
    """Return a recording with this transcript."""
    asset = make_asset(workspace_path, transcript.model_dump_json(), media_type="audio/mpeg")
    doc_id = _doc_id(asset)
    duration_ms = max((segment.end_ms for segment in transcript.segments), default=0)
    span = TimeSpan(start_ms=0, end_ms=duration_ms)
    block = AudioRefBlock(
        block_id=make_block_id(
            doc_id=doc_id, block_kind="audio_ref", heading_path=(), ordinal=0, source_span=span
        ),
        source_span=span,
        asset_id=asset.asset_id,
        duration_ms=duration_ms,
        transcript=transcript,
    )
    document = make_document(asset, [block])
    return ingest(asset, document, units_per_chunk=segments_per_chunk, joint=" ")


def make_note(
    workspace_path: str, paragraphs: Sequence[str], *, paragraphs_per_chunk: int = 1
) -> IngestedDocument:
    """Return a Markdown note with these paragraphs, each on a line with an empty one after it."""
    asset = make_asset(workspace_path, "\n\n".join(paragraphs), media_type="markdown")
    blocks: list[Block] = []
    for ordinal, text in enumerate(paragraphs):
        span = LineSpan(start=2 * ordinal + 1, end=2 * ordinal + 1)
        block_id = make_block_id(
            doc_id=_doc_id(asset),
            block_kind="paragraph",
            heading_path=(),
            ordinal=ordinal,
            source_span=span,
        )
        blocks.append(ParagraphBlock(block_id=block_id, source_span=span, text=text))
    document = make_document(asset, blocks)
    return ingest(asset, document, units_per_chunk=paragraphs_per_chunk, joint="\n\n")


def make_asset(workspace_path: str, content: str, *, media_type: str) -> RawAsset:
    """Return the asset of a file that holds `content`."""
    checksum = digest_hex(content.encode())
    return RawAsset(
        asset_id=make_asset_id(checksum),
        source_path=f"/workspace/{workspace_path}",
        workspace_path=workspace_path,
        media_type=media_type,
        byte_len=len(content.encode()),
        checksum=checksum,
        discovered_at="2026-04-27T09:00:00Z",
    )


def file_asset(path: Path, media_type: str, *, workspace_path: str | None = None) -> RawAsset:
    """Return what a scan would say of a file; one that is not there counts as empty.

    Args:
        path: of the file.
        media_type: what it is sniffed as.
        workspace_path: its name in the knowledge base; the file's own name when None.
    """
    data = path.read_bytes() if path.is_file() else b""
    checksum = digest_hex(data)
    return RawAsset(
        asset_id=make_asset_id(checksum),
        source_path=str(path),
        workspace_path=workspace_path or path.name,
        media_type=media_type,
        byte_len=len(data),
        checksum=checksum,
        discovered_at="2026-04-27T09:00:00Z",
    )


def make_document(asset: RawAsset, blocks: Sequence[Block]) -> CanonicalDocument:
    """Return the document that an extractor would make of `asset`."""
    return CanonicalDocument(
        doc_id=_doc_id(asset),
        source_asset_id=asset.asset_id,
        workspace_path=asset.workspace_path,
        media_type=asset.media_type,
        title=asset.workspace_path.rpartition("/")[2],
        lang="en",
        blocks=tuple(blocks),
        metadata=DocumentMetadata(
            tags=("testing",), user={"weight": 0.1, "deep": [None, {"a": 1}]}
        ),
        provenance=(ProvenanceEvent(step="parse", tool="testing", version="1"),),
        parser_version=PARSER_VERSION,
        doc_version=id_from([block.model_dump(mode="json") for block in blocks]),
    )


def ingest(
    asset: RawAsset, document: CanonicalDocument, *, units_per_chunk: int, joint: str
) -> IngestedDocument:
    """Return all that goes into a store for a document, in chunks of so many units."""
    chunks = rechunked(document, MODULE, units_per_chunk=units_per_chunk, joint=joint)
    transcript = document.audio.transcript if document.audio else None
    return IngestedDocument(
        asset=asset,
        stamp=FileStamp(
            byte_len=asset.byte_len, mtime_ns=1_777_000_000_123_456_789, inode=2**64 - 1
        ),
        document=document,
        versions=DocumentVersions(
            parser_version=PARSER_VERSION,
            transcript_version=transcript.transcript_version if transcript else None,
            modules=(MODULE,),
        ),
        runs=(ChunkRun(version=MODULE, policy=POLICY, result=ChunkResult(chunks=chunks)),),
    )


def rechunked(
    document: CanonicalDocument, module: ModuleVersion, *, units_per_chunk: int, joint: str
) -> tuple[Chunk, ...]:
    """Return what a module would make that puts so many units into each chunk."""
    units = document.source_units()
    groups = [units[at : at + units_per_chunk] for at in range(0, len(units), units_per_chunk)]
    return tuple(
        _chunk(document, index, group, joint, module) for index, group in enumerate(groups)
    )


def with_chunks(
    ingested: IngestedDocument, chunks: Sequence[Chunk], warnings: Sequence[StepWarning] = ()
) -> IngestedDocument:
    """Return the same with other chunks of its first module."""
    result = ChunkResult(chunks=tuple(chunks), warnings=tuple(warnings))
    run = ingested.runs[0].model_copy(update={"result": result})
    return ingested.model_copy(update={"runs": (run, *ingested.runs[1:])})


def _doc_id(asset: RawAsset) -> str:
    return make_doc_id(
        workspace_path=asset.workspace_path,
        asset_id=asset.asset_id,
        parser_version=PARSER_VERSION,
    )


def _chunk(
    document: CanonicalDocument,
    index: int,
    units: Sequence[SourceUnit],
    joint: str,
    module: ModuleVersion,
) -> Chunk:
    text = joint.join(unit.text for unit in units)
    block_ids = _distinct([unit.block_id for unit in units])
    spans = tuple(unit.span for unit in units)
    return Chunk(
        chunk_id=make_chunk_id(
            doc_id=document.doc_id,
            chunker_version=module.chunker_version,
            block_ids=block_ids,
            policy_hash=module.policy_hash,
            source_spans=spans,
            occurrence=0,
        ),
        doc_id=document.doc_id,
        index=index,
        block_ids=block_ids,
        unit_ids=tuple(unit.unit_id for unit in units),
        text=text,
        source_spans=spans,
        token_estimate=estimate_tokens(text),
        chunker_version=module.chunker_version,
        policy_hash=module.policy_hash,
        metadata={"testing": index},
    )


def _distinct(items: Sequence[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))
