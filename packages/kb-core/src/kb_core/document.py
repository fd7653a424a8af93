"""Assets, canonical documents and the units that chunkers group."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from kb_core.blocks import AudioRefBlock, Block, TextBlock
from kb_core.media import MediaType
from kb_core.model import HexDigest, Model, NfcText
from kb_core.spans import SourceSpan

DOCUMENT_SCHEMA_VERSION = "canonical_document.v1"


class RawAsset(Model):
    """A file as it was found.

    `source_path` is where to open it on this machine; `workspace_path` is its name in the knowledge
    base: POSIX, NFC, relative to the workspace root when inside it and absolute otherwise.
    """

    asset_id: str
    source_path: str
    workspace_path: NfcText
    media_type: MediaType
    byte_len: int = Field(ge=0)
    checksum: HexDigest = Field(description="64 hex characters of BLAKE3 over the bytes")
    discovered_at: str = Field(description="UTC, ISO 8601")
    storage: Literal["reference", "copy"] = "reference"


class ProvenanceEvent(Model):
    """One step that made the document; free of clock times, so that rows stay reproducible."""

    step: str
    tool: str
    version: str
    detail: dict[str, JsonValue] = Field(default_factory=dict)


class DocumentMetadata(Model):
    """What is known about a document beside its text.

    Attributes:
        keeps_suspects: segments that were probably not said count like any other.
        encoding: of the text file, such as `cp949`; None where there is no choice.
        line_count: lines of the text file.
        page_count: pages of the paper, those without text included.
        page_labels: what the paper itself calls its pages, in order; empty where that is 1, 2, 3 …
    """

    tags: tuple[NfcText, ...] = ()
    aliases: tuple[NfcText, ...] = ()
    created: str | None = None
    updated: str | None = None
    source_type: str | None = None
    trust_level: Literal["own", "third_party", "unknown"] = "unknown"
    warnings: tuple[str, ...] = ()
    keeps_suspects: bool = False
    encoding: str | None = None
    line_count: int | None = Field(default=None, ge=0)
    page_count: int | None = Field(default=None, ge=0)
    page_labels: tuple[NfcText, ...] = ()
    user: dict[str, JsonValue] = Field(default_factory=dict)


class SourceUnit(Model):
    """The smallest thing that a chunker groups: a transcript segment, or a block."""

    unit_id: str
    block_id: str
    text: NfcText
    span: SourceSpan
    speaker: NfcText | None = None
    heading_path: tuple[NfcText, ...] = ()
    kind: str


class CanonicalDocument(Model):
    """One source, parsed: the same model for a recording, a note and a paper."""

    doc_id: str
    source_asset_id: str
    workspace_path: NfcText
    media_type: MediaType
    title: NfcText
    lang: str | None = None
    blocks: tuple[Block, ...]
    metadata: DocumentMetadata = Field(default_factory=DocumentMetadata)
    provenance: tuple[ProvenanceEvent, ...] = ()
    parser_version: str
    schema_version: str = DOCUMENT_SCHEMA_VERSION
    doc_version: str = Field(description="digest of the parsed content")

    @property
    def audio(self) -> AudioRefBlock | None:
        """The recording, when the document is one."""
        if self.blocks and isinstance(self.blocks[0], AudioRefBlock):
            return self.blocks[0]
        return None

    def source_units(self) -> tuple[SourceUnit, ...]:
        """Return the atoms that chunkers group, in document order.

        Segments of a recording or a subtitle file, blocks otherwise. Suppressed segments (repeats,
        suspected hallucinations), unless the person keeps them, and segments without a visible
        character are no units: they stay in the transcript and out of everything made from it.
        """
        audio = self.audio
        if audio is None:
            return tuple(
                _block_unit(block)
                for block in self.blocks
                if not isinstance(block, AudioRefBlock) and block.text.strip()
            )
        if audio.transcript is None:
            return ()
        return tuple(
            SourceUnit(
                unit_id=segment_unit_id(audio.block_id, ordinal),
                block_id=audio.block_id,
                text=segment.text,
                span=audio.transcript.segment_span(ordinal),
                speaker=segment.speaker,
                kind="segment",
            )
            for ordinal, segment in enumerate(audio.transcript.segments)
            if segment.text.strip() and (self.metadata.keeps_suspects or not segment.suppressed)
        )


def segment_unit_id(block_id: str, ordinal: int) -> str:
    """Return the unit id of transcript segment `ordinal`; `segment_ordinal` is its inverse."""
    return f"{block_id}:{ordinal}"


def segment_ordinal(unit_id: str) -> int | None:
    """Return the segment ordinal in a unit id, or None when the unit is a block."""
    _, separator, ordinal = unit_id.rpartition(":")
    return int(ordinal) if separator else None


def _block_unit(block: TextBlock) -> SourceUnit:
    return SourceUnit(
        unit_id=block.block_id,
        block_id=block.block_id,
        text=block.text,
        span=block.source_span,
        heading_path=block.heading_path,
        kind=block.kind,
    )
