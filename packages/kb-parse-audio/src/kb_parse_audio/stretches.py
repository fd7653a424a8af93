"""Reads sound and finds the stretches of speech in it.

A stretch is a run of regions with no more than a short pause between them, so one person's sentence
or two: what is spoken in one language. Sound is kept only as long as somebody may ask for it, so
memory does not grow with the recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kb_core.ports.transcriber import SAMPLE_RATE_HZ, SAMPLES_PER_MS
from kb_parse_audio.downmix import Mono
from kb_parse_audio.listened import ListenedBlock
from kb_parse_audio.loudness import LOUDNESS_RULES
from kb_parse_audio.quietest import quietest_cut
from kb_parse_audio.regions import REGION_RULES, Region, RegionTracker, speech_ms
from kb_parse_audio.sound_buffer import SoundBuffer
from kb_parse_audio.speech_track import SpeechTrack

MAX_REGION_SAMPLES = 28 * SAMPLE_RATE_HZ
CUT_FROM_SAMPLES = 22 * SAMPLE_RATE_HZ
MAX_PAUSE_MS = 400
ENOUGH_SAMPLES = 20 * SAMPLE_RATE_HZ

STRETCH_RULES = (
    f"{LOUDNESS_RULES}/{REGION_RULES}/max={MAX_REGION_SAMPLES}/from={CUT_FROM_SAMPLES}"
    f"/pause={MAX_PAUSE_MS}/enough={ENOUGH_SAMPLES}"
)
"""Names the rules and their numbers; part of every recognition version."""

_KEPT_SAMPLES = SAMPLE_RATE_HZ
_MAX_PAUSE_SAMPLES = MAX_PAUSE_MS * SAMPLES_PER_MS


@dataclass(frozen=True, slots=True)
class Stretch:
    """Regions in order, close to each other."""

    regions: tuple[Region, ...]

    @property
    def start(self) -> int:
        """First sample of speech."""
        return self.regions[0].start

    @property
    def end(self) -> int:
        """One past the last sample of speech."""
        return self.regions[-1].end

    @property
    def speech_ms(self) -> int:
        """How long somebody speaks in it."""
        return speech_ms(self.regions)


class SpeechReader:
    """Reads blocks of sound once and yields the stretches in it.

    Attributes:
        track: probability of speech over all that was read.
        keep_from: first sample that is still asked for, None when that is none. What comes a
            second or more before it, and before what is not done yet, is forgotten; so is what lies
            a second or more after the last stretch: a pause may take hours.
    """

    def __init__(self, blocks: Iterable[ListenedBlock], frame_samples: int) -> None:
        """Take blocks that are contiguous from sample 0, and the length of their frames."""
        self._blocks = blocks
        self._tracker = RegionTracker(frame_samples)
        self._stretch: list[Region] = []
        self._sound = SoundBuffer()
        self._last_end = 0
        self.track = SpeechTrack(frame_samples)
        self.keep_from: int | None = None

    def __iter__(self) -> Iterator[Stretch]:
        """Yield stretches as they end."""
        for block in self._blocks:
            self._sound.append(block.sound)
            self.track.sample_count = self._sound.end
            self.track.add(block.probabilities)
            for region in self._regions(block.probabilities):
                yield from self._joined(region)
            yield from self._ended()
            self._forget()
        for region in self._tracker.finish(self.end):
            yield from self._joined(region)
        if self._stretch:
            yield self._closed()

    @property
    def end(self) -> int:
        """How many samples were read."""
        return self._sound.end

    def sound(self, start: int, end: int) -> Mono:
        """Return the samples of a range that was not forgotten."""
        return self._sound.read(start, end)

    def _forget(self) -> None:
        needed = [self._tracker.position, *(region.start for region in self._stretch[:1])]
        if self._tracker.open_since is not None:
            needed.append(self._tracker.open_since)
        needed_from = min(needed) - _KEPT_SAMPLES
        if self.keep_from is None:
            self._sound.forget(0, needed_from)
        else:
            self._sound.forget(0, min(self.keep_from - _KEPT_SAMPLES, needed_from))
            self._sound.forget(self._last_end + _KEPT_SAMPLES, needed_from)

    def _regions(self, probabilities: Sequence[float]) -> Iterator[Region]:
        yield from self._tracker.hear(probabilities)
        open_since = self._tracker.open_since
        if open_since is not None and self._tracker.position - open_since > MAX_REGION_SAMPLES:
            sound = self.sound(open_since, open_since + MAX_REGION_SAMPLES)
            yield self._tracker.cut(open_since, open_since + quietest_cut(sound, CUT_FROM_SAMPLES))

    def _joined(self, region: Region) -> Iterator[Stretch]:
        if self._stretch and region.start - self._stretch[-1].end > _MAX_PAUSE_SAMPLES:
            yield self._closed()
        self._stretch.append(region)
        if region.end - self._stretch[0].start >= ENOUGH_SAMPLES:
            yield self._closed()

    def _ended(self) -> Iterator[Stretch]:
        """Yield the stretch that no region can join any more."""
        since = self._tracker.open_since
        next_start = self._tracker.position if since is None else since
        if self._stretch and next_start - self._stretch[-1].end > _MAX_PAUSE_SAMPLES:
            yield self._closed()

    def _closed(self) -> Stretch:
        stretch = Stretch(tuple(self._stretch))
        self._stretch = []
        self._last_end = stretch.end
        return stretch
