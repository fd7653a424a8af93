"""From aligned pieces to a `RecognisedWindow`: words, segments, legal times."""

from __future__ import annotations

from collections.abc import Sequence

from kb_asr_faster_whisper.segments import cut_segments
from kb_asr_faster_whisper.words import HeardWord, Piece, join_pieces, spelled
from kb_core.ports.transcriber import RecognisedWindow
from kb_core.timeline import TimedText, repair_timeline
from kb_core.transcript import SegmentFlag, Word
from kb_core.wording import mean_confidence


def build_window(pieces: Sequence[Piece], *, duration_ms: int, language: str) -> RecognisedWindow:
    """Return what was heard in a window.

    Args:
        pieces: the text, in order.
        duration_ms: length of the window; no time lies beyond it.
        language: of the window.
    """
    raw = [_timed(words, duration_ms, language) for words in cut_segments(join_pieces(pieces))]
    return RecognisedWindow(segments=repair_timeline(raw, duration_ms), language=language)


def _timed(words: Sequence[HeardWord], duration_ms: int, language: str) -> TimedText:
    """Return a segment; what the padding stretched ends with the window, which is no fault."""
    flags: tuple[SegmentFlag, ...] = ()
    if damaged := sum(word.is_damaged for word in words):
        flags = (SegmentFlag(code="bytes_repaired", detail=f"stray bytes in {damaged} words"),)
    return TimedText.of(
        min(words[0].start_ms, duration_ms),
        min(max(word.end_ms for word in words), duration_ms),
        spelled(words),
        confidence=mean_confidence(p for word in words for p in word.probabilities),
        language=language,
        words=tuple(_word(word, duration_ms) for word in words),
        flags=flags,
    )


def _word(word: HeardWord, duration_ms: int) -> Word:
    return Word(
        start_ms=min(word.start_ms, duration_ms),
        end_ms=min(word.end_ms, duration_ms),
        text=word.text,
        confidence=mean_confidence(word.probabilities),
    )
