"""Generated documents of blocks: notes by line, papers by page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from kb_core import (
    Block,
    CanonicalDocument,
    ChunkPolicy,
    CodeBlock,
    HeadingBlock,
    LineSpan,
    ListBlock,
    PageSpan,
    ParagraphBlock,
    QuoteBlock,
    TableBlock,
    digest_hex,
    make_asset_id,
    make_block_id,
    make_doc_id,
    nfc,
)

_PARSER_VERSION = "testing"
_FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
_FLAG = "\U0001f1f0\U0001f1f7"
_PIECES = st.sampled_from(
    [
        "The budget is late. ", "배포 오류를 논의했다. ", "会議で予算を確認した。",
        "关于供应商合同。", "x" * 40, "가" * 30, _FAMILY, "e\u0301" * 8, _FLAG,
        "https://a.example/b?c=d ", " ", "a, b; c: d ", "İ", "\u0b95\u0bcd", "- item ",
        "| a | b |",
    ]
)  # fmt: skip
_LINE = st.lists(_PIECES, min_size=1, max_size=6).map("".join)
_TEXT = st.lists(_LINE, min_size=1, max_size=5).map("\n".join).map(nfc)
_KINDS: dict[str, type[Any]] = {
    "paragraph": ParagraphBlock,
    "list": ListBlock,
    "code": CodeBlock,
    "table": TableBlock,
    "quote": QuoteBlock,
}

BlockRow = tuple[str, str]
"""Kind and text; a heading's kind is `h1` to `h6`."""


def block_rows() -> st.SearchStrategy[list[BlockRow]]:
    """Rows of a note."""
    kinds = st.sampled_from([*_KINDS, "paragraph", "paragraph"])
    heading = st.tuples(st.sampled_from(["h1", "h2", "h3"]), _LINE.map(nfc))
    return st.lists(st.one_of(st.tuples(kinds, _TEXT), heading), max_size=7)


def note_documents() -> st.SearchStrategy[CanonicalDocument]:
    """Documents of lines."""
    return block_rows().map(note_document)


def paper_documents() -> st.SearchStrategy[CanonicalDocument]:
    """Documents of pages."""
    return st.lists(st.lists(_TEXT, max_size=4), max_size=4).map(paper_document)


def overlapping_policies(chunker_version: str) -> st.SearchStrategy[ChunkPolicy]:
    """Policies from one token to more than any document here, with and without overlap."""
    targets = st.one_of(st.integers(1, 30), st.sampled_from([60, 200, 2000]))
    return targets.flatmap(
        lambda target: st.builds(
            ChunkPolicy,
            chunker_version=st.just(chunker_version),
            target_tokens=st.just(target),
            overlap_tokens=st.integers(0, target - 1),
            respect_markdown_headings=st.booleans(),
        )
    )


def note_document(rows: Sequence[BlockRow]) -> CanonicalDocument:
    """Return a note of these blocks, each after an empty line."""
    doc_id, asset_id = _ids("note.md")
    blocks: list[Block] = []
    path: list[tuple[int, str]] = []
    line = 1
    for ordinal, (kind, text) in enumerate(rows):
        span = LineSpan(start=line, end=line + text.count("\n"))
        line = span.end + 2
        level = int(kind[1]) if kind not in _KINDS else 0
        while level and path and path[-1][0] >= level:
            path.pop()
        heading_path = tuple(name for _, name in path)
        fields = _fields(doc_id, kind if not level else "heading", heading_path, ordinal, span)
        if level:
            blocks.append(HeadingBlock(level=level, text=text, **fields))
            path.append((level, " ".join(text.split())))
        else:
            blocks.append(_KINDS[kind](text=text, **fields))
    return _document(doc_id, asset_id, "note.md", "markdown", blocks)


def paper_document(pages: Sequence[Sequence[str]]) -> CanonicalDocument:
    """Return a paper; each page's text is that of its blocks with an empty line between."""
    doc_id, asset_id = _ids("paper.pdf")
    blocks: list[Block] = []
    for number, texts in enumerate(pages, start=1):
        char_start = 0
        for text in texts:
            span = PageSpan(page=number, char_start=char_start, char_end=char_start + len(text))
            char_start += len(text) + 2
            fields = _fields(doc_id, "paragraph", (), len(blocks), span)
            blocks.append(ParagraphBlock(text=text, **fields))
    return _document(doc_id, asset_id, "paper.pdf", "pdf", blocks)


def _ids(path: str) -> tuple[str, str]:
    asset_id = make_asset_id(digest_hex(path.encode()))
    doc_id = make_doc_id(workspace_path=path, asset_id=asset_id, parser_version=_PARSER_VERSION)
    return doc_id, asset_id


def _fields(
    doc_id: str, kind: str, heading_path: tuple[str, ...], ordinal: int, span: LineSpan | PageSpan
) -> dict[str, Any]:
    block_id = make_block_id(
        doc_id=doc_id,
        block_kind=kind,
        heading_path=heading_path,
        ordinal=ordinal,
        source_span=span,
    )
    return {"block_id": block_id, "heading_path": heading_path, "source_span": span}


def _document(
    doc_id: str, asset_id: str, path: str, media_type: str, blocks: Sequence[Block]
) -> CanonicalDocument:
    return CanonicalDocument(
        doc_id=doc_id,
        source_asset_id=asset_id,
        workspace_path=path,
        media_type=media_type,
        title=path,
        blocks=tuple(blocks),
        parser_version=_PARSER_VERSION,
        doc_version=digest_hex(repr([block.model_dump() for block in blocks]).encode()),
    )
