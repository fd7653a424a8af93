"""From domain objects to wire objects."""

from __future__ import annotations

from kb_app.ingest_items import all_warnings
from kb_app.wire import (
    BlockV1,
    ChunkRunV1,
    ChunkV1,
    DocumentSummaryV1,
    SegmentV1,
    WordV1,
)
from kb_app.wire_search import (
    CitationV1,
    LegScoreV1,
    NeighbourV1,
    SearchHitV1,
    TextRangeV1,
)
from kb_core import AudioRefBlock, CanonicalDocument, Citation, SearchHit, segment_unit_id
from kb_core.ports.store import StoredDocument
from kb_core.query import StoredPassage, shared_speaker
from kb_core.spans import cover

MARK = "**"
"""Stands before and after what matched in a snippet."""


def citation_v1(citation: Citation) -> CitationV1:
    """Return the wire form of a citation."""
    return CitationV1.model_validate(citation.to_json())


def marked_snippet(hit: SearchHit) -> str:
    """Return the snippet with what matched between marks."""
    parts = []
    position = 0
    for highlight in hit.highlights:
        parts.append(hit.snippet[position : highlight.char_start])
        parts.append(f"{MARK}{hit.snippet[highlight.char_start : highlight.char_end]}{MARK}")
        position = highlight.char_end
    parts.append(hit.snippet[position:])
    return "".join(parts)


def hit_v1(hit: SearchHit) -> SearchHitV1:
    """Return the wire form of a hit."""
    passage = hit.passage
    return SearchHitV1(
        rank=hit.rank,
        score=hit.score,
        score_kind=hit.score_kind,
        chunk_id=passage.chunk.chunk_id,
        doc_id=passage.chunk.doc_id,
        doc_path=passage.doc_path,
        doc_title=passage.doc_title,
        media_type=passage.media_type,
        module=passage.module,
        metadata=dict(passage.chunk.metadata),
        snippet=marked_snippet(hit),
        snippet_plain=hit.snippet,
        highlights=tuple(
            TextRangeV1(char_start=each.char_start, char_end=each.char_end)
            for each in hit.highlights
        ),
        text=passage.chunk.text,
        heading_path=passage.chunk.heading_path,
        citation=citation_v1(hit.citation),
        legs=tuple(LegScoreV1(leg=each.leg, rank=each.rank, score=each.score) for each in hit.legs),
        merged_chunk_ids=hit.merged_chunk_ids,
    )


def neighbour_v1(passage: StoredPassage) -> NeighbourV1:
    """Return the wire form of a chunk beside a hit."""
    citation = Citation(
        path=passage.doc_path,
        span=cover([unit.span for unit in passage.units]),
        speaker=shared_speaker(passage.units),
    )
    return NeighbourV1(
        chunk_id=passage.chunk.chunk_id,
        text=passage.chunk.text,
        citation=citation_v1(citation),
    )


def chunk_v1(passage: StoredPassage) -> ChunkV1:
    """Return the wire form of a stored chunk."""
    chunk = passage.chunk
    speaker = shared_speaker(passage.units)
    return ChunkV1(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        doc_path=passage.doc_path,
        module=passage.module,
        index=chunk.index,
        text=chunk.text,
        heading_path=chunk.heading_path,
        unit_ids=chunk.unit_ids,
        block_ids=chunk.block_ids,
        citations=tuple(
            citation_v1(Citation(path=passage.doc_path, span=span, speaker=speaker))
            for span in chunk.source_spans
        ),
        token_estimate=chunk.token_estimate,
        chunker_version=chunk.chunker_version,
        policy_hash=chunk.policy_hash,
        metadata=dict(chunk.metadata),
    )


def summary_v1(document: StoredDocument) -> DocumentSummaryV1:
    """Return the wire form of a document's row."""
    return DocumentSummaryV1(
        doc_id=document.doc_id,
        doc_path=document.workspace_path,
        title=document.title,
        media_type=document.media_type,
        lang=document.lang,
        duration_ms=document.duration_ms,
        page_count=document.page_count,
        line_count=document.line_count,
        transcript_path=document.companion.workspace_path if document.companion else None,
        speakers=document.speakers,
        segment_count=document.segment_count,
        chunk_count=document.chunk_count,
        warnings=all_warnings(document.warnings, document.runs),
    )


def runs_v1(document: StoredDocument) -> tuple[ChunkRunV1, ...]:
    """Return the wire form of what chunk modules made of a document."""
    return tuple(
        ChunkRunV1(
            module=run.module,
            chunker_version=version.chunker_version,
            policy_hash=version.policy_hash,
            model_id=version.model_id,
            target_tokens=run.policy.target_tokens if run.policy else None,
            options=dict(run.policy.options) if run.policy else None,
            chunk_count=run.chunk_count,
            warnings=run.warnings,
        )
        for run, version in zip(document.runs, document.versions.modules, strict=True)
    )


def segments_v1(document: CanonicalDocument) -> tuple[SegmentV1, ...]:
    """Return the wire form of a recording's segments, suppressed ones included."""
    audio = document.audio
    if audio is None or audio.transcript is None:
        return ()
    transcript = audio.transcript
    return tuple(
        SegmentV1(
            unit_id=segment_unit_id(audio.block_id, ordinal),
            start_ms=segment.start_ms,
            end_ms=segment.end_ms,
            text=segment.text,
            speaker=segment.speaker,
            confidence=segment.confidence,
            language=segment.language,
            flags=tuple(
                flag.code if flag.detail is None else f"{flag.code}: {flag.detail}"
                for flag in segment.flags
            ),
            suppressed=segment.suppressed and not document.metadata.keeps_suspects,
            words=tuple(WordV1.model_validate(word.model_dump()) for word in segment.words),
            citation=citation_v1(
                Citation(
                    path=document.workspace_path,
                    span=transcript.segment_span(ordinal),
                    speaker=segment.speaker,
                )
            ),
        )
        for ordinal, segment in enumerate(transcript.segments)
    )


def blocks_v1(document: CanonicalDocument) -> tuple[BlockV1, ...]:
    """Return the wire form of a text document's blocks."""
    return tuple(
        BlockV1(
            block_id=block.block_id,
            kind=block.kind,
            text=block.text,
            heading_path=block.heading_path,
            citation=citation_v1(Citation(path=document.workspace_path, span=block.source_span)),
        )
        for block in document.blocks
        if not isinstance(block, AudioRefBlock)
    )
