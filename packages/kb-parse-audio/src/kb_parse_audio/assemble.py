"""From recognised windows to a transcript, and from a transcript to a document.

Everything here is a function of its arguments: no file, no clock, no library version. The versions
of FFmpeg and PyAV stay out of the document on purpose: decoders of one format agree, an update must
not make every recording stale, and what a document cites is fixed by `parser_version`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from kb_core import (
    AudioRefBlock,
    CanonicalDocument,
    DocumentMetadata,
    ProvenanceEvent,
    RawAsset,
    TimedText,
    TimeSpan,
    Transcript,
    id_from,
    make_block_id,
    make_doc_id,
    repair_timeline,
)
from kb_core.ports.transcriber import RecognisedWindow, TranscriberIdentity
from kb_core.ports.transcript_cache import CachedTranscript
from kb_parse_audio.language import most_spoken_language

PARSER_VERSION = "audio-v1"
"""Changes whenever the same bytes may decode to other samples or give another document."""


def make_transcript(
    heard: Sequence[tuple[int, RecognisedWindow]],
    *,
    duration_ms: int,
    identity: TranscriberIdentity,
    transcript_version: str,
) -> Transcript:
    """Join windows, given with their start in milliseconds, into one transcript."""
    timed = [
        timed_text for start_ms, window in heard for timed_text in _on_file_clock(start_ms, window)
    ]
    segments = repair_timeline(timed, duration_ms)
    return Transcript(
        segments=segments,
        language=most_spoken_language(segments),
        engine=identity.engine,
        engine_version=identity.engine_version,
        model_id=identity.model_id,
        model_version=identity.model_version,
        transcript_version=transcript_version,
    )


def make_document(asset: RawAsset, cached: CachedTranscript) -> CanonicalDocument:
    """Return the document of a recording; nothing but the asset and the transcript decide it."""
    transcript = cached.transcript
    doc_id = make_doc_id(
        workspace_path=asset.workspace_path,
        asset_id=asset.asset_id,
        parser_version=PARSER_VERSION,
    )
    span = TimeSpan(start_ms=0, end_ms=cached.duration_ms)
    block_id = make_block_id(
        doc_id=doc_id, block_kind="audio_ref", heading_path=(), ordinal=0, source_span=span
    )
    block = AudioRefBlock(
        block_id=block_id,
        source_span=span,
        asset_id=asset.asset_id,
        duration_ms=cached.duration_ms,
        transcript=transcript,
    )
    warnings = tuple(warning.message for warning in cached.warnings)
    return CanonicalDocument(
        doc_id=doc_id,
        source_asset_id=asset.asset_id,
        workspace_path=asset.workspace_path,
        media_type=asset.media_type,
        title=PurePosixPath(asset.workspace_path).stem or asset.workspace_path,
        lang=transcript.language,
        blocks=(block,),
        metadata=DocumentMetadata(source_type="recording", warnings=warnings),
        provenance=_provenance(transcript),
        parser_version=PARSER_VERSION,
        doc_version=_doc_version(cached),
    )


def _on_file_clock(start_ms: int, window: RecognisedWindow) -> list[TimedText]:
    timed = []
    for segment in window.segments:
        words = tuple(
            word.model_copy(
                update={"start_ms": word.start_ms + start_ms, "end_ms": word.end_ms + start_ms}
            )
            for word in segment.words
        )
        language = segment.language or window.language
        moved = segment.model_copy(update={"words": words, "language": language})
        timed.append(TimedText(segment.start_ms + start_ms, segment.end_ms + start_ms, moved))
    return timed


def _provenance(transcript: Transcript) -> tuple[ProvenanceEvent, ...]:
    return (
        ProvenanceEvent(step="decode", tool="kb-parse-audio", version=PARSER_VERSION),
        ProvenanceEvent(
            step="transcribe",
            tool=transcript.engine,
            version=transcript.engine_version,
            detail={
                "model_id": transcript.model_id,
                "model_version": transcript.model_version,
                "transcript_version": transcript.transcript_version,
            },
        ),
    )


def _doc_version(cached: CachedTranscript) -> str:
    return id_from(
        {
            "kind": "recording",
            "parser_version": PARSER_VERSION,
            "duration_ms": cached.duration_ms,
            "transcript": cached.transcript,
            "warnings": list(cached.warnings),
        }
    )
