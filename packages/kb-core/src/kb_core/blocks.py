"""The blocks that a canonical document is made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kb_core.model import Milliseconds, Model, NfcText
from kb_core.spans import SourceSpan
from kb_core.transcript import Transcript


class _Block(Model):
    block_id: str
    heading_path: tuple[NfcText, ...] = ()
    source_span: SourceSpan


class HeadingBlock(_Block):
    """A heading; its own text is the last element of the `heading_path` of what follows."""

    kind: Literal["heading"] = "heading"
    level: int = Field(ge=1, le=6)
    text: NfcText


class ParagraphBlock(_Block):
    """Running text."""

    kind: Literal["paragraph"] = "paragraph"
    text: NfcText


class ListBlock(_Block):
    """A whole list, as it stands in the source."""

    kind: Literal["list"] = "list"
    text: NfcText


class CodeBlock(_Block):
    """A fenced or indented code block."""

    kind: Literal["code"] = "code"
    text: NfcText
    language: str | None = None


class TableBlock(_Block):
    """A table, as it stands in the source."""

    kind: Literal["table"] = "table"
    text: NfcText


class QuoteBlock(_Block):
    """Quoted text."""

    kind: Literal["quote"] = "quote"
    text: NfcText


class ImageRefBlock(_Block):
    """A picture that the document refers to."""

    kind: Literal["image_ref"] = "image_ref"
    text: NfcText = Field(description="the alternative text")
    target: str


class AudioRefBlock(_Block):
    """A recording, or a transcript file on its own (nothing to play, same citations)."""

    kind: Literal["audio_ref"] = "audio_ref"
    asset_id: str
    duration_ms: Milliseconds
    transcript: Transcript | None = None


TextBlock = (
    HeadingBlock | ParagraphBlock | ListBlock | CodeBlock | TableBlock | QuoteBlock | ImageRefBlock
)
"""Every block that holds its text itself."""

Block = Annotated[TextBlock | AudioRefBlock, Field(discriminator="kind")]
