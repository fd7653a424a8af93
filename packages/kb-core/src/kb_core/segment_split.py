"""Dividing a segment at its words, without losing a character."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from kb_core.transcript import TranscriptSegment, Word
from kb_core.wording import mean_confidence


def split_at_words(
    segment: TranscriptSegment, places: Iterable[int]
) -> tuple[TranscriptSegment, ...]:
    """Return the segment in parts that begin at the given words.

    Each part has the text from its first word to the next part's, without spaces around it; the
    first one keeps the start of the segment and the last one its end. Speaker, language and flags
    are those of the whole, the confidence is that of the part's words.

    Args:
        segment: its words in a row are its text but for what stands between them; where a word is
            not found in the text, nothing is divided before it.
        places: numbers of words; 0 and numbers beyond the last word divide nothing.
    """
    char_starts = _char_starts(segment)
    cuts = sorted(
        {place for place in places if 0 < place < len(segment.words) and char_starts[place]}
    )
    if not cuts:
        return (segment,)
    bounds = [0, *cuts, len(segment.words)]
    return tuple(_part(segment, char_starts, first, last) for first, last in pairwise(bounds))


def _char_starts(segment: TranscriptSegment) -> list[int | None]:
    """Return where in the text each word begins; None for one that is not found."""
    starts: list[int | None] = []
    position = 0
    for word in segment.words:
        found = segment.text.find(word.text, position) if word.text else -1
        if found < 0:
            starts.append(None)
            continue
        starts.append(found)
        position = found + len(word.text)
    return starts


def _part(
    segment: TranscriptSegment, char_starts: Sequence[int | None], first: int, last: int
) -> TranscriptSegment:
    words = segment.words[first:last]
    is_last = last == len(segment.words)
    char_end = len(segment.text) if is_last else char_starts[last]
    start_ms = segment.start_ms if first == 0 else words[0].start_ms
    end_ms = segment.end_ms if is_last else _latest_end_ms(words)
    confidence = mean_confidence(word.confidence for word in words)
    return segment.model_copy(
        update={
            "start_ms": start_ms,
            "end_ms": max(start_ms, end_ms),
            "text": segment.text[(char_starts[first] or 0) if first else 0 : char_end].strip(),
            "words": words,
            "confidence": segment.confidence if confidence is None else confidence,
        }
    )


def _latest_end_ms(words: Sequence[Word]) -> int:
    return max(word.end_ms for word in words)
