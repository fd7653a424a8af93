"""From the engine's segments to a `RecognisedWindow`: text, words, legal times."""

from __future__ import annotations

from collections.abc import Sequence

from kb_asr_whisper.tokens import PieceSegment, TokenSegment, decode_window
from kb_asr_whisper.words import build_words
from kb_core.ports.transcriber import RecognisedWindow
from kb_core.timeline import TimedText, repair_timeline
from kb_core.transcript import SegmentFlag
from kb_core.wording import mean_confidence

_INTO_PADDING_MS = 2000
"""The engine fills every window with silence; an end so little into it is no fault."""


def build_window(
    segments: Sequence[TokenSegment],
    *,
    duration_ms: int,
    language: str,
) -> RecognisedWindow:
    """Return what was heard in a window.

    Args:
        segments: as the engine gave them.
        duration_ms: length of the window.
        language: of the window.
    """
    raw = [
        _timed(segment, duration_ms, language)
        for segment in decode_window(segments)
        if "".join(piece.text for piece in segment.pieces).strip()
    ]
    return RecognisedWindow(
        segments=repair_timeline(raw, duration_ms),
        language=language,
    )


def _timed(segment: PieceSegment, duration_ms: int, language: str) -> TimedText:
    end_ms = segment.end_ms
    if segment.start_ms <= duration_ms < end_ms <= duration_ms + _INTO_PADDING_MS:
        end_ms = duration_ms
    flags: tuple[SegmentFlag, ...] = ()
    if segment.dropped_byte_len:
        detail = f"{segment.dropped_byte_len} stray bytes left out"
        flags = (SegmentFlag(code="bytes_repaired", detail=detail),)
    return TimedText.of(
        segment.start_ms,
        end_ms,
        "".join(piece.text for piece in segment.pieces).strip(),
        confidence=mean_confidence(p for piece in segment.pieces for p in piece.probabilities),
        language=language,
        words=build_words(segment.pieces, max(0, segment.start_ms)),
        flags=flags,
    )
