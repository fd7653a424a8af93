"""Where the blocks of a Markdown file begin and end, by markdown-it.

Only the block structure is asked for: text stays as it stands in the file, so nothing inside a line
has to be understood, and no line can take long. Nested blocks belong to the outermost one.

Every line with words ends in exactly one block. Lines that only mark something are in none: fences,
underlines of headings, lines across, heading marks without a heading, and comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from kb_parse_md.front_matter import may_be_front_matter

Kind = Literal["front_matter", "heading", "paragraph", "list", "code", "table", "quote", "image"]

_KINDS: dict[str, Kind] = {
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "code_block": "code",
    "table_open": "table",
    "blockquote_open": "quote",
    "html_block": "paragraph",
}
_BLANKS = " \t"
_MAX_NESTING = 64
"""What is deeper ends at the end of the file; a list in a list counts two."""
_LONE_IMAGE = re.compile(r"!\[(?P<text>[^\[\]]*)\]\((?P<target>[^()<>\s]+)\)")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A block: lines `first` (from 0) to before `end`, and its text, line for line.

    Attributes:
        text: of a heading without its marks; of code without its fences, which `first` and `end`
            leave out, too.
        level: of a heading, 1 to 6.
        info: language of code, target of an image.
    """

    kind: Kind
    first: int
    end: int
    text: str
    level: int = 0
    info: str = ""


@cache
def _parser(*, with_front_matter: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
    if with_front_matter:
        parser.use(front_matter_plugin)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def outline(lines: Sequence[str]) -> Iterator[Stretch]:
    """Yield the blocks of a file in order; every line that says something is in one of them."""
    covered = 0
    for token in _tokens(lines):
        if token.level != 0 or token.map is None or token.nesting < 0:
            continue
        first, end = token.map
        if first > covered:
            yield from _between(lines, covered, first)
        covered = max(covered, end)
        stretch = _stretch(token, lines, first, end)
        if stretch is not None and (stretch.text.strip() or stretch.kind == "front_matter"):
            yield stretch
    yield from _between(lines, covered, len(lines))


def paragraphs(lines: Sequence[str]) -> Iterator[Stretch]:
    """Yield what stands between blank lines: the blocks of plain text."""
    yield from _between(lines, 0, len(lines))


def _tokens(lines: Sequence[str]) -> list[Token]:
    source = "\n".join((*lines, ""))  # without a last line end, one is not counted in a fence
    if lines and lines[0].rstrip(_BLANKS) == "---":
        tokens = _parser(with_front_matter=True).parse(source)
        if tokens and tokens[0].type == "front_matter" and may_be_front_matter(tokens[0].content):
            return tokens
    return _parser(with_front_matter=False).parse(source)


def _between(lines: Sequence[str], first: int, end: int) -> Iterator[Stretch]:
    """Yield what markdown-it makes no block of, such as the targets of links."""
    for start, stop in _runs(lines, first, end):
        yield Stretch("paragraph", start, stop, "\n".join(lines[start:stop]))


def _runs(lines: Sequence[str], first: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield runs of lines that are not blank."""
    start: int | None = None
    for place in range(first, end):
        if lines[place].strip():
            start = place if start is None else start
        elif start is not None:
            yield start, place
            start = None
    if start is not None:
        yield start, end


def _stretch(token: Token, lines: Sequence[str], first: int, end: int) -> Stretch | None:
    if token.type == "front_matter":
        return Stretch("front_matter", first, end, token.content)
    if token.type == "heading_open":
        return _heading(token, lines, first, end)
    if token.type == "fence":
        return _fenced(token, lines, first, end)
    kind = _KINDS.get(token.type)
    if kind is None:
        return None
    first, end = _without_blank_lines(lines, first, end)
    text = "\n".join(lines[first:end])
    if token.type == "html_block":
        return None if _is_comment(text) else Stretch(kind, first, end, text)
    image = _LONE_IMAGE.fullmatch(text.strip()) if kind == "paragraph" else None
    if image is not None and image["text"].strip():
        return Stretch("image", first, end, image["text"], info=image["target"])
    return Stretch(kind, first, end, text)


def _without_blank_lines(lines: Sequence[str], first: int, end: int) -> tuple[int, int]:
    """Return the range without the blank lines around it; form feeds are blank to people."""
    while end > first and not lines[end - 1].strip():
        end -= 1
    while first < end and not lines[first].strip():
        first += 1
    return first, end


def _fenced(token: Token, lines: Sequence[str], first: int, end: int) -> Stretch:
    # The last line is a fence only where the block was closed.
    first, end = first + 1, min(end, first + 1 + token.content.count("\n"))
    language = token.info.strip().partition(" ")[0]
    return Stretch("code", first, end, "\n".join(lines[first:end]), info=language)


def _heading(token: Token, lines: Sequence[str], first: int, end: int) -> Stretch:
    if token.markup.startswith("#"):
        text = _without_marks(lines[first])
    else:
        # The last line is the one that underlines it.
        first, end = _without_blank_lines(lines, first, end - 1)
        text = "\n".join(lines[first:end]).strip(_BLANKS)
    return Stretch("heading", first, end, _without_anchor(text), level=int(token.tag[1:]))


def _without_marks(line: str) -> str:
    """Return the text of `## Heading ##`.

    Here as below no expression is matched: one that looks for blanks before something takes the
    square of their number where it is not there.
    """
    text = line.strip(_BLANKS).lstrip("#").strip(_BLANKS)
    opened = text.rstrip("#")
    return opened.rstrip(_BLANKS) if not opened or opened[-1] in _BLANKS else text


def _without_anchor(text: str) -> str:
    """Return the text without the `{#id}` or `{/*id*/}` that some generators of pages want."""
    begin = text.rfind("{")
    if begin <= 0 or not text.endswith("}"):
        return text
    inside = text[begin + 1 : -1]
    is_comment = len(inside) >= 4 and inside.startswith("/*") and inside.endswith("*/")
    is_id = inside.startswith("#") and not any(char.isspace() for char in inside)
    return text[:begin].rstrip(_BLANKS) if is_comment or is_id else text


def _is_comment(text: str) -> bool:
    """Return whether the HTML is nothing but whole comments."""
    rest = text.strip()
    place = 0
    while rest.startswith("<!--", place):
        end = rest.find("-->", place + len("<!--"))
        if end < 0:
            return False
        place = end + len("-->")
        while place < len(rest) and rest[place].isspace():
            place += 1
    return place == len(rest)
