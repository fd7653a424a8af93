r"""Text for people: plain and Markdown.

A transcript is a line for each segment with the second in which it begins; a written one without
times has no marks. Any other document is the text of its blocks, in order; Markdown gives headings,
code and pictures back the marks that their blocks stand for.

Between turns with names, words of nobody known would go on with the turn before. Where nothing else
tells them apart they are given to `?`. Markdown has escapes, so that a text is shown as it is and
its brackets and colons are no marks and names. Plain text has none: there they are what they look
like. In Markdown, what begins in the same second as the paragraph before has no mark of its own:
read again, it lies between two marks, as written transcripts have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kb_core import AudioRefBlock, CanonicalDocument, CodeBlock, HeadingBlock, ImageRefBlock
from kb_core.blocks import TextBlock
from kb_parse_subtitle.marks import MARK
from kb_parse_subtitle.writers.spoken import (
    Caption,
    captions_of,
    format_seconds,
    one_line,
    transcript_of,
)

NOBODY_KNOWN = "?"

_MARKUP = re.compile(r"\\(?=[!-/:-@\[-`{-~])|[`*<\[]|&(?=#?\w{1,32};)|(?<![^\W_])_|_(?![^\W_])")
_LINE_START = re.compile(r"^(\d{1,9}(?=[.)])|(?=[#>+~|=-]))")
_LEADING_CLOCK = re.compile(r"^\W*\d{1,3}(?=:\d)")
_EMPTY_LINES = re.compile(r"^(?:[^\S\n]*\n)+")
_COLON = re.compile(r":(?=\s|$)")


def write_txt(document: CanonicalDocument) -> str:
    """Return plain text, for a transcript lines such as `[00:01:02] Kim: Good morning`."""
    transcript = transcript_of(document)
    if transcript is None:
        return _paragraphs(_block_text(block) for block in _text_blocks(document))
    captions = captions_of(document, transcript)
    lines = []
    for caption, speaker in _named(captions, runs_on=not transcript.timed):
        mark = f"[{_clock(caption)}] " if transcript.timed else ""
        lines.append(f"{mark}{speaker}: {caption.line}" if speaker else f"{mark}{caption.line}")
    return "".join(f"{line}\n" for line in lines) or "\n"


def write_md(document: CanonicalDocument) -> str:
    r"""Return Markdown, for a transcript a title and `**Kim:** \[00:01:02\] Good morning`."""
    transcript = transcript_of(document)
    if transcript is None:
        return _paragraphs(_block_markdown(block) for block in _text_blocks(document))
    title = one_line(document.title)
    paragraphs = [f"# {_escaped(title)}"] if title else []
    clock_before = None
    for caption, speaker in _named(captions_of(document, transcript), runs_on=True):
        name = f"**{_escaped(speaker)}:** " if speaker else ""
        clock = _clock(caption)
        mark = rf"\[{clock}\] " if transcript.timed and clock != clock_before else ""
        clock_before = clock
        text = _escaped(caption.line)
        if not mark:
            text = _LEADING_CLOCK.sub(r"\g<0>\\", text)
        if not name:
            text = _COLON.sub(r"\:", text)
        if not (name or mark):
            text = _LINE_START.sub(r"\g<1>\\", text)
        paragraphs.append(f"{name}{mark}{text}")
    return _paragraphs(paragraphs)


def _named(captions: Iterable[Caption], *, runs_on: bool) -> Iterator[tuple[Caption, str | None]]:
    """Yield the captions with the name to write.

    Args:
        captions: in their order.
        runs_on: without a name the turn before goes on.
    """
    name: str | None = None
    for caption in captions:
        name = caption.speaker or (NOBODY_KNOWN if name and runs_on else None)
        yield caption, name


def _escaped(text: str) -> str:
    """Return a line that Markdown shows as it is, with no time mark in it."""
    text = _MARKUP.sub(r"\\\g<0>", text)
    return MARK.sub(lambda mark: mark[0].replace(":", r"\:"), text)


def _clock(caption: Caption) -> str:
    return format_seconds(caption.start_ms // 1000)


def _paragraphs(texts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, texts)) + "\n"


def _text_blocks(document: CanonicalDocument) -> Iterator[TextBlock]:
    return (block for block in document.blocks if not isinstance(block, AudioRefBlock))


def _block_text(block: TextBlock) -> str:
    """Return the text without empty lines around it; blanks in front are indentation, and stay."""
    return _EMPTY_LINES.sub("", block.text).rstrip()


def _block_markdown(block: TextBlock) -> str:
    """Return the text with the marks that its block stands for."""
    text = _block_text(block)
    if isinstance(block, ImageRefBlock):
        return (
            f"![{text}](<{block.target}>)" if " " in block.target else f"![{text}]({block.target})"
        )
    if not text:
        return ""
    if isinstance(block, HeadingBlock):
        return f"{'#' * block.level} {' '.join(text.split())}"
    if isinstance(block, CodeBlock):
        runs = (len(run) for run in re.findall("`+", text))
        fence = "`" * max(3, 1 + max(runs, default=0))
        return f"{fence}{block.language or ''}\n{text}\n{fence}"
    return text
