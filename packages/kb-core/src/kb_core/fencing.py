"""Text of documents inside a prompt: always data, never orders and never structure.

Two walls, each enough by itself. A unit is one line between two fence lines, and no line can hold
the characters that a fence line is made of: angle brackets become their typographic cousins, which
takes the control tokens of chat templates (`<|im_end|>`, `</s>`) apart as well; servers read those
as structure wherever they stand. And the fence bears a digest of what it encloses, so that a text
which names its own fence would have to know its own digest.

What is changed here is only what a model is shown. Chunks hold the text as it is stored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from kb_core.boundaries import TextCutter
from kb_core.canonical import digest_hex
from kb_core.model import nfc

SEPARATOR = " | "
"""Between the fields of a unit line; the text is the last field and may hold it."""
NO_VALUE = "-"
"""Stands for a time or a speaker that is not known."""

_DIGEST_HEX_CHARS = 12
_FIELD_BAR = str.maketrans({"|": "¦"})
_LOOK_ALIKES = str.maketrans({"<": "‹", "＜": "‹", "﹤": "‹", ">": "›", "＞": "›", "﹥": "›"})
# Joiners shape letters and emoji. All other invisible format characters can hide orders.
_JOINERS = frozenset("\u200c\u200d")
_BRACKETED_TOKEN = re.compile(r"\[(/?[A-Z_]+)\]")
_LEFT_OUT_CHARS = 48
"""Room for the words that stand where a text was shortened."""


def plain_line(text: str) -> str:
    """Return `text` on one line, in NFC, without control and invisible format characters."""
    return nfc(" ".join("".join(map(_shown, text)).split()))


def one_line(text: str) -> str:
    """Return `text` as `plain_line` does, and without anything that could be part of a fence.

    Calling it again changes nothing.
    """
    return _BRACKETED_TOKEN.sub(r"(\1)", plain_line(text).translate(_LOOK_ALIKES))


def unit_line(unit_id: str, text: str, *, clock: str | None, speaker: str | None) -> str:
    """Return the line of a unit: its id, time, speaker and text."""
    who = one_line(speaker or "").translate(_FIELD_BAR)
    return SEPARATOR.join((unit_id, clock or NO_VALUE, who or NO_VALUE, one_line(text)))


def fenced(name: str, lines: Iterable[str]) -> str:
    """Return `lines` between two fence lines; each stays one line, whatever is in it.

    `name` says in capitals what is enclosed, as the orders call it.
    """
    body = "\n".join(map(one_line, lines))
    mark = f"{name} {digest_hex(body.encode('utf-8'))[:_DIGEST_HEX_CHARS]}"
    return f"<<<{mark}\n{body}\n{mark}>>>"


def shortened(text: str, max_bytes: int) -> str:
    """Return `text`, or its beginning and end with a note of how much is left out between them.

    Only the note itself, of about fifty bytes, can make it longer than `max_bytes`. Either end is
    left out where its first grapheme does not fit.
    """
    byte_len = len(text.encode("utf-8"))
    if byte_len <= max_bytes:
        return text
    cutter = TextCutter(text)
    room = max(0, max_bytes - _LEFT_OUT_CHARS)
    head_end = cutter.longest(0, room // 2).char_offset
    if cutter.byte_len(0, head_end) > room // 2:
        head_end = 0
    tail_start = cutter.tail(head_end, len(text), room // 2).char_offset
    note = f" [... {tail_start - head_end} characters left out ...] "
    return text[:head_end] + note + text[tail_start:]


def _shown(char: str) -> str:
    category = unicodedata.category(char)
    if category.startswith("C") and char not in _JOINERS:
        return " " if category == "Cc" else ""
    return char
