"""From aligned pieces of text to words with times.

Where words are written apart, a leading space begins a word. Han, Hiragana and Katakana are not
written apart, so there every piece is a word of its own, which keeps each of them findable in time.
Punctuation, marks and signs that lengthen or repeat belong to the word before; opening punctuation
and anything else without a letter goes with what follows.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_LEAST_PROBABILITY = 1e-6
_CONFIDENCE_DIGITS = 4
_UNSPACED = (
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # Han, extension A
    (0x4E00, 0x9FFF),  # Han
    (0xF900, 0xFAFF),  # Han, compatibility
    (0xFF66, 0xFF9D),  # Katakana, half width
    (0x20000, 0x3FFFF),  # Han, further extensions
)


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
        if apart or _begins_word(text[0], words[-1].text):
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


def confidence(probabilities: Iterable[float]) -> float | None:
    """Return the geometric mean, to four digits; None for nothing."""
    logs = [math.log(min(1.0, max(each, _LEAST_PROBABILITY))) for each in probabilities]
    return round(math.exp(sum(logs) / len(logs)), _CONFIDENCE_DIGITS) if logs else None


def _begins_word(char: str, before: str) -> bool:
    if not any(each.isalnum() for each in before) or _clings(char):
        return False
    return _is_unspaced(char) or _is_unspaced(before[-1]) or _opens(char)


def _clings(char: str) -> bool:
    category = unicodedata.category(char)
    return (category[0] in "MPSC" and not _opens(char)) or category == "Lm"


def _opens(char: str) -> bool:
    return unicodedata.category(char) in ("Ps", "Pi")


def _is_unspaced(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _UNSPACED)
