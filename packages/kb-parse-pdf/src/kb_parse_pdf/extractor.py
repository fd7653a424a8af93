"""Extractor for PDF: a document of paragraphs, each a range of its page's stored text.

The stored text of a page is its paragraphs, joined by an empty line. Pages are read one by one, and
only their stretches of text are kept until all are read, because two things need the whole
document: running heads, and where Korean words go on over a line break.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pydantic import JsonValue

from kb_core import (
    CanonicalDocument,
    DocumentChoices,
    DocumentMetadata,
    PageSpan,
    ParagraphBlock,
    RawAsset,
    id_from,
    make_block_id,
    make_doc_id,
)
from kb_core.document import ProvenanceEvent
from kb_core.errors import NoText
from kb_core.ports.extractor import ExtractorServices, ExtractorVersions, ExtractRuntime
from kb_parse_pdf.characters import CHARACTER_RULES
from kb_parse_pdf.columns import COLUMN_RULES
from kb_parse_pdf.facts import (
    attachment_names,
    choose_title,
    declared_language,
    document_info,
    iso_date,
    page_labels,
)
from kb_parse_pdf.file import PdfDocument, ends_properly, open_pdf
from kb_parse_pdf.korean_breaks import KOREAN_RULES
from kb_parse_pdf.page_texts import PageText, make_page_texts
from kb_parse_pdf.pages import read_pages
from kb_parse_pdf.paragraphs import PARAGRAPH_RULES
from kb_parse_pdf.readability import READABILITY_RULES
from kb_parse_pdf.rows import ROW_RULES
from kb_parse_pdf.running_heads import RUNNING_HEAD_RULES
from kb_parse_pdf.segments import GAP_RULES
from kb_parse_pdf.stray_codes import STRAY_CODE_RULES
from kb_source_text import language_of_texts

if TYPE_CHECKING:
    from kb_config import Settings

_RULES = (
    CHARACTER_RULES,
    STRAY_CODE_RULES,
    GAP_RULES,
    ROW_RULES,
    COLUMN_RULES,
    PARAGRAPH_RULES,
    KOREAN_RULES,
    READABILITY_RULES,
    RUNNING_HEAD_RULES,
)
_RULES_HEX_CHARS = 8


@cache
def parser_version() -> str:
    """Return the version of everything that decides the text: PyMuPDF and the rules here."""
    return f"pdf-v1/{version('pymupdf')}/{id_from(list(_RULES))[:_RULES_HEX_CHARS]}"


class PdfExtractor:
    """Reads PDF files by MuPDF."""

    name = "pdf"

    def accepts(self, media_type: str) -> bool:
        """Return whether it is a PDF."""
        return media_type == "pdf"

    def versions(self, choices: DocumentChoices) -> ExtractorVersions:
        """Return the version of the parser; no choice changes what is read."""
        return ExtractorVersions(parser_version=parser_version())

    def extract(self, asset: RawAsset, runtime: ExtractRuntime) -> CanonicalDocument:
        """Read a PDF.

        Raises:
            UnreadableFile, EncryptedFile, DecodeFailed: it does not open.
            NoText: a scan, or fonts that do not say which letters they show.
            Cancelled: a stop was asked for.
        """
        with open_pdf(asset.source_path, asset.workspace_path) as document:
            if document.is_repaired and not ends_properly(asset.source_path):
                runtime.warn("damaged_file", "the file is cut off; what could be found was read")
            if attached := attachment_names(document):
                runtime.warn("attachments", f"files inside are not read: {', '.join(attached)}")
            pages = read_pages(document, asset.workspace_path, runtime)
            texts, dropped = make_page_texts(pages)
            if not any(page.text for page in texts):
                raise NoText(asset.workspace_path, "no text but running heads")
            return _assemble(asset, document, texts, dropped)


def create_extractor(settings: Settings, services: ExtractorServices) -> PdfExtractor:
    """Entry point `kb.extractors`; there is nothing to set."""
    return PdfExtractor()


def _assemble(
    asset: RawAsset, document: PdfDocument, texts: list[PageText], dropped: list[str]
) -> CanonicalDocument:
    doc_id = make_doc_id(
        workspace_path=asset.workspace_path,
        asset_id=asset.asset_id,
        parser_version=parser_version(),
    )
    info = document_info(document)
    blocks = _blocks(doc_id, texts)
    author: dict[str, JsonValue] = {"author": info["author"]} if "author" in info else {}
    metadata = DocumentMetadata(
        created=iso_date(info.get("creationDate")),
        updated=iso_date(info.get("modDate")),
        source_type="pdf",
        page_count=document.page_count,
        page_labels=page_labels(document),
        user=author,
    )
    title = choose_title(info, asset.workspace_path)
    lang = _language(texts) or declared_language(document)
    return CanonicalDocument(
        doc_id=doc_id,
        source_asset_id=asset.asset_id,
        workspace_path=asset.workspace_path,
        media_type=asset.media_type,
        title=title or PurePosixPath(asset.workspace_path).name,
        lang=lang,
        blocks=blocks,
        metadata=metadata,
        provenance=_provenance(texts, dropped),
        parser_version=parser_version(),
        doc_version=id_from(
            [
                title,
                lang,
                metadata.model_dump(mode="json"),
                [b.model_dump(mode="json") for b in blocks],
            ]
        ),
    )


def _blocks(doc_id: str, texts: list[PageText]) -> tuple[ParagraphBlock, ...]:
    blocks: list[ParagraphBlock] = []
    for page in texts:
        for start, end in page.ranges:
            span = PageSpan(page=page.number, char_start=start, char_end=end)
            block_id = make_block_id(
                doc_id=doc_id,
                block_kind="paragraph",
                heading_path=(),
                ordinal=len(blocks),
                source_span=span,
            )
            text = page.text[start:end]
            blocks.append(ParagraphBlock(block_id=block_id, source_span=span, text=text))
    return tuple(blocks)


def _language(texts: list[PageText]) -> str | None:
    """Tell the language by the text: what a PDF names is often the default of a program."""
    return language_of_texts(page.text for page in texts)


def _provenance(texts: list[PageText], dropped: list[str]) -> tuple[ProvenanceEvent, ...]:
    read = ProvenanceEvent(
        step="read_pages",
        tool="pymupdf",
        version=version("pymupdf"),
        detail={"pages": len(texts), "pages_with_text": sum(bool(page.text) for page in texts)},
    )
    if not dropped:
        return (read,)
    kinds: list[JsonValue] = list(dict.fromkeys(dropped))
    left_out = ProvenanceEvent(
        step="leave_out_running_heads",
        tool="kb-parse-pdf",
        version=RUNNING_HEAD_RULES,
        detail={"count": len(dropped), "patterns": kinds},
    )
    return (read, left_out)
