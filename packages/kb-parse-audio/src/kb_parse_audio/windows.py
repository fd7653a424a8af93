"""Cutting a recording into the windows that a recogniser gets.

A recogniser of the Whisper kind takes 30 s for a window of any length, so windows are as long as
they may be; a cut through a word costs that word, so each is made at the quietest place of the last
5 s: where a box of 200 ms around the cut has the least energy, the latest of equals. Cuts are at
multiples of 10 ms, and at least a second is left for the last window wherever it is cut off.

Energies are sums of integers: the same sound is cut at the same places on every machine, and
however it arrives in blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from kb_core.ports.transcriber import SAMPLE_RATE_HZ, AudioWindow
from kb_parse_audio.downmix import Mono

MAX_WINDOW_SAMPLES = 30 * SAMPLE_RATE_HZ
SEARCH_FROM_SAMPLES = 25 * SAMPLE_RATE_HZ
STEP_SAMPLES = SAMPLE_RATE_HZ // 100
BOX_STEPS = 20
MIN_REST_SAMPLES = SAMPLE_RATE_HZ

WINDOWING_VERSION = (
    f"quietest-cut-v2/max={MAX_WINDOW_SAMPLES}/from={SEARCH_FROM_SAMPLES}"
    f"/step={STEP_SAMPLES}/box={BOX_STEPS}/rest={MIN_REST_SAMPLES}"
)
"""Names the rule and its numbers; part of every transcript version."""

_LOOKAHEAD_SAMPLES = MAX_WINDOW_SAMPLES + MIN_REST_SAMPLES
_FULL_SCALE = 32768.0


class WindowPlan:
    """Windows over the sound of `blocks`, from first to last sample without a gap.

    Each window begins where the one before it ends, unless `go_on_from` was called meanwhile: a
    recogniser may stop before the end of a window, and what it did not hear is in the next one.
    """

    def __init__(self, blocks: Iterable[tuple[int, Mono]]) -> None:
        """Take (position of the first sample, samples), contiguous from 0."""
        self._blocks = iter(blocks)
        self._start = 0
        self._sound: Mono = np.zeros(0, np.float32)
        self._heard_samples = 0

    def __iter__(self) -> Iterator[AudioWindow]:
        """Yield the windows."""
        while True:
            self._fill()
            if not len(self._sound):
                return
            long = len(self._sound) > MAX_WINDOW_SAMPLES
            cut = quietest_cut(self._sound) if long else len(self._sound)
            self._heard_samples = cut
            yield _window(self._start, self._sound[:cut])
            self._start += self._heard_samples
            self._sound = self._sound[self._heard_samples :]

    def go_on_from(self, sample: int) -> None:
        """Begin the next window at `sample`, which lies inside the present one."""
        self._heard_samples = sample - self._start

    def _fill(self) -> None:
        held, held_samples = [self._sound], len(self._sound)
        while held_samples < _LOOKAHEAD_SAMPLES:
            block = next(self._blocks, None)
            if block is None:
                break
            held.append(block[1])
            held_samples += len(block[1])
        self._sound = np.concatenate(held)


def quietest_cut(sound: Mono) -> int:
    """Return where to cut the first window off `sound`, which is longer than one window."""
    zone_start = SEARCH_FROM_SAMPLES // STEP_SAMPLES
    zone_end = min(MAX_WINDOW_SAMPLES, len(sound) - MIN_REST_SAMPLES) // STEP_SAMPLES
    first_step = zone_start - BOX_STEPS // 2
    last_step = zone_end + BOX_STEPS // 2
    zone = sound[first_step * STEP_SAMPLES : last_step * STEP_SAMPLES]
    quantised = np.rint(zone * np.float32(_FULL_SCALE)).astype(np.int64)
    step_energies = (quantised * quantised).reshape(-1, STEP_SAMPLES).sum(axis=1)
    sums = np.concatenate(([0], np.cumsum(step_energies)))
    box_energies = sums[BOX_STEPS:] - sums[:-BOX_STEPS]
    latest = len(box_energies) - 1 - int(np.argmin(box_energies[::-1]))
    return (zone_start + latest) * STEP_SAMPLES


def is_silent(window: AudioWindow) -> bool:
    """Return whether every sample is digital zero."""
    return not np.asarray(window.pcm).any()


def _window(start: int, sound: Mono) -> AudioWindow:
    return AudioWindow(start_sample=start, pcm=sound.copy().data)
