"""Texts without files as documents of a knowledge base, one chunk each.

For corpora of public sets: what is measured there is how texts are found, and a file for each of a
million would only measure the disk.
"""

from __future__ import annotations

from dataclasses import dataclass

from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkPolicy,
    ChunkResult,
    ChunkRun,
    LineSpan,
    ModuleVersion,
    ParagraphBlock,
    RawAsset,
    digest_hex,
    estimate_tokens,
    make_asset_id,
    make_block_id,
    make_chunk_id,
    make_doc_id,
    make_policy_hash,
)
from kb_core.ports.store import DocumentVersions, FileStamp, IngestedDocument

_VERSION = "corpus-text-v1"
_POLICY = ChunkPolicy(chunker_version=_VERSION)
_POLICY_HASH = make_policy_hash(_POLICY)
_MODULE = ModuleVersion(module=_VERSION, chunker_version=_VERSION, policy_hash=_POLICY_HASH)


@dataclass(frozen=True, slots=True)
class CorpusText:
    """A text to be found, and its id in the corpus."""

    doc_id: str
    text: str


def ingested_text(text: CorpusText) -> IngestedDocument:
    """Return all that goes into a store for a text; its chunk is the text.

    Ids depend on the text and its id alone, so that equal scores fall in the same order whatever
    the order of the corpus.
    """
    asset = _asset(text)
    doc_id = make_doc_id(
        workspace_path=asset.workspace_path, asset_id=asset.asset_id, parser_version=_VERSION
    )
    span = LineSpan(start=1, end=text.text.count("\n") + 1)
    block = ParagraphBlock(
        block_id=make_block_id(
            doc_id=doc_id, block_kind="paragraph", heading_path=(), ordinal=0, source_span=span
        ),
        source_span=span,
        text=text.text,
    )
    return IngestedDocument(
        asset=asset,
        stamp=FileStamp(byte_len=asset.byte_len, mtime_ns=0),
        document=CanonicalDocument(
            doc_id=doc_id,
            source_asset_id=asset.asset_id,
            workspace_path=asset.workspace_path,
            media_type=asset.media_type,
            title=text.doc_id,
            blocks=(block,),
            parser_version=_VERSION,
            doc_version=asset.checksum[:32],
        ),
        versions=DocumentVersions(parser_version=_VERSION, modules=(_MODULE,)),
        runs=(
            ChunkRun(
                version=_MODULE,
                policy=_POLICY,
                result=ChunkResult(chunks=(_chunk(doc_id, block),)),
            ),
        ),
    )


def _asset(text: CorpusText) -> RawAsset:
    # Ids of a corpus may hold anything, also what no path can.
    path = f"{digest_hex(text.doc_id.encode())[:32]}.txt"
    checksum = digest_hex(text.text.encode())
    return RawAsset(
        asset_id=make_asset_id(checksum),
        source_path=path,
        workspace_path=path,
        media_type="text",
        byte_len=len(text.text.encode()),
        checksum=checksum,
        discovered_at="1970-01-01T00:00:00Z",
    )


def _chunk(doc_id: str, block: ParagraphBlock) -> Chunk:
    return Chunk(
        chunk_id=make_chunk_id(
            doc_id=doc_id,
            chunker_version=_VERSION,
            block_ids=(block.block_id,),
            policy_hash=_POLICY_HASH,
            source_spans=(block.source_span,),
            occurrence=0,
        ),
        doc_id=doc_id,
        index=0,
        block_ids=(block.block_id,),
        unit_ids=(block.block_id,),
        text=block.text,
        source_spans=(block.source_span,),
        token_estimate=estimate_tokens(block.text),
        chunker_version=_VERSION,
        policy_hash=_POLICY_HASH,
    )
