"""The `Extractor` for Markdown and plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from kb_core import (
    Block,
    CanonicalDocument,
    CodeBlock,
    DocumentChoices,
    DocumentMetadata,
    HeadingBlock,
    ImageRefBlock,
    LineSpan,
    ListBlock,
    ParagraphBlock,
    ProvenanceEvent,
    QuoteBlock,
    RawAsset,
    TableBlock,
    id_from,
    make_block_id,
    make_doc_id,
)
from kb_core.ports.extractor import ExtractorServices, ExtractorVersions, ExtractRuntime
from kb_parse_md.front_matter import FrontMatter, read_front_matter
from kb_parse_md.lines import lines_of
from kb_parse_md.outline import Stretch, outline, paragraphs
from kb_parse_md.plain import plain_text
from kb_source_text import decode_text, language_of_texts, read_bytes

PARSER_VERSION = "md-v1"
"""Changes whenever the same bytes may give another document."""

_BLOCKS: dict[str, type[ParagraphBlock | ListBlock | TableBlock | QuoteBlock]] = {
    "paragraph": ParagraphBlock,
    "list": ListBlock,
    "table": TableBlock,
    "quote": QuoteBlock,
}
_LANGUAGE_CODE = re.compile(r"[a-z]{2,3}")


class MarkdownExtractor:
    """Reads notes; each block is the lines as they stand in the file."""

    @property
    def name(self) -> str:
        """Short name for messages and provenance."""
        return "markdown"

    def accepts(self, media_type: str) -> bool:
        """Return whether the file is Markdown or plain text."""
        return media_type in ("markdown", "text")

    def versions(self, choices: DocumentChoices) -> ExtractorVersions:
        """Return the versions of what would be made now."""
        return ExtractorVersions(parser_version=PARSER_VERSION)

    def extract(self, asset: RawAsset, runtime: ExtractRuntime) -> CanonicalDocument:
        """Return the document of a note; one without text has no blocks.

        Raises:
            InputError: the file cannot be read, or is no text.
            ConfigError: the encoding that was chosen for it is none.
        """
        runtime.cancel.raise_if_cancelled()
        data = read_bytes(asset.source_path)
        decoded = decode_text(data, asset.source_path, encoding=runtime.choices.encoding)
        if decoded.replaced_bytes:
            runtime.warn("damaged_text", f"{decoded.replaced_bytes} bytes in it are no text")
        lines = lines_of(decoded.text)
        front = FrontMatter()
        stretches: Iterable[Stretch] = (
            paragraphs(lines) if asset.media_type == "text" else outline(lines)
        )
        body = []
        for stretch in stretches:
            if stretch.kind == "front_matter":
                front = read_front_matter(stretch.text, runtime.warn)
            else:
                body.append(stretch)
        facts = DocumentMetadata(
            tags=front.tags,
            aliases=front.aliases,
            created=front.created,
            updated=front.updated,
            source_type="note",
            warnings=tuple(warning.message for warning in runtime.warnings),
            encoding=decoded.encoding,
            line_count=len(lines),
            user=front.user,
        )
        return _document(asset, body, front, facts)


def create_extractor(_settings: object, _services: ExtractorServices) -> MarkdownExtractor:
    """Return the extractor; there is nothing to set."""
    return MarkdownExtractor()


def _document(
    asset: RawAsset, body: list[Stretch], front: FrontMatter, metadata: DocumentMetadata
) -> CanonicalDocument:
    doc_id = make_doc_id(
        workspace_path=asset.workspace_path,
        asset_id=asset.asset_id,
        parser_version=PARSER_VERSION,
    )
    return CanonicalDocument(
        doc_id=doc_id,
        source_asset_id=asset.asset_id,
        workspace_path=asset.workspace_path,
        media_type=asset.media_type,
        title=front.title or _first_title(body) or PurePosixPath(asset.workspace_path).stem,
        lang=_language(front, body),
        blocks=tuple(_blocks(doc_id, body)),
        metadata=metadata,
        provenance=(
            ProvenanceEvent(
                step="parse",
                tool="kb-parse-md",
                version=PARSER_VERSION,
                detail={"encoding": metadata.encoding},
            ),
        ),
        parser_version=PARSER_VERSION,
        # All that the document holds is decided by these.
        doc_version=id_from(
            {
                "kind": "text",
                "asset_id": asset.asset_id,
                "media_type": asset.media_type,
                "parser_version": PARSER_VERSION,
                "encoding": metadata.encoding,
            }
        ),
    )


def _blocks(doc_id: str, body: Iterable[Stretch]) -> Iterator[Block]:
    path: list[tuple[int, str]] = []
    for ordinal, stretch in enumerate(body):
        if stretch.kind == "heading":
            while path and path[-1][0] >= stretch.level:
                path.pop()
        yield _block(doc_id, ordinal, tuple(text for _, text in path), stretch)
        if stretch.kind == "heading":
            path.append((stretch.level, " ".join(stretch.text.split())))


def _block(doc_id: str, ordinal: int, heading_path: tuple[str, ...], stretch: Stretch) -> Block:
    kind = "image_ref" if stretch.kind == "image" else stretch.kind
    span = LineSpan(start=stretch.first + 1, end=stretch.end)
    fields: dict[str, Any] = {
        "block_id": make_block_id(
            doc_id=doc_id,
            block_kind=kind,
            heading_path=heading_path,
            ordinal=ordinal,
            source_span=span,
        ),
        "heading_path": heading_path,
        "source_span": span,
        "text": stretch.text,
    }
    if stretch.kind == "heading":
        return HeadingBlock(level=stretch.level, **fields)
    if stretch.kind == "code":
        return CodeBlock(language=stretch.info or None, **fields)
    if stretch.kind == "image":
        return ImageRefBlock(target=stretch.info, **fields)
    return _BLOCKS[stretch.kind](**fields)


def _first_title(body: Iterable[Stretch]) -> str | None:
    heading = next((each for each in body if each.kind == "heading" and each.level == 1), None)
    if heading is None:
        return None
    return plain_text(heading.text) or None


def _language(front: FrontMatter, body: Iterable[Stretch]) -> str | None:
    said = (front.lang or "").replace("_", "-").partition("-")[0].lower()
    if _LANGUAGE_CODE.fullmatch(said):
        return said
    return language_of_texts(stretch.text for stretch in body if stretch.kind != "code")
