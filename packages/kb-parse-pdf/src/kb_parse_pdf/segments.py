"""A page as MuPDF sees it: stretches of text on one line, upright, in points.

MuPDF adds the spaces that a page only shows as gaps, but for Latin, Greek, Cyrillic, Hebrew and
Arabic alone; Korean typeset with glue instead of space characters would come out as one endless
word. So gaps after Korean, Chinese and Japanese characters are measured here.

Unknown characters become U+FFFD: MuPDF's default, the glyph's number taken for a character, reads
like text and is none. Ligatures stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from kb_parse_pdf.characters import clean
from kb_parse_pdf.file import PdfPage, load_pymupdf
from kb_parse_pdf.scripts import is_hangul, is_spaceless
from kb_parse_pdf.stray_codes import drop_stray_codes, has_unknown

GAP_EM = 0.15
"""A gap wider than the line's usual one by so much is a space; MuPDF's own measure elsewhere."""

SPACELESS_GAP_EM = 0.9
"""Between two Chinese or Japanese characters a space is as wide as a character."""

USUAL_GAP_QUANTILE = 4
"""A short line may have more spaces than words of two letters; its lower quartile has none."""

GAP_RULES = "gaps-v1(0.15,0.9,4)"


@dataclass(frozen=True, slots=True)
class LineText:
    """Text that stands on one line.

    Coordinates are points in the direction of reading: x grows along the line, y from line to line.

    Attributes:
        text: cleaned, without spaces at either end.
        spaced: whether the page has a space character after it.
        size: of the letters, in points.
        baseline: y of the line that the letters stand on.
    """

    text: str
    spaced: bool
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    baseline: float

    @property
    def width(self) -> float:
        """Extent along the line, in points."""
        return self.x1 - self.x0


@dataclass(frozen=True, slots=True)
class Segment(LineText):
    """A stretch of text on one line, as MuPDF has it.

    Attributes:
        block: number of MuPDF's block on this page.
        turn: quarter turns of the text against the page, 0..3.
    """

    block: int
    turn: int


def read_segments(page: PdfPage) -> list[Segment]:
    """Return the page's stretches of text in the order of the file.

    Coordinates do not know of /Rotate, so a turned page reads like an upright one.
    """
    pymupdf = load_pymupdf()
    flags = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE
    textpage = page.get_textpage(flags=flags)
    blocks = textpage.extractDICT()["blocks"]
    if _has_east_asian(blocks):
        blocks = textpage.extractRAWDICT()["blocks"]
    elif has_unknown(blocks):
        flags |= pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
        by_code = page.get_textpage(flags=flags).extractDICT()["blocks"]
        fonts = [
            name.split("+")[-1] for _, _, kind, name, *_ in page.get_fonts() if kind == "Type0"
        ]
        drop_stray_codes(blocks, by_code, fonts)
    segments = [
        _segment(line, number)
        for number, block in enumerate(blocks)
        for line in block.get("lines", ())
        if line["spans"] and _is_on_page(line["bbox"], page.cropbox)
    ]
    return [segment for segment in segments if segment.text]


def _is_on_page(box: tuple[float, float, float, float], cropbox: Any) -> bool:
    """Return whether some of a line can be seen; one that runs over the edge is kept whole."""
    x0, y0, x1, y1 = box
    return bool(x1 > 0 and y1 > 0 and x0 < cropbox.width and y0 < cropbox.height)


def _has_east_asian(blocks: list[dict[str, Any]]) -> bool:
    return any(
        is_hangul(character) or is_spaceless(character)
        for block in blocks
        for line in block.get("lines", ())
        for span in line["spans"]
        for character in span["text"]
    )


def _segment(line: dict[str, Any], block: int) -> Segment:
    turn = _quarter_turns(line["dir"])
    x0, y0, x1, y1 = _turned(line["bbox"], turn)
    spans = line["spans"]
    raw = _spaced_text(spans, turn) if "chars" in spans[0] else "".join(s["text"] for s in spans)
    text = clean(raw)
    largest = max(spans, key=lambda span: len(span.get("text", span.get("chars", ()))))
    origin_x, origin_y = largest.get("origin") or largest["chars"][0]["origin"]
    return Segment(
        text=text.strip(),
        spaced=text != text.rstrip(),
        x0=x0,
        y0=y0,
        x1=x1,
        y1=y1,
        size=round(largest["size"], 2),
        baseline=_turned((origin_x, origin_y, origin_x, origin_y), turn)[1],
        block=block,
        turn=turn,
    )


def _quarter_turns(direction: tuple[float, float]) -> int:
    cosine, sine = direction
    if abs(cosine) >= abs(sine):
        return 0 if cosine >= 0 else 2
    return 1 if sine > 0 else 3


def _turned(box: tuple[float, float, float, float], turn: int) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = box
    if turn == 0:
        return x0, y0, x1, y1
    if turn == 1:
        return y0, -x1, y1, -x0
    if turn == 2:
        return -x1, -y1, -x0, -y0
    return -y1, x0, -y0, x1


def _spaced_text(spans: list[dict[str, Any]], turn: int) -> str:
    """Return the line's characters, with a space where the page shows one as a gap."""
    glyphs = [
        (glyph["c"], _turned(glyph["bbox"], turn), span["size"])
        for span in spans
        for glyph in span["chars"]
    ]
    gaps = [after[1][0] - before[1][2] for before, after in pairwise(glyphs)]
    east_asian = sorted(
        gap for gap, (character, _, _) in zip(gaps, glyphs, strict=False) if _measured(character)
    )
    usual = east_asian[(len(east_asian) - 1) // USUAL_GAP_QUANTILE] if east_asian else 0.0
    parts: list[str] = []
    for index, (character, _, size) in enumerate(glyphs):
        parts.append(character)
        if index < len(gaps) and _is_space(
            character, glyphs[index + 1][0], (gaps[index] - max(usual, 0.0)) / max(size, 0.1)
        ):
            parts.append(" ")
    return "".join(parts)


def _is_space(before: str, after: str, gap_em: float) -> bool:
    if before.isspace() or after.isspace() or not _measured(before):
        return False
    both_spaceless = is_spaceless(before) and is_spaceless(after)
    return gap_em >= (SPACELESS_GAP_EM if both_spaceless else GAP_EM)


def _measured(character: str) -> bool:
    return is_hangul(character) or is_spaceless(character)
