"""The answer of a look into a file's first bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Content:
    """What a file's first bytes are.

    Attributes:
        says: in words, as in "holds HTML".
        media_type: what kb reads it as; None for what it does not read, and for plain text, of
            which only the name can say more.
        is_text: whether it is text of any kind.
        is_markup: whether it is text with a root element or a preamble that rules out others.
        is_web_page: whether it is HTML, as servers give in place of a file.
        weak: whether a note could by chance begin in the same way.
    """

    says: str
    media_type: str | None = None
    is_text: bool = False
    is_markup: bool = False
    is_web_page: bool = False
    weak: bool = False
