"""The fast way for texts in which each character folds to one character, which is nearly all.

Such a text, folded, has the length of the source, so a token is a slice of it and its place is the
place in the source. What the characters are is a second string of the same length, one letter each,
in which a regular expression finds the runs. The tokens are those that `analysis` makes of pieces;
a property in the tests compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
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
# Letters of ASCII need no Unicode, and `re` walks over matches faster than `regex`.
RUNS = re.compile(r"w+|u+|s|\++")
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
    """Character to folded character, found out when it is first met.

    What may form a cluster with its neighbours is not plain, nor is NUL, which says so.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        pieces = fold_cluster(char)
        is_one = len(pieces) == 1 and len(pieces[0][0]) == 1 and pieces[0][1] in _LETTERS
        self[code] = pieces[0][0] if is_one and not MAY_JOIN.match(char) else _NOT_PLAIN
        return self[code]


class _Kinds(dict[int, str]):
    """Character to the letter of its kind; what is unspaced in some scripts is a separator."""

    def __init__(self, without: Iterable[regex.Pattern[str]] = ()) -> None:
        super().__init__()
        self._without = tuple(without)

    def __missing__(self, code: int) -> str:
        folded = _FOLDED[code]
        kind = SEPARATOR if folded == _NOT_PLAIN else _LETTERS[fold_cluster(chr(code))[0][1]]
        if kind == UNSPACED and any(script.match(folded) for script in self._without):
            kind = SEPARATOR
        self[code] = kind
        return kind


_FOLDED = _Folded()
_KINDS = _Kinds()


@cache
def _kinds_without(scripts: frozenset[regex.Pattern[str]]) -> _Kinds:
    return _Kinds(scripts)


def kinds_without(text: str, scripts: Iterable[regex.Pattern[str]]) -> str:
    """Return the kinds of a plain text with separators for what is unspaced in `scripts`."""
    return text.translate(_kinds_without(frozenset(scripts)))


def plain_of(text: str) -> Plain | None:
    """Return the folded text, or None when its characters do not fold one to one."""
    folded = text.translate(_FOLDED)
    return None if _NOT_PLAIN in folded else Plain(folded, text.translate(_KINDS))
