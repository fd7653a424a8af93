"""Telling text from what comes out of a font that does not say which letters it shows.

Such a font gives U+FFFD or private characters at best; at worst its codes read as other letters
("7KH" for "The"), and a person would search for words that are on the page in vain and find ones
that are not.
"""

from __future__ import annotations

import unicodedata
from enum import Enum

UNKNOWN_SHARE = 0.3
"""More characters without a meaning than that: the page cannot be read."""

WORTH_A_WARNING_SHARE = 0.05
SIGN_SHARE = 0.5
"""Text has fewer signs of mathematics and programming than that; even tables of figures do."""

VOWEL_SHARE = 0.15
"""Latin text has more vowels than that; English has .38, Czech .40, lists of abbreviations .25."""

MIN_LETTERS = 60
READABILITY_RULES = "readable-v1(0.3,0.05,0.5,0.15,60)"

_SIGNS = frozenset("\"#$%&'*+-/<=>@\\^_`{|}~!?;")
_MEANINGLESS = frozenset({"Co", "Cn", "Cc", "Cs"})


class Readability(Enum):
    """How much of a page's text means something."""

    READABLE = "readable"
    PARTLY = "partly"
    UNREADABLE = "unreadable"


def judge(text: str) -> Readability:
    """Return whether the text of a page can be what the page shows."""
    characters = [character for character in text if not character.isspace()]
    if not characters:
        return Readability.READABLE
    unknown = sum(is_unknown(character) for character in characters) / len(characters)
    if unknown > UNKNOWN_SHARE or _too_many_signs(characters) or _too_few_vowels(text):
        return Readability.UNREADABLE
    return Readability.PARTLY if unknown > WORTH_A_WARNING_SHARE else Readability.READABLE


def is_unknown(character: str) -> bool:
    """Return whether it has no meaning for a reader."""
    return character == "\ufffd" or unicodedata.category(character) in _MEANINGLESS


def _too_many_signs(characters: list[str]) -> bool:
    return sum(character in _SIGNS for character in characters) > SIGN_SHARE * len(characters)


def _too_few_vowels(text: str) -> bool:
    base = [c for c in unicodedata.normalize("NFD", text.casefold()) if c.isalpha()]
    latin = [c for c in base if "a" <= c <= "z"]
    if len(latin) < MIN_LETTERS or len(latin) < 0.9 * len(base):
        return False
    return sum(c in "aeiouy" for c in latin) < VOWEL_SHARE * len(latin)
