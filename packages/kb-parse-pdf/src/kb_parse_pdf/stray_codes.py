"""Control codes in the strings of a page: they are no letters, and no letters of unknown meaning.

A font has no entry for NUL or for a line feed that a program left in a string, so they come out as
U+FFFD like a letter that the font does not explain. Read by its code, such a character is told from
one; in composite fonts codes count glyphs, and only the glyph 0 (".notdef") is surely no letter.
"""

from __future__ import annotations

import unicodedata
from typing import Any

UNKNOWN = "\ufffd"
STRAY_CODE_RULES = "stray-codes-v1"


def drop_stray_codes(
    blocks: list[dict[str, Any]], by_code: list[dict[str, Any]], composite_fonts: list[str]
) -> None:
    """Take stray control codes out of the spans of a page, in place.

    Args:
        blocks: of MuPDF's `dict` output, unknown characters as U+FFFD.
        by_code: the same page with codes in place of unknown characters.
        composite_fonts: names of the page's fonts whose codes count glyphs.
    """
    for block, coded_block in zip(blocks, by_code, strict=False):
        lines = zip(block.get("lines", ()), coded_block.get("lines", ()), strict=False)
        for line, coded_line in lines:
            _clean_line(line["spans"], coded_line["spans"], composite_fonts)


def has_unknown(blocks: list[dict[str, Any]]) -> bool:
    """Return whether some character of a `dict` output is unknown."""
    return any(
        UNKNOWN in span["text"]
        for block in blocks
        for line in block.get("lines", ())
        for span in line["spans"]
    )


def _clean_line(
    spans: list[dict[str, Any]], coded_spans: list[dict[str, Any]], composite_fonts: list[str]
) -> None:
    """Spans are divided in another way where characters are unknown, so lines are compared."""
    codes = "".join(span["text"] for span in coded_spans)
    if len(codes) != sum(len(span["text"]) for span in spans):
        return
    start = 0
    for span in spans:
        length = len(span["text"])
        composite = any(name.startswith(span["font"]) for name in composite_fonts)
        pairs = zip(span["text"], codes[start : start + length], strict=True)
        span["text"] = "".join(
            letter
            for letter, code in pairs
            if not (letter == UNKNOWN and _is_stray(code, composite))
        )
        start += length


def _is_stray(code: str, composite: bool) -> bool:
    return code == "\0" or (not composite and unicodedata.category(code) == "Cc")
