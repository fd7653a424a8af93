"""Where words begin in what a recogniser wrote, and how sure it was of them."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable

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


def begins_word(char: str, before: str) -> bool:
    """Return whether a character without a space before it begins a new word.

    Han, Hiragana and Katakana are not written apart, so there every piece of a recogniser's text is
    a word of its own, which keeps each of them findable in time. Punctuation, marks and signs that
    lengthen or repeat belong to the word before; opening punctuation and anything else without a
    letter goes with what follows.

    Args:
        char: first character of a piece.
        before: the word so far.
    """
    if not any(each.isalnum() for each in before) or _clings(char):
        return False
    return _is_unspaced(char) or _is_unspaced(before[-1]) or _opens(char)


def mean_confidence(probabilities: Iterable[float | None]) -> float | None:
    """Return the geometric mean of those that are known, to four digits; None for nothing."""
    known = (min(1.0, max(each, _LEAST_PROBABILITY)) for each in probabilities if each is not None)
    logs = [math.log(each) for each in known]
    return round(math.exp(sum(logs) / len(logs)), _CONFIDENCE_DIGITS) if logs else None


def _clings(char: str) -> bool:
    category = unicodedata.category(char)
    return (category[0] in "MPSC" and not _opens(char)) or category == "Lm"


def _opens(char: str) -> bool:
    return unicodedata.category(char) in ("Ps", "Pi")


def _is_unspaced(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _UNSPACED)
