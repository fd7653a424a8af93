"""Speech that a recogniser passed over, so that it can be listened to once more.

Recognisers of the Whisper kind now and then leave out a sentence in the middle or at the end of a
window: one in another language, or a voice that takes over from another. The detector of speech
knows that somebody spoke there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb_core import TranscriptSegment
from kb_core.ports.transcriber import SAMPLES_PER_MS
from kb_parse_audio.regions import Region

MIN_MISSED_MS = 1200
MARGIN_MS = 200
LONGEST_WORD_MS = 1500

MISSED_RULES = f"missed={MIN_MISSED_MS}/margin={MARGIN_MS}/word={LONGEST_WORD_MS}"
"""Names the numbers; part of every transcript version."""


def missed_speech(
    regions: Sequence[Region], segments: Sequence[TranscriptSegment]
) -> Iterator[Region]:
    """Yield the parts of regions over which no word lies, when they are long enough.

    A word counts as no longer than any word is: over what is left out, the times of its neighbours
    are often stretched.

    Args:
        regions: speech of a window, in order.
        segments: heard in it, on the player's clock.
    """
    covered = sorted(_covered_ms(segments))
    for region in regions:
        position_ms = region.start_ms
        for start_ms, end_ms in covered:
            if end_ms > region.start_ms and start_ms < region.end_ms:
                yield from _long_enough(position_ms, start_ms)
                position_ms = max(position_ms, end_ms)
        yield from _long_enough(position_ms, region.end // SAMPLES_PER_MS)


def _covered_ms(segments: Sequence[TranscriptSegment]) -> Iterator[tuple[int, int]]:
    for segment in segments:
        if not segment.words:
            yield segment.start_ms, segment.end_ms
        for word in segment.words:
            end_ms = min(word.end_ms, word.start_ms + LONGEST_WORD_MS)
            yield word.start_ms - MARGIN_MS, end_ms + MARGIN_MS


def _long_enough(start_ms: int, end_ms: int) -> Iterator[Region]:
    if end_ms - start_ms >= MIN_MISSED_MS:
        yield Region(start_ms * SAMPLES_PER_MS, end_ms * SAMPLES_PER_MS)
