"""From stretches of speech to the windows that a recogniser gets.

A recogniser of the Whisper kind takes as long for a second as for 30, so windows are filled: as
many regions of one language as go into 30 s. A window begins and ends in the silence before and
after its speech; silence inside is kept as it is up to a second, and what is longer is shortened to
that, in its middle. The cut between two windows is made at the longest silence among those that
leave the window at least 20 s long, the latest of equals: that is where a sentence ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kb_core.ports.transcriber import SAMPLE_RATE_HZ, SAMPLES_PER_MS, AudioWindow
from kb_parse_audio.regions import Region, beyond
from kb_parse_audio.stretches import STRETCH_RULES, SpeechReader, Stretch
from kb_parse_audio.window_clock import WindowClock

MAX_WINDOW_SAMPLES = 30 * SAMPLE_RATE_HZ
CUT_FROM_SAMPLES = 20 * SAMPLE_RATE_HZ
PADDING_SAMPLES = 240 * SAMPLES_PER_MS
MAX_SILENCE_SAMPLES = SAMPLE_RATE_HZ
MAX_UNDECIDED_SAMPLES = 60 * SAMPLE_RATE_HZ

WINDOWING_VERSION = (
    f"speech-regions-v1/{STRETCH_RULES}/window={MAX_WINDOW_SAMPLES}/cut={CUT_FROM_SAMPLES}"
    f"/padding={PADDING_SAMPLES}/inner={MAX_SILENCE_SAMPLES}"
    f"/undecided={MAX_UNDECIDED_SAMPLES}"
)
"""Names the rules and their numbers; part of every recognition version."""


@dataclass(frozen=True, slots=True)
class SpeechWindow:
    """What a recogniser gets, and how its times are read.

    Attributes:
        audio: the sound.
        clock: where it comes from.
        regions: the speech in it, on the player's clock.
        language: ISO 639-1 code.
    """

    audio: AudioWindow
    clock: WindowClock
    regions: tuple[Region, ...]
    language: str

    @property
    def samples(self) -> tuple[int, int]:
        """Half-open range on the player's clock from its first to its last sample."""
        return self.clock.pieces[0].start, self.clock.pieces[-1].end

    def only(self, regions: Sequence[Region]) -> SpeechWindow:
        """Return a window of some of its speech, cut out of its sound with silence around it."""
        pieces = self.clock.around(regions, PADDING_SAMPLES)
        sound = np.asarray(self.audio.pcm)
        parts = [sound[slice(*self.clock.offsets(piece))] for piece in pieces]
        audio = AudioWindow(start_sample=pieces[0].start, pcm=np.concatenate(parts).data)
        return SpeechWindow(audio, WindowClock(pieces), tuple(regions), self.language)


class LanguageEar(Protocol):
    """Tells the language of stretches, one after the other."""

    def language_of(self, stretch: Stretch, reader: SpeechReader) -> str | None:
        """Return an ISO 639-1 code, or None while there was too little speech to tell."""
        ...

    def guess(self, stretches: Sequence[Stretch], reader: SpeechReader) -> str:
        """Return the language of stretches that nothing more is waited for."""
        ...


class WindowPlan:
    """The windows of a recording.

    A recogniser may stop before the end of a window; what it did not hear is in the next one once
    `go_on_from` was called, so windows depend on what was heard and on nothing else.
    """

    def __init__(self, reader: SpeechReader, ear: LanguageEar) -> None:
        self._reader = reader
        self._ear = ear
        self._ready: list[tuple[Region, str]] = []
        self._undecided: list[Stretch] = []
        self._before = 0
        self._all_read = False

    def __iter__(self) -> Iterator[SpeechWindow]:
        """Yield the windows."""
        stretches = iter(self._reader)
        while True:
            while not self._all_read and not self._has_enough():
                self._read_on(stretches)
            if not self._ready:
                return
            yield self._take()

    def go_on_from(self, window: SpeechWindow, window_ms: int) -> None:
        """Put what follows a time of the latest window into the next ones."""
        sample = window.clock.to_sample(window_ms)
        unheard = beyond(window.regions, sample)
        self._ready[:0] = [(region, window.language) for region in unheard]
        self._before = sample

    def _read_on(self, stretches: Iterator[Stretch]) -> None:
        self._reader.keep_from = self._first_needed()
        stretch = next(stretches, None)
        if stretch is None:
            self._all_read = True
            if self._undecided:
                self._decide(self._ear.guess(self._undecided, self._reader))
            return
        language = self._ear.language_of(stretch, self._reader)
        self._undecided.append(stretch)
        if language is None and self._waits_too_long():
            language = self._ear.guess(self._undecided, self._reader)
        if language is not None:
            self._decide(language)

    def _decide(self, language: str) -> None:
        for stretch in self._undecided:
            self._ready.extend((region, language) for region in stretch.regions)
        self._undecided = []

    def _waits_too_long(self) -> bool:
        """Return whether speech without a language takes too much room; each pause takes 2 s."""
        pause = 2 * SAMPLE_RATE_HZ
        waiting = sum(each.end - each.start + pause for each in self._undecided)
        return waiting > MAX_UNDECIDED_SAMPLES

    def _has_enough(self) -> bool:
        """Return whether more reading could not change the next window."""
        alike = self._alike()
        return len(alike) < len(self._ready) or self._fitting(alike) < len(alike)

    def _alike(self) -> list[Region]:
        """Return the regions at the front that are in one language."""
        alike = []
        for region, language in self._ready:
            if language != self._ready[0][1]:
                break
            alike.append(region)
        return alike

    def _fitting(self, regions: Sequence[Region]) -> int:
        """Return how many regions at the front go into one window."""
        count = 1
        while count < len(regions) and self._length(regions[: count + 1]) <= MAX_WINDOW_SAMPLES:
            count += 1
        return count

    def _length(self, regions: Sequence[Region]) -> int:
        return 2 * PADDING_SAMPLES + sum(piece.samples for piece in _pieces(regions))

    def _take(self) -> SpeechWindow:
        alike = self._alike()
        language = self._ready[0][1]
        count = self._fitting(alike)
        if count < len(alike):
            count = self._best_count(alike, count)
        regions = tuple(alike[:count])
        self._ready = self._ready[count:]
        after = self._ready[0][0].start if self._ready else self._reader.end
        pieces = _padded(_pieces(regions), self._before, after)
        self._before = regions[-1].end
        sound = np.concatenate([self._reader.sound(each.start, each.end) for each in pieces])
        audio = AudioWindow(start_sample=pieces[0].start, pcm=sound.data)
        return SpeechWindow(audio, WindowClock(pieces), regions, language)

    def _best_count(self, regions: Sequence[Region], most: int) -> int:
        """Return how many of the first `most` regions to take, so that the cut is in a pause."""
        best, longest = most, regions[most].start - regions[most - 1].end
        for count in range(most - 1, 0, -1):
            if self._length(regions[:count]) < CUT_FROM_SAMPLES:
                break
            silence = regions[count].start - regions[count - 1].end
            if silence > longest:
                best, longest = count, silence
        return best

    def _first_needed(self) -> int | None:
        if self._ready:
            return self._ready[0][0].start
        if self._undecided:
            return self._undecided[0].start
        return None


def _pieces(regions: Sequence[Region]) -> list[Region]:
    """Return what of the recording is kept from the first to the last region."""
    pieces = [regions[0]]
    for region in regions[1:]:
        silence = region.start - pieces[-1].end
        if silence <= MAX_SILENCE_SAMPLES:
            pieces[-1] = Region(pieces[-1].start, region.end)
        else:
            half = MAX_SILENCE_SAMPLES // 2
            pieces[-1] = Region(pieces[-1].start, pieces[-1].end + half)
            pieces.append(Region(region.start - half, region.end))
    return pieces


def _padded(pieces: Sequence[Region], before: int, after: int) -> list[Region]:
    """Return the pieces with silence before the first and after the last.

    Args:
        pieces: without it.
        before: end of the speech before.
        after: start of the speech after them, or end of the recording.
    """
    first, last = pieces[0], pieces[-1]
    start = first.start - _padding(first.start - before)
    end = last.end + _padding(after - last.end)
    if len(pieces) == 1:
        return [Region(start, end)]
    return [Region(start, first.end), *pieces[1:-1], Region(last.start, end)]


def _padding(silence: int) -> int:
    half = silence // 2 // SAMPLES_PER_MS * SAMPLES_PER_MS
    return max(0, min(PADDING_SAMPLES, half))
