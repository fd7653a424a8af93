"""The `Extractor` for subtitle and transcript files, which is a `TranscriptReader`, too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from kb_core import (
    AudioRefBlock,
    CanonicalDocument,
    DocumentChoices,
    DocumentMetadata,
    LineSpan,
    ProvenanceEvent,
    RawAsset,
    TimeSpan,
    Transcript,
    id_from,
    is_transcript_file,
    make_block_id,
    make_doc_id,
    make_transcript_version,
)
from kb_core.errors import NoText
from kb_core.ports.extractor import ExtractorServices, ExtractorVersions, ExtractRuntime
from kb_parse_subtitle.cue import TextFile
from kb_parse_subtitle.formats import ReadFile, read_cues
from kb_parse_subtitle.languages import language_code, language_named
from kb_parse_subtitle.placing import Placed, place
from kb_source_text import DecodedText, decode_text, language_of_texts, read_bytes

PARSER_VERSION = "subtitle-v1"
"""Changes whenever the same bytes may give another transcript."""

ENGINE = "file"
_MAX_WARNED_LINES = 20
_WHISPER_CPP_KEYS = (b'"transcription"', b'"offsets"')


@dataclass(frozen=True, slots=True)
class _Parsed:
    decoded: DecodedText
    read: ReadFile
    placed: Placed
    transcript: Transcript

    @property
    def line_count(self) -> int:
        return len(TextFile(self.decoded.text).lines)


class SubtitleExtractor:
    """Reads what was said from files without sound."""

    @property
    def name(self) -> str:
        """Short name for messages and provenance."""
        return "subtitle"

    def accepts(self, media_type: str) -> bool:
        """Return whether the file is a subtitle or transcript file."""
        return is_transcript_file(media_type)

    def versions(self, choices: DocumentChoices) -> ExtractorVersions:
        """Return the versions of what would be made now; the bytes decide the transcript."""
        return ExtractorVersions(parser_version=PARSER_VERSION)

    def transcript_version(self, asset_id: str, choices: DocumentChoices) -> str:
        """Return the version of what `read_transcript` gives; reads nothing."""
        return make_transcript_version(
            engine=ENGINE,
            engine_version=PARSER_VERSION,
            model_version=asset_id,
            decoding={"encoding": choices.encoding},
            windowing_version=PARSER_VERSION,
        )

    def read_transcript(self, asset: RawAsset, runtime: ExtractRuntime) -> Transcript:
        """Read the file; times are those that it says.

        Raises:
            InputError: it cannot be used.
            ConfigError: the encoding that was chosen for it is none.
        """
        return self._parse(asset, runtime).transcript

    def extract(self, asset: RawAsset, runtime: ExtractRuntime) -> CanonicalDocument:
        """Return the document of the file: one block that holds the transcript.

        Raises:
            InputError: it cannot be used.
            ConfigError: the encoding that was chosen for it is none.
        """
        parsed = self._parse(asset, runtime)
        warnings = tuple(
            f"{warning.unit}: {warning.message}" if warning.unit else warning.message
            for warning in runtime.warnings
        )
        return _document(asset, parsed, warnings)

    def _parse(self, asset: RawAsset, runtime: ExtractRuntime) -> _Parsed:
        runtime.cancel.raise_if_cancelled()
        path = asset.source_path
        decoded = _decoded(read_bytes(path), path, runtime.choices.encoding)
        if decoded.replaced_bytes:
            runtime.warn("damaged_text", f"{decoded.replaced_bytes} bytes in it are no text")
        read = read_cues(decoded.text, path)
        runtime.cancel.raise_if_cancelled()
        placed = place(read.cues)
        if not placed.segments:
            raise NoText(
                path,
                f"not one caption with text can be read from it ({read.format_name})",
                hint="is the file complete, and does --encoding name what it is in?",
            )
        _warn(placed, runtime)
        transcript = Transcript(
            segments=placed.segments,
            language=_language(asset, read, placed),
            engine=ENGINE,
            engine_version=PARSER_VERSION,
            model_id=read.format_name,
            model_version=asset.checksum,
            transcript_version=self.transcript_version(asset.asset_id, runtime.choices),
            timed=read.cues.timed,
        )
        return _Parsed(decoded, read, placed, transcript)


def create_extractor(_settings: object, _services: ExtractorServices) -> SubtitleExtractor:
    """Return the extractor; there is nothing to set."""
    return SubtitleExtractor()


def _decoded(data: bytes, path: str, encoding: str | None) -> DecodedText:
    """Decode the file; whisper.cpp writes UTF-8 with parts of characters in its tokens.

    Those bytes come as escapes, which the reader joins.
    """
    is_whisper_cpp = data.lstrip()[:1] == b"{" and all(key in data for key in _WHISPER_CPP_KEYS)
    if encoding is None and is_whisper_cpp:
        return DecodedText(data.decode("utf-8", "surrogateescape"), "utf-8")
    return decode_text(data, path, encoding=encoding)


def _warn(placed: Placed, runtime: ExtractRuntime) -> None:
    for line_number, problem in placed.problems[:_MAX_WARNED_LINES]:
        runtime.warn("damaged_cue", problem, f"line {line_number}")
    more = len(placed.problems) - _MAX_WARNED_LINES
    if more > 0:
        runtime.warn("damaged_cue", f"{more} more places like these")


def _language(asset: RawAsset, read: ReadFile, placed: Placed) -> str | None:
    said = language_code(read.cues.language) or language_named(asset.workspace_path)
    return said or language_of_texts(segment.text for segment in placed.segments)


def _document(asset: RawAsset, parsed: _Parsed, warnings: tuple[str, ...]) -> CanonicalDocument:
    transcript = parsed.transcript
    doc_id = make_doc_id(
        workspace_path=asset.workspace_path,
        asset_id=asset.asset_id,
        parser_version=PARSER_VERSION,
    )
    title = parsed.read.cues.title or _stem(asset.workspace_path)
    return CanonicalDocument(
        doc_id=doc_id,
        source_asset_id=asset.asset_id,
        workspace_path=asset.workspace_path,
        media_type=asset.media_type,
        title=title,
        lang=transcript.language,
        blocks=(_block(asset, parsed, doc_id),),
        metadata=DocumentMetadata(
            source_type="transcript",
            warnings=warnings,
            encoding=parsed.decoded.encoding,
            line_count=parsed.line_count,
        ),
        provenance=(_provenance(parsed),),
        parser_version=PARSER_VERSION,
        # All that the document holds is decided by these.
        doc_version=id_from(
            {
                "kind": "transcript-file",
                "transcript_version": transcript.transcript_version,
                "media_type": asset.media_type,
                "title": title,
                "lang": transcript.language,
            }
        ),
    )


def _block(asset: RawAsset, parsed: _Parsed, doc_id: str) -> AudioRefBlock:
    transcript = parsed.transcript
    duration_ms = max(segment.end_ms for segment in transcript.segments)
    span = (
        TimeSpan(start_ms=0, end_ms=duration_ms)
        if transcript.timed
        else LineSpan(start=1, end=max(1, parsed.line_count))
    )
    return AudioRefBlock(
        block_id=make_block_id(
            doc_id=doc_id, block_kind="audio_ref", heading_path=(), ordinal=0, source_span=span
        ),
        source_span=span,
        asset_id=asset.asset_id,
        duration_ms=duration_ms,
        transcript=transcript,
    )


def _provenance(parsed: _Parsed) -> ProvenanceEvent:
    detail: dict[str, str | int] = {"format": parsed.read.format_name}
    if parsed.decoded.encoding != "utf-8":
        detail["encoding"] = parsed.decoded.encoding
    if parsed.placed.folded_cues:
        detail["folded_cues"] = parsed.placed.folded_cues
    return ProvenanceEvent(
        step="parse", tool="kb-parse-subtitle", version=PARSER_VERSION, detail=dict(detail)
    )


def _stem(workspace_path: str) -> str:
    return PurePosixPath(workspace_path).stem or workspace_path
