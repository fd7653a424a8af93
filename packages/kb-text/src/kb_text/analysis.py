"""Text to search tokens, alike for what is indexed and for what is asked.

- Words of scripts that use spaces: one token a word. `don't`, `a:b` and `covid-19` are two words
  next to each other, and found as such; so `covid 19` finds them too.
- Runs of scripts that do not use spaces, and of Hangul, whose words carry their particles with
  them: overlapping pairs of characters, then the last character alone. So every stretch of two or
  more characters is a sequence of neighbouring tokens, and every single character begins a token.
- A word with `+` or `#` right behind it gives a second token with them: `C++` is `c`, `c++`, and a
  query for it does not match every `c`.
- A word that is divided by a hyphen at the end of a line gives its two parts and then the whole:
  `exam-` and `ple` are found as `example`, `price-` and `based` as each of the two.
- Chinese and Japanese text goes on over a line break, because no space stands there otherwise.
- Emoji and other symbols beyond ASCII: one token each. Other punctuation only separates.

Tokens hold no space, quote or ASCII punctuation but `+` and `#`. A CJK character with a combining
mark of its own (か゚) is written with a noncharacter before it, so that a search for the beginning
か does not match it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Literal, NamedTuple

import regex

from kb_core.model import nfc
from kb_text.folding import Piece, PieceKind, fold
from kb_text.plain import RUNS, SYMBOL, UNSPACED, WORD, Plain, plain_of

TokenKind = Literal["word", "suffixed", "pair", "tail", "symbol", "morpheme"]

INDEXED_PUNCTUATION = "+#"
"""The ASCII punctuation that tokens may hold."""

_MARKED = "\ufdd0"
_HYPHENS = "-\u2010\u00ad"
_WITHOUT_SPACES = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_BROKEN_RUN = regex.compile(rf"{_WITHOUT_SPACES.pattern}\n{_WITHOUT_SPACES.pattern}")
_LINE_END_HYPHEN = regex.compile(rf"[{_HYPHENS}][ \t\r]*\n")
_kind_of = itemgetter(1)


class Token(NamedTuple):
    """An index token and where it stands in the analysed text.

    Attributes:
        token: folded form.
        char_start: first code point of it in the text.
        char_end: one past the last.
        head_end: one past its first character; the same as `char_end` but for pairs.
        kind: `tail` is the last character of an unspaced run; `morpheme` is a word of one.
    """

    token: str
    char_start: int
    char_end: int
    head_end: int
    kind: TokenKind


TokenFields = tuple[str, int, int, int, TokenKind]
token_of: Callable[[TokenFields], Token] = partial(tuple.__new__, Token)
"""Makes a token of its fields; the constructor of a named tuple, which is Python, takes longer than
all the rest of a token."""


def analyze(text: str) -> list[Token]:
    """Return the tokens of `text` in order; neighbours in the list are neighbours in the index."""
    return tokens_of(text, plain_text(text))


def tokens_of(text: str, plain: Plain | None) -> list[Token]:
    """Return the tokens of `text`, given what `plain_text` says of it."""
    if plain is not None:
        return tokens_of_plain(text, plain)
    return tokens_of_pieces(text, folded_pieces(text))


def plain_text(text: str) -> Plain | None:
    """Return `text` for the fast way, or None where it has to go piece by piece."""
    return None if _has_broken_run(text) else plain_of(text)


def tokens_of_plain(text: str, plain: Plain) -> list[Token]:
    """Return the tokens of a text whose characters fold one to one."""
    folded, kinds = plain
    may_divide = "\n" in text and _LINE_END_HYPHEN.search(text) is not None
    tokens: list[Token] = []
    for run in RUNS.finditer(kinds):
        start, end = run.span()
        kind = kinds[start]
        if kind == WORD:
            word = token_of((folded[start:end], start, end, end, "word"))
            before = tokens[-1] if may_divide and tokens else None
            tokens.append(word)
            if before and before.kind == "word" and _is_divided(text, before, word):
                whole = before.token + word.token
                tokens.append(word._replace(token=whole, char_start=before.char_start))
        elif kind == UNSPACED:
            last = end - 1
            tokens += [
                token_of((folded[place : place + 2], place, place + 2, place + 1, "pair"))
                for place in range(start, last)
            ]
            tokens.append(token_of((folded[last:end], last, end, end, "tail")))
        elif kind == SYMBOL:
            tokens.append(token_of((folded[start:end], start, end, end, "symbol")))
        elif tokens and tokens[-1].kind == "word" and tokens[-1].char_end == start:
            word = tokens[-1]
            token = word.token + folded[start:end]
            tokens.append(token_of((token, word.char_start, end, end, "suffixed")))
    return tokens


def folded_pieces(text: str) -> Iterator[Piece]:
    """Yield the folded characters of `text`, without line breaks between Han or kana."""
    folded = fold(text)
    return _over_line_breaks(folded) if _has_broken_run(text) else folded


def _has_broken_run(text: str) -> bool:
    return "\n" in text and _BROKEN_RUN.search(text) is not None


def tokens_of_pieces(text: str, folded: Iterable[Piece]) -> list[Token]:
    """Return the tokens that folded characters of `text` make."""
    tokens: list[Token] = []
    for kind, group in groupby(folded, key=_kind_of):
        pieces = list(group)
        if kind is PieceKind.WORD:
            word = _joined(pieces, "word")
            before = tokens[-1] if tokens else None
            tokens.append(word)
            if before and before.kind == "word" and _is_divided(text, before, word):
                whole = before.token + word.token
                tokens.append(word._replace(token=whole, char_start=before.char_start))
        elif kind is PieceKind.UNSPACED:
            tokens.extend(_pairs(pieces))
        elif kind is PieceKind.SYMBOL:
            tokens.extend(_joined([piece], "symbol") for piece in pieces)
        elif kind is PieceKind.SUFFIX and tokens and _touches(tokens[-1], pieces[0]):
            word, suffix = tokens[-1], _joined(pieces, "suffixed")
            tokens.append(
                suffix._replace(token=word.token + suffix.token, char_start=word.char_start)
            )
    return tokens


def _is_divided(text: str, first: Token, second: Token) -> bool:
    """Return whether two words are the halves of one that a hyphen divides at a line end."""
    between = text[first.char_end : second.char_start]
    return (
        len(between) > 1
        and between[0] in _HYPHENS
        and between[1:].strip(" \t\r") == "\n"
        and text[first.char_end - 1].isalpha()
        and text[second.char_start].isalpha()
    )


def _over_line_breaks(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces without line breaks between Han or kana."""
    before: Piece | None = None
    held: Piece | None = None
    for piece in pieces:
        if held is not None:
            if not _WITHOUT_SPACES.match(piece[0]):
                yield held
            held = None
        if piece[0] == "\n" and before is not None and _WITHOUT_SPACES.match(before[0]):
            held = piece
        else:
            yield piece
        before = piece
    if held is not None:
        yield held


def index_text(text: str) -> str:
    """Return the tokens of `text`, separated by spaces: what goes into a full-text index."""
    return " ".join(token.token for token in analyze(text))


def _touches(token: Token, piece: Piece) -> bool:
    return token.kind == "word" and token.char_end == piece[2]


def _joined(pieces: list[Piece], kind: TokenKind) -> Token:
    end = pieces[-1][3]
    return Token(nfc("".join([piece[0] for piece in pieces])), pieces[0][2], end, end, kind)


def _pairs(pieces: list[Piece]) -> Iterator[Token]:
    for (first, _, start, head_end), (second, _, _, end) in pairwise(pieces):
        yield Token(nfc(_lead(first) + second), start, end, head_end, "pair")
    last, _, start, end = pieces[-1]
    yield Token(nfc(_lead(last)), start, end, end, "tail")


def _lead(char: str) -> str:
    return char if len(char) == 1 else _MARKED + char
