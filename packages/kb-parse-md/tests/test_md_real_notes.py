"""A real page in Korean, read in every form in which it may be saved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (
    Path(__file__).resolve().parents[3]
    / "fixtures"
    / "docs"
    / "ko_react_keeping-components-pure.md"
).read_bytes()


def headings_outside_fences(text: str) -> list[tuple[int, str]]:
    """Return line and text of the headings, by nothing but hash signs and fences."""
    found = []
    is_code = False
    for number, line in enumerate(text.split("\n"), start=1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and (match := re.fullmatch(r"#+ (.+?) *(?:\{/\*[\w-]+\*/\})? *", line)):
            found.append((number, match[1]))
    return found


@pytest.mark.parametrize(
    ("line_end", "encoding"),
    [("\n", "utf-8"), ("\r\n", "utf-8-sig"), ("\r", "utf-8"), ("\n", "utf-16"), ("\r\n", "cp949")],
)
def test_a_page_is_the_same_in_every_form(read, line_end: str, encoding: str) -> None:
    text = PAGE.decode().encode("cp949", "ignore").decode("cp949")
    document = read(text.replace("\n", line_end).encode(encoding))
    assert (document.title, document.lang) == ("컴포넌트를 순수하게 유지하기", "ko")
    lines = text.split("\n")
    headings = [
        (block.source_span.start, block.text)
        for block in document.blocks
        if block.kind == "heading"
    ]
    assert len(headings) > 8
    assert headings == headings_outside_fences(text)
    for block in document.blocks:
        if block.kind != "heading":
            span = block.source_span
            assert block.text.split("\n") == lines[span.start - 1 : span.end]
    assert document.metadata.line_count == len(lines) - 1
    assert {block.language for block in document.blocks if block.kind == "code"} >= {"js"}
