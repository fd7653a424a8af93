"""From times in a window to times on the player's clock, held to where speech was found.

A recogniser places words by what it attends to, a detector of speech by what it hears; the second
knows better where speech begins after a silence and where it ends. So a word that begins in a
silence and lasts into speech begins where the speech does, one that runs into a silence ends where
the speech does (no word lasts over a silence), and one that lies wholly in a silence is moved to
the speech next to it when that is near; otherwise it stays, and `suspects` looks at it. A segment
begins and ends with its words, and is divided where a long silence lies between two of them: nobody
should hear a minute of nothing because a sentence went on after it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from kb_core import TimedText, TranscriptSegment, Word, split_at_words
from kb_core.ports.transcriber import RecognisedWindow
from kb_parse_audio.regions import Region
from kb_parse_audio.sentences import SENTENCE_RULES, settle_sentences
from kb_parse_audio.window_clock import WindowClock

NEAR_MS = 500
TOUCH_MS = 100
DIVIDING_SILENCE_MS = 1500

TIMING_RULES = (
    f"speech-edges-v1/near={NEAR_MS}/touch={TOUCH_MS}/dividing={DIVIDING_SILENCE_MS}"
    f"/{SENTENCE_RULES}"
)
"""Names the rules and their numbers; part of every transcript version."""


def place_window(
    heard: RecognisedWindow, clock: WindowClock, regions: Sequence[Region]
) -> list[TimedText]:
    """Return the segments of a window on the player's clock.

    Args:
        heard: times relative to the window.
        clock: of the window.
        regions: the speech in it, on the player's clock.
    """
    speech = Speech(regions)
    placed = []
    for segment in settle_sentences(heard, clock, regions).segments:
        for part in _placed(segment, clock, speech):
            placed.append(TimedText(part.start_ms, part.end_ms, part))
    return placed


class Speech:
    """Regions of speech in milliseconds, in order and apart from each other."""

    def __init__(self, regions: Sequence[Region]) -> None:
        self.starts_ms = [region.start_ms for region in regions]
        self.ends_ms = [region.end_ms for region in regions]

    def held(self, start_ms: int, end_ms: int) -> tuple[int, int]:
        """Return a range moved to where speech is."""
        if not self.starts_ms:
            return start_ms, end_ms
        first = bisect_right(self.ends_ms, start_ms)
        if first == len(self.starts_ms):
            return self._moved_back(start_ms, end_ms, first - 1)
        if self._only_touches(start_ms, end_ms, first):
            first += 1
        begin_ms = self.starts_ms[first]
        if end_ms <= begin_ms:
            return self._moved_to_nearest(start_ms, end_ms, first)
        start_ms = max(start_ms, begin_ms)
        return start_ms, max(start_ms, min(end_ms, self.ends_ms[first]))

    def spanned(self, start_ms: int, end_ms: int) -> tuple[int, int]:
        """Return a range that may last over silences, moved to where speech is."""
        begin_ms, held_until_ms = self.held(start_ms, end_ms)
        last = bisect_right(self.starts_ms, end_ms - 1) - 1
        if last < 0 or self.starts_ms[last] < held_until_ms:
            return begin_ms, held_until_ms
        return begin_ms, min(end_ms, self.ends_ms[last])

    def _only_touches(self, start_ms: int, end_ms: int, first: int) -> bool:
        """Return whether a range is more of the next region than of the one it begins in."""
        if first + 1 == len(self.starts_ms) or start_ms < self.starts_ms[first]:
            return False
        inside_ms = self.ends_ms[first] - start_ms
        return inside_ms <= TOUCH_MS and end_ms - self.starts_ms[first + 1] > inside_ms

    def _moved_to_nearest(self, start_ms: int, end_ms: int, after: int) -> tuple[int, int]:
        to_next_ms = self.starts_ms[after] - end_ms
        if after and start_ms - self.ends_ms[after - 1] < to_next_ms:
            return self._moved_back(start_ms, end_ms, after - 1)
        if to_next_ms > NEAR_MS:
            return start_ms, end_ms
        begin_ms = self.starts_ms[after]
        return begin_ms, min(begin_ms + end_ms - start_ms, self.ends_ms[after])

    def _moved_back(self, start_ms: int, end_ms: int, before: int) -> tuple[int, int]:
        last_ms = self.ends_ms[before]
        if start_ms - last_ms > NEAR_MS:
            return start_ms, end_ms
        return max(self.starts_ms[before], last_ms - (end_ms - start_ms)), last_ms


def _placed(
    segment: TranscriptSegment, clock: WindowClock, speech: Speech
) -> Iterator[TranscriptSegment]:
    start_ms, end_ms = _on_player_clock(segment, clock)
    if not segment.words:
        start_ms, end_ms = speech.spanned(start_ms, end_ms)
        yield segment.model_copy(update={"start_ms": start_ms, "end_ms": end_ms})
        return
    words: list[Word] = []
    for word in segment.words:
        word_start_ms, word_end_ms = speech.held(*_on_player_clock(word, clock))
        if words:
            word_start_ms = max(word_start_ms, words[-1].start_ms)
        word_end_ms = max(word_start_ms, word_end_ms)
        words.append(word.model_copy(update={"start_ms": word_start_ms, "end_ms": word_end_ms}))
    moved = segment.model_copy(
        update={
            "start_ms": words[0].start_ms,
            "end_ms": max(word.end_ms for word in words),
            "words": tuple(words),
        }
    )
    yield from split_at_words(moved, _silences(words))


def _on_player_clock(timed: TranscriptSegment | Word, clock: WindowClock) -> tuple[int, int]:
    """Return start and end; a range over a joint keeps to the piece with more of it."""
    first = clock.piece_at(timed.start_ms)
    last = clock.piece_at(timed.end_ms, is_end=True)
    start_ms = clock.to_player_ms(timed.start_ms)
    end_ms = clock.to_player_ms(timed.end_ms, is_end=True)
    if first < last and isinstance(timed, Word):
        in_first_ms = clock.pieces[first].end_ms - start_ms
        in_last_ms = end_ms - clock.pieces[last].start_ms
        if in_first_ms >= in_last_ms:
            end_ms = clock.pieces[first].end_ms
        else:
            start_ms = clock.pieces[last].start_ms
    return start_ms, max(start_ms, end_ms)


def _silences(words: Sequence[Word]) -> list[int]:
    """Return the numbers of the words that follow a long silence."""
    return [
        place
        for place in range(1, len(words))
        if words[place].start_ms - words[place - 1].end_ms >= DIVIDING_SILENCE_MS
    ]
