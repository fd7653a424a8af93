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

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import lt
from typing import NamedTuple

import regex

from kb_core.model import nfc
from kb_text.analyser import Analyse, LazyAnalyser
from kb_text.analysis import (
    Token,
    folded_pieces,
    plain_text,
    token_of,
    tokens_of_pieces,
    tokens_of_plain,
)
from kb_text.chinese import CHINESE
from kb_text.english import english_stem
from kb_text.folding import Piece, PieceKind, fold
from kb_text.japanese import JAPANESE
from kb_text.korean import KOREAN, STEM_ENDING
from kb_text.plain import SEPARATOR, Plain, kinds_without

_HANGUL = regex.compile(r"\p{Hangul}")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_HAN_OR_KANA = regex.compile(r"[\p{Han}\p{scx=Hira}\p{scx=Kana}]")
_ANALYSED = regex.compile(r"[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}]")
_SENTENCE_ENDS = frozenset("\n。！？!?")
_SENTENCE_END = regex.compile(f"[{''.join(sorted(_SENTENCE_ENDS))}]")
# Where only marks are wanted, the less there is to take apart the better.
_FULL_STOP = regex.compile(rf"{_SENTENCE_END.pattern}|\.(?=\s)")
_KANA_SHARE_OF_JAPANESE = 0.2
_SENTENCES_TAKEN_APART = 3
"""What a mark needs: more than a snippet shows, and a fraction of a passage."""
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


def morpheme_tokens(
    text: str, *, is_query: bool = False, wanted: frozenset[str] | None = None
) -> list[Token]:
    """Return the words of `text` in order of their first character, longer ones first.

    Args:
        text: any text.
        is_query: whether Han alone may be of any language that is written with it.
        wanted: words beside which others need not be found; only the sentences that `_promising`
            chooses are taken apart then, and in the others these words are found as in `analyze`.
    """
    return morphemes_of(text, plain_text(text), is_query=is_query, wanted=wanted)


def morphemes_of(
    text: str,
    plain: Plain | None,
    *,
    is_query: bool = False,
    wanted: frozenset[str] | None = None,
) -> list[Token]:
    """Return the same, given what `plain_text` says of the text."""
    if plain is None:
        words, others = _of_pieces(text, is_query, wanted)
    elif has_analysed_script(text):
        words, others = _of_plain(text, plain, is_query, wanted)
    else:
        return without_inflections(tokens_of_plain(text, plain))
    stemmed = [
        word for word in map(_without_inflection, others) if wanted is None or word.token in wanted
    ]
    return sorted([*words, *stemmed], key=_order)


def has_analysed_script(text: str) -> bool:
    """Return whether some of `text` is for an analyser; else its words are those of `analyze`."""
    return _ANALYSED.search(text) is not None


def without_inflections(tokens: Iterable[Token]) -> list[Token]:
    """Return the words of a text that no analyser looks at, given its tokens."""
    words = list(map(_without_inflection, tokens))
    starts = [word[1] for word in words]
    # Only words with suffixes and divided ones come later than others that begin where they do.
    return words if all(map(lt, starts, starts[1:])) else sorted(words, key=_order)


def _order(token: Token) -> tuple[int, int, Token]:
    return token.char_start, -token.char_end, token


def _of_pieces(
    text: str, is_query: bool, wanted: frozenset[str] | None
) -> tuple[set[Token], list[Token]]:
    """Return what analysers find in a text, and the tokens of what is left."""
    pieces = list(folded_pieces(text))
    words: set[Token] = set()
    if has_analysed_script(text):
        prefers_japanese = _is_japanese(text)
        stretches = list(_stretches(pieces))
        for number in _promising([each.text for each in stretches], wanted, prefers_japanese):
            for language in _languages_of(stretches[number].text, prefers_japanese, is_query):
                words.update(_take_words(pieces, stretches[number], language))
    return words, tokens_of_pieces(text, pieces)


def _of_plain(
    text: str, plain: Plain, is_query: bool, wanted: frozenset[str] | None
) -> tuple[set[Token], list[Token]]:
    """Return the same for a text whose characters fold one to one."""
    if not has_analysed_script(text):
        return set(), tokens_of_plain(text, plain)
    folded, kinds = plain
    shown = folded if folded.isprintable() else "".join(map(_shown, folded))
    prefers_japanese = _is_japanese(text)
    words: set[Token] = set()
    left: list[str] = []
    stretches = list(_plain_stretches(plain, _SENTENCE_END if wanted is None else _FULL_STOP))
    sentences = [shown[start:end] for start, end in stretches]
    promising = _promising(sentences, wanted, prefers_japanese)
    for number, ((start, end), sentence) in enumerate(zip(stretches, sentences, strict=True)):
        seen: list[regex.Pattern[str]] = []
        if number in promising:
            for language in _languages_of(sentence, prefers_japanese, is_query):
                analyse = language.analyser.get()
                if analyse is not None:
                    words.update(_words_of(sentence, analyse, language, start))
                    seen.append(language.script)
        left.append(kinds_without(text[start:end], seen) if seen else kinds[start:end])
    return words, tokens_of_plain(text, Plain(folded, "".join(left)))


def _plain_stretches(plain: Plain, ends: regex.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the sentences."""
    start = 0
    while start < len(plain.folded):
        end = _end_of_stretch(plain, start, ends)
        yield start, end
        start = end


def _words_of(sentence: str, analyse: Analyse, language: _Language, shift: int) -> list[Token]:
    is_of_script = language.script.search
    return [
        token_of((word, shift + start, shift + end, shift + end, "morpheme"))
        for form, start, end in analyse(sentence)
        if is_of_script(sentence, start, end) and (word := _plain(form))
    ]


def _end_of_stretch(plain: Plain, start: int, ends: regex.Pattern[str]) -> int:
    """Return where the sentence that begins at `start` ends; see `_stretches`."""
    sentence_end = ends.search(plain.folded, start)
    space = plain.kinds.find(SEPARATOR, start + _STRETCH_CHARS - 1)
    places = [len(plain.folded), start + _LONGEST_STRETCH_CHARS]
    if sentence_end:
        places.append(sentence_end.end())
    if space >= 0:
        places.append(space + 1)
    return min(places)


def _shown(char: str) -> str:
    return char if char.isprintable() else " "


def _promising(
    sentences: Sequence[str], wanted: frozenset[str] | None, prefers_japanese: bool
) -> set[int]:
    """Return which sentences to take apart: all, or those that may hold most of `wanted`.

    Of Japanese every sentence may hold a word of Han or kana, because a lemma need not be written
    as the word is (会う is also 逢った).
    """
    needles = None if wanted is None else _needles(wanted)
    if wanted is None or needles is None:
        return set(range(len(sentences)))
    counts = [sum(needle in sentence for needle in needles) for sentence in sentences]
    held = [number for number, count in enumerate(counts) if count]
    best = sorted(held, key=lambda number: (-counts[number], number))
    promising = set(best[:_SENTENCES_TAKEN_APART])
    if any(map(_HAN_OR_KANA.search, wanted)):
        japanese = _HAN_OR_KANA if prefers_japanese else _KANA
        promising.update(n for n, sentence in enumerate(sentences) if japanese.search(sentence))
    return promising


def _needles(words: Iterable[str]) -> set[str] | None:
    """Return what stands in a sentence that holds one of the words; None when that is not known.

    A Korean verb in its dictionary form keeps all but its last syllable before the ending, which
    fuses with what follows: 움직이다 is 움직여, and of 오다 nothing is left in 왔다. The syllable
    르 takes the one before it along: 서두르다 is 서둘러. What speech contracts elsewhere, such as
    이건 for 이것, is not known here.
    """
    needles = set()
    for word in words:
        is_verb = _HANGUL.match(word) is not None and word.endswith(STEM_ENDING)
        changed = 3 if word.endswith(f"르{STEM_ENDING}") else 2
        needle = word[:-changed] if is_verb else word
        if not needle:
            return None
        needles.add(needle)
    return needles


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
    form, start, end, head_end, kind = token
    if kind != "word" or not form.isascii():
        return token
    return token_of((english_stem(form), start, end, head_end, kind))
