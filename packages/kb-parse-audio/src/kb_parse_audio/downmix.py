"""From channels to one: sound at given positions becomes contiguous mono blocks.

Rule: the mean of the channels, decided anew for every second of the player's clock. Where the
channels cancel each other, the loudest one is used instead (the first of equals): a microphone
wired with reversed polarity gives right = -left, whose mean is silence. Channels cancel where the
energy of their sum is below a quarter of the sum of their energies. Independent channels give 1,
equal ones give their number, opposite ones 0, so one silent channel beside a speaking one, or a
quiet centre among six, keeps the mean.

Seconds of the clock rather than packets, and integer energies rather than floats: the result must
not depend on how the container was cut into packets, or on the order in which a processor adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kb_core.ports.transcriber import SAMPLE_RATE_HZ

Mono: TypeAlias = npt.NDArray[np.float32]
Interleaved: TypeAlias = npt.NDArray[np.float32]

BLOCK_SAMPLES = SAMPLE_RATE_HZ
CANCELLING_ENERGY_RATIO = 4
FULL_SCALE = 32768.0


def quantised(sound: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Return samples in steps of 16 bits, so that sums of energies are sums of integers."""
    samples: npt.NDArray[np.int64] = np.rint(sound * np.float32(FULL_SCALE)).astype(np.int64)
    return samples


def downmix(channels: Interleaved) -> Mono:
    """Return one channel from sound of shape (samples, channels), in -1..1."""
    mono = channels[:, 0] if channels.shape[1] == 1 else _mixed(channels)
    return np.ascontiguousarray(np.clip(np.nan_to_num(mono, nan=0.0), -1.0, 1.0), dtype=np.float32)


def _mixed(channels: Interleaved) -> Mono:
    samples = quantised(np.clip(np.nan_to_num(channels, nan=0.0), -1.0, 1.0))
    energies = (samples * samples).sum(axis=0)
    total = samples.sum(axis=1)
    if int((total * total).sum()) * CANCELLING_ENERGY_RATIO < int(energies.sum()):
        return channels[:, int(np.argmax(energies))]
    mixed = channels[:, 0].copy()
    for place in range(1, channels.shape[1]):
        mixed += channels[:, place]
    mixed /= np.float32(channels.shape[1])
    return mixed


class BlockCollector:
    """Collects sound by position and gives it back in blocks of at most one second.

    The channels of a block are those of the file at that place; silence that follows no sound of
    the same block has one.

    Args:
        origin: position of the first sample that is wanted, a multiple of one second; sound
            before it is left out.
    """

    def __init__(self, origin: int = 0) -> None:
        self._position = origin
        self._pending: list[Interleaved] = []
        self._pending_start = origin
        self._surplus = 0

    def begin(self, start: int) -> Iterator[tuple[int, Interleaved]]:
        """Go to `start`: silence up to it, or leave out what is already there."""
        self._surplus = max(self._position - start, 0)
        while self._position < start:
            channel_count = self._pending[0].shape[1] if self._pending else 1
            take = min(start, self._block_end()) - self._position
            yield from self._append(np.zeros((take, channel_count), np.float32))

    def write(self, channels: Interleaved) -> Iterator[tuple[int, Interleaved]]:
        """Add sound of shape (samples, channels) where the last one ended."""
        if self._surplus:
            left_out = min(self._surplus, len(channels))
            self._surplus -= left_out
            channels = channels[left_out:]
        while len(channels):
            take = self._block_end() - self._position
            yield from self._append(channels[:take])
            channels = channels[take:]

    def finish(self) -> Iterator[tuple[int, Interleaved]]:
        """Give back what is left."""
        if self._pending:
            yield self._pending_start, np.concatenate(self._pending)
            self._pending = []
        self._pending_start = self._position

    def _block_end(self) -> int:
        return (self._position // BLOCK_SAMPLES + 1) * BLOCK_SAMPLES

    def _append(self, channels: Interleaved) -> Iterator[tuple[int, Interleaved]]:
        if self._pending and self._pending[0].shape[1] != channels.shape[1]:
            yield from self.finish()
        self._pending.append(channels)
        self._position += len(channels)
        if self._position % BLOCK_SAMPLES == 0:
            yield from self.finish()
