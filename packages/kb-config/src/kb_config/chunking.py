"""Settings of chunking, family by family."""

from __future__ import annotations

from typing import Any

from pydantic import Field, JsonValue, model_validator

from kb_core import ChunkPolicy
from kb_core.chunks import usual_overlap_tokens
from kb_core.errors import ConfigError
from kb_core.media import TRANSCRIPT_TYPES
from kb_core.model import Model

_RECORDING_FAMILIES = TRANSCRIPT_TYPES | {"audio", "video"}
_TEXT_FAMILIES = frozenset({"markdown", "text"})


def _usual_overlap(data: dict[str, Any]) -> int:
    return usual_overlap_tokens(data.get("target_tokens", 0))


def _overlap_field(description: str) -> Any:
    return Field(
        default_factory=_usual_overlap,
        json_schema_extra={"shown_default": "80, or a quarter of a smaller chunk"},
        ge=0,
        description=description,
    )


class FamilyChunking(Model):
    """How documents of one family are cut into chunks."""

    chunker: str = Field(min_length=1, description="Chunk module.")
    target_tokens: int = Field(
        default=500, ge=1, description="Size of a chunk, in UTF-8 bytes divided by four."
    )
    overlap_tokens: int = Field(
        default=0,
        ge=0,
        description="How much of a chunk the next one repeats, for modules that overlap.",
    )
    min_segments_per_chunk: int = Field(
        default=1,
        ge=1,
        description="A change of speaker ends a chunk only once it has this many segments.",
    )
    options: dict[str, JsonValue] = Field(
        default_factory=dict, description="Options of the chunk module itself."
    )

    @model_validator(mode="after")
    def _terminates(self) -> FamilyChunking:
        if self.overlap_tokens >= self.target_tokens:
            raise ValueError(
                f"overlap_tokens ({self.overlap_tokens}) must be smaller than "
                f"target_tokens ({self.target_tokens})"
            )
        return self

    def policy(self, chunker_version: str) -> ChunkPolicy:
        """Return what a chunker of that version is asked for."""
        return ChunkPolicy(
            chunker_version=chunker_version,
            target_tokens=self.target_tokens,
            overlap_tokens=self.overlap_tokens,
            min_segments_per_chunk=self.min_segments_per_chunk,
            options=self.options,
        )


class AudioChunking(FamilyChunking):
    """Chunking of recordings, videos, subtitles and transcripts."""

    chunker: str = Field(default="audio-segment-v1", min_length=1, description="Chunk module.")


class MarkdownChunking(FamilyChunking):
    """Chunking of Markdown and plain text."""

    chunker: str = Field(default="md-heading-v1", min_length=1, description="Chunk module.")
    overlap_tokens: int = _overlap_field(
        "How much of a chunk the next one repeats where a section is cut."
    )
    respect_headings: bool = Field(
        default=True, description="Whether a chunk ends where a section does."
    )

    def policy(self, chunker_version: str) -> ChunkPolicy:
        """Return what a chunker of that version is asked for."""
        policy = super().policy(chunker_version)
        return policy.model_copy(update={"respect_markdown_headings": self.respect_headings})


class PdfChunking(FamilyChunking):
    """Chunking of PDF files."""

    chunker: str = Field(default="pdf-page-v1", min_length=1, description="Chunk module.")
    overlap_tokens: int = _overlap_field(
        "How much of a chunk the next one repeats where a page is cut."
    )


class ChunkingSettings(Model):
    """Chunking by family of documents."""

    audio: AudioChunking = Field(default_factory=AudioChunking)
    markdown: MarkdownChunking = Field(default_factory=MarkdownChunking)
    pdf: PdfChunking = Field(default_factory=PdfChunking)

    def for_family(self, family: str) -> FamilyChunking:
        """Return the settings for a media type or its family (`audio/mp4` or `audio`).

        Raises:
            ConfigError: there are none for that family.
        """
        if family.partition("/")[0] in _RECORDING_FAMILIES:
            return self.audio
        if family in _TEXT_FAMILIES:
            return self.markdown
        if family == "pdf":
            return self.pdf
        raise ConfigError(f"there are no chunking settings for {family} documents")

    def policy_for(self, family: str, chunker_version: str) -> ChunkPolicy:
        """Return the policy that a chunker of that version gets for such documents.

        Raises:
            ConfigError: there are no settings for that family.
        """
        return self.for_family(family).policy(chunker_version)
