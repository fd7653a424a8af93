"""The fast way for texts in which each character folds to one character, which is nearly all.

Such a text, folded, has the length of the source, so a token is a slice of it and its place is the
place in the source. What the characters are is a second string of the same length, one letter each,
in which a regular expression finds the runs. The tokens are those that `analysis` makes of pieces;
a property in the tests compares the two.
"""

from __future__ import annotations

from typing import NamedTuple

import regex

from kb_text.folding import MAY_JOIN, PieceKind, fold_cluster

SEPARATOR, WORD, UNSPACED, SYMBOL, SUFFIX = " ", "w", "u", "s", "+"
_LETTERS = {
    PieceKind.SEPARATOR: SEPARATOR,
    PieceKind.WORD: WORD,
    PieceKind.UNSPACED: UNSPACED,
    PieceKind.SYMBOL: SYMBOL,
    PieceKind.SUFFIX: SUFFIX,
}
_NOT_PLAIN = "\0"
RUNS = regex.compile(r"w+|u+|s|\++")
"""Runs of one kind in `Plain.kinds`; each symbol is one."""


class Plain(NamedTuple):
    """A folded text.

    Attributes:
        folded: as long as the source.
        kinds: a letter for each of its characters.
    """

    folded: str
    kinds: str


class _Folded(dict[int, str]):
    """Character to folded character, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        pieces = fold_cluster(chr(code))
        is_plain = len(pieces) == 1 and len(pieces[0][0]) == 1 and pieces[0][1] in _LETTERS
        self[code] = pieces[0][0] if is_plain else _NOT_PLAIN
        return self[code]


class _Kinds(dict[int, str]):
    """Character to the letter of its kind."""

    def __missing__(self, code: int) -> str:
        pieces = fold_cluster(chr(code))
        self[code] = _LETTERS[pieces[0][1]] if _FOLDED[code] != _NOT_PLAIN else SEPARATOR
        return self[code]


_FOLDED = _Folded()
_KINDS = _Kinds()


def plain_of(text: str) -> Plain | None:
    """Return the folded text, or None when its characters do not fold one to one."""
    if "\0" in text or MAY_JOIN.search(text):
        return None
    folded = text.translate(_FOLDED)
    return None if _NOT_PLAIN in folded else Plain(folded, text.translate(_KINDS))
