"""From aligned pieces of text to words with times.

Where words are written apart, a leading space begins a word. Han, Hiragana and Katakana are not
written apart, so there every piece is a word of its own, which keeps each of them findable in time.
Punctuation, marks and signs that lengthen or repeat belong to the word before; opening punctuation
and anything else without a letter goes with what follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kb_core.wording import begins_word


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole characters, as few tokens as make them up, and where they were heard.

    Attributes:
        text: with the spaces that the model wrote.
        start_ms: from the window's first sample.
        end_ms: likewise.
        probabilities: of its tokens, 0..1.
        is_damaged: whether bytes that were no character were left out of it.
    """

    text: str
    start_ms: int
    end_ms: int
    probabilities: tuple[float, ...]
    is_damaged: bool = False


@dataclass(slots=True)
class HeardWord:
    """A word without spaces around it; `apart` tells whether one stands before it."""

    text: str
    apart: bool
    start_ms: int
    end_ms: int
    probabilities: list[float] = field(default_factory=list)
    is_damaged: bool = False


def join_pieces(pieces: Sequence[Piece]) -> list[HeardWord]:
    """Return the words of a window, in order; in a row they are its text but for spaces."""
    words: list[HeardWord] = []
    apart = True
    is_damaged = False
    for piece in pieces:
        is_damaged = is_damaged or piece.is_damaged
        text = piece.text.strip()
        if not text:
            apart = apart or bool(piece.text)
            continue
        apart = apart or piece.text[0].isspace()
        if apart or begins_word(text[0], words[-1].text):
            words.append(HeardWord("", apart, piece.start_ms, piece.end_ms))
        word = words[-1]
        word.text += text
        word.end_ms = max(word.end_ms, piece.end_ms)
        word.probabilities += piece.probabilities
        word.is_damaged = word.is_damaged or is_damaged
        is_damaged = False
        apart = piece.text[-1].isspace()
    if words and is_damaged:
        words[-1].is_damaged = True
    return words


def spelled(words: Iterable[HeardWord]) -> str:
    """Return the text of words in a row, one space where words stand apart."""
    return "".join(f" {word.text}" if word.apart else word.text for word in words).strip()
