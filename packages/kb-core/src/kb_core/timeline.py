"""Timeline rules: what is stored obeys 0 ≤ start ≤ end ≤ duration, and starts never decrease.

Recognisers and subtitle files say impossible things: a segment that ends before it starts, one past
the end of the file, one far out of order. Text is never dropped for that. The largest set of
segments whose starts are legal and in order is trusted; every other start moves to the nearest
place between its trusted neighbours; ends move into [start, duration]. What was moved is flagged.

Trusting the largest ordered set, rather than clamping to the previous start, keeps one absurd
value from pushing everything after it to the end of the recording.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from kb_core.transcript import TranscriptSegment, Word


class TimedText:
    """A segment as a recogniser or a file gave it: times in milliseconds, perhaps impossible."""

    __slots__ = ("end_ms", "segment", "start_ms")

    def __init__(self, start_ms: int, end_ms: int, segment: TranscriptSegment) -> None:
        self.start_ms = start_ms
        self.end_ms = end_ms
        self.segment = segment

    @classmethod
    def of(cls, start_ms: int, end_ms: int, text: str, **fields: object) -> TimedText:
        """Build from raw times and the other fields of a segment."""
        segment = TranscriptSegment.model_validate(
            {"start_ms": 0, "end_ms": 0, "text": text, **fields}
        )
        return cls(start_ms, end_ms, segment)


def repair_timeline(
    raw_segments: Sequence[TimedText], duration_ms: int
) -> tuple[TranscriptSegment, ...]:
    """Return the segments in the given order with legal times; moved ones are flagged.

    Args:
        raw_segments: in the order of their text.
        duration_ms: length of the recording; no time lies beyond it.
    """
    starts = _legal_starts([raw.start_ms for raw in raw_segments], duration_ms)
    return tuple(
        _placed(raw, start_ms, duration_ms)
        for raw, start_ms in zip(raw_segments, starts, strict=True)
    )


def fit_words(words: Iterable[Word], start_ms: int, end_ms: int) -> tuple[Word, ...]:
    """Return the words with times inside [start_ms, end_ms] and starts that never decrease."""
    fitted = []
    earliest_ms = start_ms
    for word in words:
        word_start_ms = min(max(word.start_ms, earliest_ms), end_ms)
        word_end_ms = min(max(word.end_ms, word_start_ms), end_ms)
        if (word_start_ms, word_end_ms) != (word.start_ms, word.end_ms):
            word = word.model_copy(update={"start_ms": word_start_ms, "end_ms": word_end_ms})
        fitted.append(word)
        earliest_ms = word_start_ms
    return tuple(fitted)


def _placed(raw: TimedText, start_ms: int, duration_ms: int) -> TranscriptSegment:
    end_ms = min(max(raw.end_ms, start_ms), duration_ms)
    segment = raw.segment.model_copy(
        update={
            "start_ms": start_ms,
            "end_ms": end_ms,
            "words": fit_words(raw.segment.words, start_ms, end_ms),
        }
    )
    if (start_ms, end_ms) == (raw.start_ms, raw.end_ms):
        return segment
    return segment.flagged("time_repaired", f"was {raw.start_ms}-{raw.end_ms} ms")


def _legal_starts(starts_ms: Sequence[int], duration_ms: int) -> list[int]:
    trusted = _longest_ordered(starts_ms, duration_ms)
    ceilings = []
    ceiling = duration_ms
    for place in range(len(starts_ms) - 1, -1, -1):
        if place in trusted:
            ceiling = starts_ms[place]
        ceilings.append(ceiling)
    ceilings.reverse()
    legal = []
    floor = 0
    for place, start_ms in enumerate(starts_ms):
        floor = min(max(start_ms, floor), ceilings[place])
        legal.append(floor)
    return legal


def _longest_ordered(starts_ms: Sequence[int], duration_ms: int) -> set[int]:
    """Return the places of the longest non-decreasing subsequence of legal starts (patience)."""
    tail_values: list[int] = []
    tail_places: list[int] = []
    before: dict[int, int | None] = {}
    for place, start_ms in enumerate(starts_ms):
        if not 0 <= start_ms <= duration_ms:
            continue
        pile = bisect_right(tail_values, start_ms)
        before[place] = tail_places[pile - 1] if pile else None
        tail_values[pile : pile + 1] = [start_ms]
        tail_places[pile : pile + 1] = [place]
    trusted: set[int] = set()
    place_or_end = tail_places[-1] if tail_places else None
    while place_or_end is not None:
        trusted.add(place_or_end)
        place_or_end = before[place_or_end]
    return trusted
