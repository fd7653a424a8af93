"""Text to the words of its languages, each in the form that its inflections share.

Pairs of characters find everything that was written, and too much: 의사 (doctor) is a pair of
회의사항. Here a run without spaces is taken apart by an analyser of its language:

- Hangul: `korean`.
- Han in a sentence with kana, and kana: `japanese`. So is Han in other sentences of a text of which
  a fifth or more of Han and kana is kana; Japanese prose is about half kana.
- Other Han: `chinese`. A query of Han alone may be either, so it gets the words of both.
- Other scripts, and languages whose analyser this machine lacks: pairs as in `analysis`.

Words of Latin letters lose their English inflections, the rest is as in `analysis`. Everything is
folded first, and tokens are made of the same characters as there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import regex

from kb_core.model import nfc
from kb_text.analyser import LazyAnalyser
from kb_text.analysis import Token, folded_pieces, tokens_of_pieces
from kb_text.chinese import CHINESE
from kb_text.english import english_stem
from kb_text.folding import Piece, PieceKind, fold
from kb_text.japanese import JAPANESE
from kb_text.korean import KOREAN

_HANGUL = regex.compile(r"\p{Hangul}")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_HAN_OR_KANA = regex.compile(r"[\p{Han}\p{scx=Hira}\p{scx=Kana}]")
_ANALYSED = regex.compile(r"[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}]")
_SENTENCE_ENDS = frozenset("\n。！？!?")
_KANA_SHARE_OF_JAPANESE = 0.2
# An analyser weighs all ways to divide a sentence, so what is endless is cut, best at a space.
_STRETCH_CHARS = 300
_LONGEST_STRETCH_CHARS = 1000
_LETTERS = frozenset({PieceKind.WORD, PieceKind.UNSPACED})
_CACHED_FORMS = 1 << 16


class _Stretch(NamedTuple):
    """A sentence for an analyser: its character `i` comes from `pieces[owners[i]]`."""

    text: str
    owners: list[int]


class _Language(NamedTuple):
    """An analyser, and the script of the words that are taken from it."""

    analyser: LazyAnalyser
    script: regex.Pattern[str]


_KOREAN = _Language(KOREAN, _HANGUL)
_CHINESE = _Language(CHINESE, _HAN_OR_KANA)
_JAPANESE = _Language(JAPANESE, _HAN_OR_KANA)


def morpheme_text(text: str) -> str:
    """Return the tokens of `text`, separated by spaces: what goes into the index `morphemes`."""
    return " ".join(token.token for token in morpheme_tokens(text))


def morpheme_tokens(text: str, *, is_query: bool = False) -> list[Token]:
    """Return the words of `text` in order of their first character, longer ones first.

    Args:
        text: any text.
        is_query: whether Han alone may be of any language that is written with it.
    """
    pieces = list(folded_pieces(text))
    words: set[Token] = set()
    if _ANALYSED.search(text):
        prefers_japanese = _is_japanese(text)
        for stretch in _stretches(pieces):
            for language in _languages_of(stretch.text, prefers_japanese, is_query):
                words.update(_take_words(pieces, stretch, language))
    others = map(_without_inflection, tokens_of_pieces(text, pieces))
    return sorted([*words, *others], key=lambda token: (token.char_start, -token.char_end, token))


def _languages_of(sentence: str, prefers_japanese: bool, is_query: bool) -> Iterator[_Language]:
    if _HANGUL.search(sentence):
        yield _KOREAN
    if _KANA.search(sentence):
        yield _JAPANESE
    elif _HAN_OR_KANA.search(sentence):
        if is_query or not prefers_japanese:
            yield _CHINESE
        if is_query or prefers_japanese:
            yield _JAPANESE


def _is_japanese(text: str) -> bool:
    kana_count = len(_KANA.findall(text))
    return kana_count > 0 and kana_count >= _KANA_SHARE_OF_JAPANESE * len(
        _HAN_OR_KANA.findall(text)
    )


def _stretches(pieces: Sequence[Piece]) -> Iterator[_Stretch]:
    """Yield the sentences of a text that hold something to analyse."""
    chars: list[str] = []
    owners: list[int] = []
    for place, (folded, kind, _, _) in enumerate(pieces):
        shown = folded if folded.isprintable() else " "
        chars.append(shown)
        owners.extend([place] * len(shown))
        if (
            folded in _SENTENCE_ENDS
            or (kind is PieceKind.SEPARATOR and len(owners) >= _STRETCH_CHARS)
            or len(owners) >= _LONGEST_STRETCH_CHARS
        ):
            yield _Stretch("".join(chars), owners)
            chars, owners = [], []
    if chars:
        yield _Stretch("".join(chars), owners)


def _take_words(pieces: list[Piece], stretch: _Stretch, language: _Language) -> Iterator[Token]:
    """Yield the words of a language, and make separators of all that its analyser has seen.

    Without an analyser the pieces stay as they are.
    """
    analyse = language.analyser.get()
    if analyse is None:
        return
    text, owners = stretch
    for form, start, end in analyse(text):
        word = _plain(form) if language.script.search(text, start, end) else ""
        if word:
            first, last = pieces[owners[start]], pieces[owners[end - 1]]
            yield Token(word, first[2], last[3], last[3], "morpheme")
    for place in owners:
        folded, kind, start, end = pieces[place]
        if kind is PieceKind.UNSPACED and language.script.match(folded):
            pieces[place] = (folded, PieceKind.SEPARATOR, start, end)


@lru_cache(maxsize=_CACHED_FORMS)
def _plain(form: str) -> str:
    """Return what is indexed of a dictionary's form."""
    return nfc("".join(folded for folded, kind, _, _ in fold(form) if kind in _LETTERS))


def _without_inflection(token: Token) -> Token:
    if token.kind == "word" and token.token.isascii():
        return token._replace(token=english_stem(token.token))
    return token
