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
    SpeakerTurn,
    TimeSpan,
    Transcript,
    TranscriptSegment,
    assign_speakers,
    id_from,
    make_block_id,
    make_doc_id,
    repair_timeline,
)
from kb_core.ports.transcriber import TranscriberIdentity
from kb_core.ports.transcript_cache import CachedTranscript
from kb_parse_audio.chinese import AS_HEARD, in_script
from kb_parse_audio.language import most_spoken_language
from kb_parse_audio.listening import HeardWindow
from kb_parse_audio.speech_track import SpeechTrack
from kb_parse_audio.suspects import flag_suspects

PARSER_VERSION = "audio-v2"
"""Changes whenever the same bytes may decode to other samples or give another document."""


def make_segments(
    heard: Sequence[HeardWindow],
    track: SpeechTrack,
    turns: Sequence[SpeakerTurn],
    *,
    chinese: str = AS_HEARD,
) -> tuple[TranscriptSegment, ...]:
    """Return what was heard in all windows on the player's clock.

    They are in order of their start: what was passed over and heard again comes between the
    others. Speakers come last: suspects are judged by whole segments, and their parts stay flagged.
    """
    timed = sorted(
        (timed_text for each in heard for timed_text in each.placed),
        key=lambda timed_text: timed_text.start_ms,
    )
    segments = flag_suspects(repair_timeline(timed, track.duration_ms), track)
    written = [in_script(segment, chinese) for segment in segments]
    return assign_speakers(written, turns)


def make_transcript(
    segments: tuple[TranscriptSegment, ...],
    identity: TranscriberIdentity,
    transcript_version: str,
) -> Transcript:
    """Return the transcript of segments that are on the player's clock."""
    return Transcript(
        segments=segments,
        language=most_spoken_language(segments),
        engine=identity.engine,
        engine_version=identity.engine_version,
        model_id=identity.model_id,
        model_version=identity.model_version,
        transcript_version=transcript_version,
    )


def make_document(
    asset: RawAsset, cached: CachedTranscript, *, keeps_suspects: bool = False
) -> CanonicalDocument:
    """Return the document of a recording; nothing but the arguments decide it."""
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
        metadata=DocumentMetadata(
            source_type="recording", warnings=warnings, keeps_suspects=keeps_suspects
        ),
        provenance=_provenance(transcript),
        parser_version=PARSER_VERSION,
        doc_version=_doc_version(cached, keeps_suspects),
    )


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


def _doc_version(cached: CachedTranscript, keeps_suspects: bool) -> str:
    return id_from(
        {
            "kind": "recording",
            "parser_version": PARSER_VERSION,
            "duration_ms": cached.duration_ms,
            "keeps_suspects": keeps_suspects,
            "transcript": cached.transcript,
            "warnings": list(cached.warnings),
        }
    )
