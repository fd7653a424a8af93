"""The normaliser: what two spellings of the same words have in common.

Recognisers and references differ in case, punctuation and spacing, and none of that is an error of
hearing. The rules are few and the same for every language and engine, and `NORMALISER` names them,
because rates under different normalisers cannot be compared.

Words are what spaces part, except in scripts that are written without spaces: there each character
is a word of its own (which is the usual mixed error rate for text that switches between scripts).
"""

from __future__ import annotations

import re
import unicodedata

NORMALISER = "kb-eval-1"
NORMALISER_RULES = (
    "Unicode NFKC and casefold; invisible format characters removed",
    "an apostrophe inside a word is dropped: don't = dont",
    "other punctuation, symbols and control characters become a space; runs of space are one",
    "numbers stay as they are written: 25 and twenty-five differ",
    "words: parted by spaces; each Han, kana, Thai, Lao, Khmer and Myanmar character is a word",
    "WER is not given where most of the reference is in such a script: CER is its figure",
    "CER: all spaces removed, in every language",
)
"""The rules in words, for reports."""

_APOSTROPHE = "['’‘ʼ]"
_INNER_APOSTROPHE = re.compile(rf"(?<=\w){_APOSTROPHE}+(?=\w)")
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana, and marks that repeat a character
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")
_WORD = re.compile(rf"[{_UNSPACED}]|[^{_UNSPACED}\s]+")


def normalise(text: str) -> str:
    """Return the text by the rules of `NORMALISER`; doing it again changes nothing."""
    visible = "".join(char for char in text if unicodedata.category(char) != "Cf")
    folded = unicodedata.normalize("NFKC", visible).casefold()
    joined = _INNER_APOSTROPHE.sub("", unicodedata.normalize("NFKC", folded))
    spaced = "".join(" " if _parts_words(char) else char for char in joined)
    return unicodedata.normalize("NFKC", " ".join(spaced.split()))


def words_of(text: str) -> list[str]:
    """Return the normalised words of a text; characters where a script has no spaces."""
    return _WORD.findall(normalise(text))


def characters_of(text: str) -> list[str]:
    """Return the normalised characters of a text without its spaces."""
    return list("".join(normalise(text).split()))


def is_mostly_unspaced(text: str) -> bool:
    """Return whether more than half of the characters are of scripts without spaces."""
    characters = characters_of(text)
    return 2 * sum(map(bool, map(_UNSPACED_CHARACTER.match, characters))) > len(characters)


def _parts_words(char: str) -> bool:
    return unicodedata.category(char)[0] in "PSZC" or re.match(_APOSTROPHE, char) is not None
