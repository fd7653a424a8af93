"""From pieces of text to words with times.

Where words are written apart, a leading space begins a word. Han, Hiragana and Katakana are not
written apart, so there every piece is a word of its own, which keeps each of them findable in time.
Punctuation, marks and signs that lengthen or repeat belong to the word before; opening punctuation
and anything else without a letter goes with what follows.

The words of a segment in a row are its text but for spaces: a word holds none around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kb_asr_whisper.tokens import Piece
from kb_core.transcript import Word
from kb_core.wording import begins_word, mean_confidence


@dataclass(slots=True)
class _Open:
    """A word that is being put together."""

    text: str = ""
    starts_ms: list[int] = field(default_factory=list)
    ends_ms: list[int] = field(default_factory=list)
    probabilities: list[float] = field(default_factory=list)


def build_words(pieces: Sequence[Piece], segment_start_ms: int) -> tuple[Word, ...]:
    """Return the words of one segment.

    Args:
        pieces: whole characters, in order.
        segment_start_ms: time of a word whose tokens have none.
    """
    words: list[_Open] = []
    apart = True
    for piece in pieces:
        text = piece.text.strip()
        if not text:
            apart = True
            continue
        before = "" if not words else words[-1].text
        if apart or piece.text[0].isspace() or begins_word(text[0], before):
            words.append(_Open())
        _extend(words[-1], piece, text)
        apart = piece.text[-1].isspace()
    fallback_ms = segment_start_ms
    built = []
    for word in words:
        built.append(_built(word, fallback_ms))
        fallback_ms = built[-1].end_ms
    return tuple(built)


def _extend(word: _Open, piece: Piece, text: str) -> None:
    word.text += text
    word.probabilities += piece.probabilities
    if piece.start_ms is not None and piece.end_ms is not None:
        word.starts_ms.append(max(0, piece.start_ms))
        word.ends_ms.append(max(0, piece.start_ms, piece.end_ms))


def _built(word: _Open, fallback_ms: int) -> Word:
    start_ms = min(word.starts_ms, default=fallback_ms)
    return Word(
        start_ms=start_ms,
        end_ms=max(word.ends_ms, default=start_ms),
        text=word.text,
        confidence=mean_confidence(word.probabilities),
    )
