"""Text of three PDFs against their exact text: kb beside pypdf and pdfminer.six.

    uv run --with pypdf --with pdfminer.six --with rapidfuzz python benchmarks/pdf.py [DIR]

DIR holds debian_ch3_{ko,zh_CN,en}.pdf and .txt: one chapter, rendered as PDF and as text from the
same source by two programs. What these two wrote differently is made equal by rules that hold for
every tool alike (`REFERENCE_RULES` for the text, `PAGE_RULES` for the pages, `BOTH_RULES`). Running
heads, which kb leaves out, are taken out of every tool's text by pattern, page numbers where they
are a line of their own.

Whitespace is folded to one space; none is removed but around double quotes, where the text renderer
adds and drops it at random. That renderer also breaks Chinese and Korean lines inside words, and
paths after a slash: at its own line breaks beside such a character a space counts neither as
missing nor as surplus; everywhere else it counts. The rate is the Levenshtein distance by length of
the reference. The second rate is that of the same texts with all whitespace removed: it tells wrong
letters and wrong order from wrong spaces. The time is the median of some rounds and includes
opening the file.

The rules were written while looking at kb's differences; those of the other tools were looked
through afterwards, and none of them was left that a rule of this kind would have made equal. The
Korean breaks of kb were tuned on this very file (see `kb_parse_pdf.korean_breaks`).
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

from rapidfuzz.distance import Levenshtein

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED_DATA = REPOSITORY.parent / "shared" / "data" / "docs" / "pdf"
LANGUAGES = {"en": None, "zh_CN": None, "ko": 9}
"""By language, how many pages the chapter has; the Korean file holds one of the next chapter."""

EAST_ASIAN = "\u3001-\u30ff\u3131-\u318e\u3400-\u9fff\uac00-\ud7a3\uff01-\uff60"
OPEN_BREAK = "\ue000"
"""Stands in the reference where the text renderer may have broken a word."""

REFERENCE_RULES: tuple[tuple[str, str], ...] = (
    (r"(?s)\A(.*?)\n+(?:Table of Contents|차례|目录)\n\n.*?\n\n", r"\1\n"),
    (r"(?m)^(Chapter\s3|3장)\.\s", r"\1 "),
    (r"(?m)^(\d+(?:\.\d+)+)\.\s", r"\1 "),
    (r"(?m)^(Table|표)\s(\d+\.\d+)\.\s", r"\1 \2 "),
    (r"(?m)^表\s(\d+\.\d+)\.\s", r"Table \1 "),
    (r'((?:Section|第)\s+[\dA-D.]+\d(?:\s节)?)(?:,\s|\s)"[^"]*"', r"\1"),
    (r'(\d절)\.\s"[^"]*"', r"\1"),
    (r"(?s)(표 3\.1 .*?)(\n3\.3\.3 .*?)(?=이러한\s방식은\s장점과)", r"\2\1"),
    ("[\u2500-\u257f]", " "),
)
"""Table of contents, dots after numbers, titles in cross-references, a Korean table that the PDF
shows on its next page, frames of tables."""

PAGE_RULES: tuple[tuple[str, str], ...] = (
    (r"(?m)^.*(?:CHAPTER\s*3\s*\.|제\s?3\s?장\.).*$", ""),
    (r"(?m)^3\.\d\.\s.{0,60}$", ""),
    (r"(?m)^\s*\d{1,2}\s*$", ""),
    (r"([a-z])-\n+([a-z])", r"\1\2"),
    (r"제\s?3\s?장", "3장"),
)
"""Running heads, page numbers, words over a hyphen, the number of the Korean chapter."""

BOTH_RULES: tuple[tuple[str, str], ...] = (
    ("[“”„]", '"'),
    ("[‘’]", "'"),
    ("—", "--"),
    ("…", "..."),
    ("[‑‐]", "-"),
    (r'\s*"\s*', '"'),
    (r"\s+", " "),
)


def main() -> None:
    """Print the rates and times of every tool."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SHARED_DATA)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    tools: dict[str, Callable[[Path], list[str]]] = {
        "kb": kb,
        "pypdf": pypdf,
        "pdfminer.six": pdfminer,
    }
    for language, page_count in LANGUAGES.items():
        path = options.folder / f"debian_ch3_{language}.pdf"
        reference = reference_text(path.with_suffix(".txt").read_text(encoding="utf-8"))
        for name, read in tools.items():
            seconds, pages = timed(read, path, options.rounds)
            found = apply(BOTH_RULES, apply(PAGE_RULES, "\n".join(pages[:page_count]))).strip()
            found = unicodedata.normalize("NFC", expand(found))
            errors = distance(reference, found)
            rate = errors / len(reference)
            bare_rate = without_spaces(reference, found)
            counted = f"{errors:4} of {len(reference)}"
            print(
                f"{language:<6} {name:<13} CER {rate:6.2%} ({counted}), "
                f"without spaces {bare_rate:6.2%}, {seconds:.2f} s"
            )


def timed(read: Callable[[Path], list[str]], path: Path, rounds: int) -> tuple[float, list[str]]:
    """Return the median of the seconds that it takes, and the text of each page."""
    seconds: list[float] = []
    for _ in range(rounds):
        started_s = time.perf_counter()
        pages = read(path)
        seconds.append(time.perf_counter() - started_s)
    return statistics.median(seconds), pages


def apply(rules: tuple[tuple[str, str], ...], text: str) -> str:
    """Return the text after all replacements, in their order."""
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text)
    return text


def reference_text(text: str) -> str:
    """Return the exact text with its uncertain breaks marked."""
    text = apply(REFERENCE_RULES, text)
    text = re.sub(rf"(?<=[{EAST_ASIAN}])\n *(?=\S)", OPEN_BREAK, text)
    text = re.sub(rf"(?<=\S)\n *(?=[{EAST_ASIAN}])|(?<=/)\n *", OPEN_BREAK, text)
    return unicodedata.normalize("NFC", apply(BOTH_RULES, text)).strip()


def expand(text: str) -> str:
    """Take ligatures apart; the reference has none."""
    return re.sub("[\ufb00-\ufb06]", lambda m: unicodedata.normalize("NFKC", m[0]), text)


def distance(reference: str, found: str) -> int:
    """Return the edit distance; a marked break matches a space as well as nothing."""
    return Levenshtein.distance(reference, found) - reference.count(OPEN_BREAK)


def without_spaces(reference: str, found: str) -> float:
    """Return the rate over characters that are no whitespace."""
    bare = re.sub(rf"[\s{OPEN_BREAK}]", "", reference)
    return Levenshtein.distance(bare, re.sub(r"\s", "", found)) / len(bare)


def kb(path: Path) -> list[str]:
    """kb's extractor; the stored text of each page."""
    from kb_core import RawAsset, make_asset_id
    from kb_core.ports.extractor import ExtractRuntime
    from kb_core.transcript_memory import TranscriptMemory
    from kb_parse_pdf import PdfExtractor

    checksum = "0" * 64
    asset = RawAsset(
        asset_id=make_asset_id(checksum),
        source_path=str(path),
        workspace_path=path.name,
        media_type="pdf",
        byte_len=path.stat().st_size,
        checksum=checksum,
        discovered_at="2026-01-01T00:00:00Z",
    )
    document = PdfExtractor().extract(asset, ExtractRuntime(transcripts=TranscriptMemory()))
    pages = [""] * (document.metadata.page_count or 0)
    for block in document.blocks:
        pages[block.source_span.page - 1] += block.text + "\n\n"
    return pages


def pypdf(path: Path) -> list[str]:
    """pypdf with its defaults."""
    from pypdf import PdfReader

    return [page.extract_text() for page in PdfReader(path).pages]


def pdfminer(path: Path) -> list[str]:
    """pdfminer.six with its defaults; it ends a page with a form feed."""
    from pdfminer.high_level import extract_text

    return extract_text(path).split("\f")


if __name__ == "__main__":
    main()
