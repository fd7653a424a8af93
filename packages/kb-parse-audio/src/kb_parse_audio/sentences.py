"""Sentences begin after pauses: words that slid over one are put back.

Where somebody pauses, recognisers often let the first words of the next sentence begin right where
the last one ended, or the last words of a sentence wait for the next: by seconds, if the pause is
long. Speech tells where the pause is and punctuation which words belong together. So if a pause
falls between two words without any punctuation, and a sentence or a clause begins a few words
before or after, then that is where the pause was. Two pauses are never at one place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kb_core import TranscriptSegment, Word
from kb_core.ports.transcriber import SAMPLES_PER_MS, RecognisedWindow
from kb_parse_audio.regions import Region
from kb_parse_audio.window_clock import WindowClock

MIN_PAUSE_MS = 300
MAX_WORDS = 4
MAX_SENTENCE_SHIFT_MS = 2000
MAX_CLAUSE_SHIFT_MS = 1200

SENTENCE_RULES = (
    f"pauses-v1/pause={MIN_PAUSE_MS}/words={MAX_WORDS}/sentence={MAX_SENTENCE_SHIFT_MS}"
    f"/clause={MAX_CLAUSE_SHIFT_MS}"
)
"""Names the rules and their numbers; part of every transcript version."""

_SENTENCE_ENDS = tuple(".!?…。！？")
_CLAUSE_ENDS = (*_SENTENCE_ENDS, *",;:、，；：")


def settle_sentences(
    heard: RecognisedWindow, clock: WindowClock, regions: Sequence[Region]
) -> RecognisedWindow:
    """Return what was heard with words beside pauses on the right side of them.

    Args:
        heard: times relative to the window.
        clock: of the window.
        regions: the speech in it, on the player's clock, in order.
    """
    words = [word for segment in heard.segments for word in segment.words]
    if not words:
        return heard
    opening = _first_of_segments(heard.segments)
    last_cut = 0
    for pause in _pauses(clock, regions):
        falls_at = _first_after(words, sum(pause) // 2)
        cut = _best_cut(words, opening, range(last_cut + 1, len(words)), falls_at, pause)
        if cut != falls_at:
            words[cut:] = [_not_before(word, pause[1]) for word in words[cut:]]
            words[:cut] = [_not_after(word, pause[0]) for word in words[:cut]]
        last_cut = max(last_cut, cut)
    return heard.model_copy(update={"segments": tuple(_with_words(heard.segments, words))})


def _pauses(clock: WindowClock, regions: Sequence[Region]) -> Iterator[tuple[int, int]]:
    """Yield end of speech and start of the next, in milliseconds of the window."""
    for before, after in pairwise(regions):
        if after.start_ms - before.end_ms >= MIN_PAUSE_MS:
            end, start = clock.offsets(before)[1], clock.offsets(after)[0]
            yield end // SAMPLES_PER_MS, start // SAMPLES_PER_MS


def _first_of_segments(segments: Sequence[TranscriptSegment]) -> set[int]:
    opening, count = set(), 0
    for segment in segments:
        opening.add(count)
        count += len(segment.words)
    return opening


def _first_after(words: Sequence[Word], middle_ms: int) -> int:
    """Return the number of the first word that lies after a time for the most part."""
    for place, word in enumerate(words):
        if word.start_ms + word.end_ms > 2 * middle_ms:
            return place
    return len(words)


def _best_cut(
    words: Sequence[Word],
    opening: set[int],
    free: range,
    falls_at: int,
    pause: tuple[int, int],
) -> int:
    """Return the number of the word that follows the pause.

    Args:
        words: of the window.
        opening: numbers of those that begin a segment.
        free: numbers that come into question.
        falls_at: where the pause is by the times of the words.
        pause: its start and end in the window.
    """
    if falls_at not in free or falls_at in opening:
        return falls_at
    if words[falls_at - 1].text.endswith(_CLAUSE_ENDS):
        return falls_at
    allowed = []
    for place in range(falls_at - MAX_WORDS, falls_at + MAX_WORDS + 1):
        if place not in free:
            continue
        shift_ms = _shift_ms(words, place, falls_at, pause)
        text = words[place - 1].text
        ends_sentence = place in opening or text.endswith(_SENTENCE_ENDS)
        most_ms = MAX_SENTENCE_SHIFT_MS if ends_sentence else MAX_CLAUSE_SHIFT_MS
        if (ends_sentence or text.endswith(_CLAUSE_ENDS)) and shift_ms <= most_ms:
            allowed.append((shift_ms, place))
    return min(allowed, default=(0, falls_at))[1]


def _shift_ms(words: Sequence[Word], place: int, falls_at: int, pause: tuple[int, int]) -> int:
    """Return how far the farthest word has to go if the pause was before `place`."""
    if place < falls_at:
        return pause[1] - words[place].start_ms
    return words[place - 1].end_ms - pause[0]


def _not_before(word: Word, start_ms: int) -> Word:
    times = {"start_ms": max(word.start_ms, start_ms), "end_ms": max(word.end_ms, start_ms)}
    return word.model_copy(update=times)


def _not_after(word: Word, end_ms: int) -> Word:
    times = {"start_ms": min(word.start_ms, end_ms), "end_ms": min(word.end_ms, end_ms)}
    return word.model_copy(update=times)


def _with_words(
    segments: Sequence[TranscriptSegment], words: Sequence[Word]
) -> Iterator[TranscriptSegment]:
    first = 0
    for segment in segments:
        last = first + len(segment.words)
        yield segment.model_copy(update={"words": tuple(words[first:last])})
        first = last
