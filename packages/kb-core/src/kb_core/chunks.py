"""Chunks and the policy that shapes them."""

from __future__ import annotations

from pydantic import Field, JsonValue, model_validator

from kb_core.model import Model, NfcText
from kb_core.runtime import StepWarning
from kb_core.spans import SourceSpan

BYTES_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Return the token estimate used everywhere: UTF-8 bytes // 4.

    A proxy that needs no tokenizer and errs to the safe side for Korean, Chinese and Japanese.
    """
    return len(text.encode("utf-8")) // BYTES_PER_TOKEN


def usual_overlap_tokens(target_tokens: int) -> int:
    """Return the overlap of chunks of that size where nobody says another."""
    return min(80, target_tokens // 4)


class ChunkPolicy(Model):
    """What a chunker is asked for.

    `min_segments_per_chunk` holds back splits at a speaker change until the open chunk has that
    many segments: in a fast interview every answer would otherwise be a chunk of its own.
    """

    chunker_version: str
    target_tokens: int = Field(default=500, ge=1)
    overlap_tokens: int = Field(
        default_factory=lambda data: usual_overlap_tokens(data.get("target_tokens", 500)), ge=0
    )
    respect_markdown_headings: bool = True
    min_segments_per_chunk: int = Field(default=1, ge=1)
    options: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _terminates(self) -> ChunkPolicy:
        if self.overlap_tokens >= self.target_tokens:
            raise ValueError(
                f"overlap_tokens ({self.overlap_tokens}) must be smaller than "
                f"target_tokens ({self.target_tokens})"
            )
        return self


class ChunkPart(Model):
    """Where a stretch of a chunk's text comes from.

    `chunk.text[char_start:char_end] == unit.text[unit_char_start:unit_char_end]`, in code points,
    always; `run_chunker` checks it.

    Attributes:
        span: where exactly that stretch stands in the source; the unit's own span when it is the
            whole unit.
    """

    unit_id: str
    char_start: int = Field(ge=0)
    char_end: int = Field(ge=0)
    unit_char_start: int = Field(ge=0)
    unit_char_end: int = Field(ge=0)
    span: SourceSpan


class Chunk(Model):
    """A piece of a document that is indexed, found and cited as one.

    Attributes:
        parts: one for each of `unit_ids`, in the same order. Empty only where the text is not made
            of its units, as that of a module which sums them up; then each unit stands for all of
            the text.
    """

    chunk_id: str
    doc_id: str
    index: int = Field(ge=0)
    block_ids: tuple[str, ...]
    unit_ids: tuple[str, ...]
    text: NfcText
    heading_path: tuple[NfcText, ...] = ()
    source_spans: tuple[SourceSpan, ...]
    parts: tuple[ChunkPart, ...] = ()
    token_estimate: int = Field(ge=0)
    chunker_version: str
    policy_hash: str
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


class ChunkResult(Model):
    """Checked chunks of one document, and what went less than perfectly."""

    chunks: tuple[Chunk, ...]
    warnings: tuple[StepWarning, ...] = ()


class ModuleVersion(Model):
    """What a document was cut with by one module; any difference to now makes the chunks stale.

    Attributes:
        module: key of the chunk module.
        model_id: of the language model that it asked; None when it asked none.
    """

    module: str
    chunker_version: str
    policy_hash: str
    model_id: str | None = None


class ChunkRun(Model):
    """All that one module made of a document. Several may stand side by side."""

    version: ModuleVersion
    policy: ChunkPolicy
    result: ChunkResult
