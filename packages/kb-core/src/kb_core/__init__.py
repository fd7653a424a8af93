"""Domain model, ids, citations, timeline rules, ports, errors and the chunk contract of kb.

Everything else in the workspace builds on this package, and it knows nothing of them.
"""

from kb_core.blocks import (
    AudioRefBlock,
    Block,
    CodeBlock,
    HeadingBlock,
    ImageRefBlock,
    ListBlock,
    ParagraphBlock,
    QuoteBlock,
    TableBlock,
)
from kb_core.canonical import canonical_json, digest_hex, id_from
from kb_core.choices import DocumentChoices, ModuleChoice
from kb_core.chunking import (
    LANGUAGE_MODEL,
    TRANSCRIPT,
    Chunker,
    ChunkModuleSpec,
    ChunkRuntime,
    ModuleProgress,
    NoOptions,
    module_options,
    run_chunker,
)
from kb_core.chunks import (
    Chunk,
    ChunkPart,
    ChunkPolicy,
    ChunkResult,
    ChunkRun,
    ModuleVersion,
    estimate_tokens,
)
from kb_core.citation import Citation, citation_from_json, format_clock, parse_citation
from kb_core.document import (
    CanonicalDocument,
    DocumentMetadata,
    ProvenanceEvent,
    RawAsset,
    SourceUnit,
    segment_ordinal,
    segment_unit_id,
)
from kb_core.ids import (
    make_asset_id,
    make_block_id,
    make_chunk_id,
    make_doc_id,
    make_embedding_id,
    make_policy_hash,
    make_transcript_version,
)
from kb_core.media import MediaType, is_recording, is_transcript_file
from kb_core.model import Model, NfcText, nfc
from kb_core.query import (
    Highlight,
    LexicalMatch,
    LexicalQuery,
    PassageUnit,
    QueryTerm,
    SearchHit,
    StoredPassage,
)
from kb_core.runtime import CancelToken, Progress, StepRuntime, StepWarning
from kb_core.segment_split import split_at_words
from kb_core.spans import LineSpan, PageSpan, SourceSpan, TimeSpan
from kb_core.speaker_turns import SPEAKER_RULES, SpeakerTurn, assign_speakers
from kb_core.timeline import TimedText, fit_words, repair_timeline
from kb_core.transcript import SegmentFlag, Transcript, TranscriptSegment, Word

__all__ = [
    "LANGUAGE_MODEL",
    "SPEAKER_RULES",
    "TRANSCRIPT",
    "AudioRefBlock",
    "Block",
    "CancelToken",
    "CanonicalDocument",
    "Chunk",
    "ChunkModuleSpec",
    "ChunkPart",
    "ChunkPolicy",
    "ChunkResult",
    "ChunkRun",
    "ChunkRuntime",
    "Chunker",
    "Citation",
    "CodeBlock",
    "DocumentChoices",
    "DocumentMetadata",
    "HeadingBlock",
    "Highlight",
    "ImageRefBlock",
    "LexicalMatch",
    "LexicalQuery",
    "LineSpan",
    "ListBlock",
    "MediaType",
    "Model",
    "ModuleChoice",
    "ModuleProgress",
    "ModuleVersion",
    "NfcText",
    "NoOptions",
    "PageSpan",
    "ParagraphBlock",
    "PassageUnit",
    "Progress",
    "ProvenanceEvent",
    "QueryTerm",
    "QuoteBlock",
    "RawAsset",
    "SearchHit",
    "SegmentFlag",
    "SourceSpan",
    "SourceUnit",
    "SpeakerTurn",
    "StepRuntime",
    "StepWarning",
    "StoredPassage",
    "TableBlock",
    "TimeSpan",
    "TimedText",
    "Transcript",
    "TranscriptSegment",
    "Word",
    "assign_speakers",
    "canonical_json",
    "citation_from_json",
    "digest_hex",
    "estimate_tokens",
    "fit_words",
    "format_clock",
    "id_from",
    "is_recording",
    "is_transcript_file",
    "make_asset_id",
    "make_block_id",
    "make_chunk_id",
    "make_doc_id",
    "make_embedding_id",
    "make_policy_hash",
    "make_transcript_version",
    "module_options",
    "nfc",
    "parse_citation",
    "repair_timeline",
    "run_chunker",
    "segment_ordinal",
    "segment_unit_id",
    "split_at_words",
]
