"""Makes sure that a window is heard to its end.

Asked for bare text, the model now and then stops after one sentence, or begins in the middle, and
what it leaves out is gone without a trace in the text. The alignment shows it: no token lasts for
seconds, and no speech is followed by seconds of silence in a window that ends with its speech. Such
a window is heard again with times, which the model is more careful with, in as many passes as it
takes: a pass ends at the last time that the model gives, and the next one begins there. Passes cost
an encoder run each, so they are not made where nothing is missing.

A window in which nothing at all is heard stays empty: asked again, the model would invent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from kb_asr_faster_whisper.decoding import LEAST_GAP_MS, LEAST_REST_MS
from kb_asr_faster_whisper.words import Piece
from kb_core.ports.transcriber import SAMPLES_PER_MS

if TYPE_CHECKING:
    from kb_asr_faster_whisper.engine import EncodedWindow, HeardPass, Samples


class Engine(Protocol):
    """What is needed of the engine."""

    def encode(self, samples: Samples) -> EncodedWindow:
        """Return what the encoder makes of at most 30 s."""
        ...

    def recognise(self, windows: Sequence[EncodedWindow], language: str) -> list[list[Piece]]:
        """Return the pieces of text that are heard, in the order of the windows."""
        ...

    def recognise_with_times(self, window: EncodedWindow, language: str) -> HeardPass:
        """Return the pieces of text that are heard, and until where."""
        ...


def hear(
    engine: Engine, windows: Sequence[tuple[Samples, EncodedWindow]], language: str
) -> list[list[Piece]]:
    """Return the text of each window, in order.

    Args:
        engine: that encoded the windows.
        windows: samples, and what the encoder made of them.
        language: ISO 639-1 code.
    """
    texts = engine.recognise([encoded for _, encoded in windows], language)
    return [
        _completed(engine, samples, encoded, pieces, language)
        for (samples, encoded), pieces in zip(windows, texts, strict=True)
    ]


def longest_gap_ms(pieces: Sequence[Piece], duration_ms: int) -> int:
    """Return how long nothing new is heard at most; 0 where nothing is heard at all."""
    if not pieces:
        return 0
    after_ms = duration_ms - pieces[-1].end_ms
    return max(after_ms, *(piece.end_ms - piece.start_ms for piece in pieces))


def _completed(
    engine: Engine,
    samples: Samples,
    encoded: EncodedWindow,
    pieces: list[Piece],
    language: str,
) -> list[Piece]:
    gap_ms = longest_gap_ms(pieces, encoded.duration_ms)
    if gap_ms < LEAST_GAP_MS:
        return pieces
    again = _heard_in_passes(engine, samples, encoded, language)
    better = bool(again) and longest_gap_ms(again, encoded.duration_ms) < gap_ms
    return again if better else pieces


def _heard_in_passes(
    engine: Engine, samples: Samples, encoded: EncodedWindow, language: str
) -> list[Piece]:
    duration_ms = encoded.duration_ms
    heard: list[Piece] = []
    start_ms = 0
    while True:
        one = engine.recognise_with_times(encoded, language)
        until_ms = duration_ms if one.until_ms is None else start_ms + one.until_ms
        goes_on = until_ms - start_ms >= LEAST_REST_MS and duration_ms - until_ms >= LEAST_REST_MS
        limit_ms = until_ms if goes_on else duration_ms
        heard += [
            replace(
                piece,
                start_ms=min(start_ms + piece.start_ms, limit_ms),
                end_ms=min(start_ms + piece.end_ms, limit_ms),
            )
            for piece in one.pieces
        ]
        if not goes_on or not one.pieces:
            return heard
        start_ms = until_ms
        encoded = engine.encode(samples[start_ms * SAMPLES_PER_MS :])
