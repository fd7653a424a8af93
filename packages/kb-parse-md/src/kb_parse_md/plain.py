"""The words of a line of Markdown, for titles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKUP = re.compile(r"[*_`\[\]<>&\\~!]")
_MAX_CHARS = 300
"""Emphasis and links take their time; a longer line is no title that anybody reads."""
_SPOKEN = frozenset({"text", "code_inline"})


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


def plain_text(line: str) -> str:
    """Return the text without emphasis, links and code marks; white space is folded."""
    if len(line) <= _MAX_CHARS and _MARKUP.search(line):
        line = "".join(_texts(_parser().parseInline(line)))
    return " ".join(line.split())


def _texts(tokens: Iterable[Token]) -> Iterable[str]:
    for token in tokens:
        if token.children:
            yield from _texts(token.children)
        elif token.type in _SPOKEN:
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
