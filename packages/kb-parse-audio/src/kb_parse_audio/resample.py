"""Resampling of one uninterrupted run of frames to 16 kHz.

A run is a stretch of frames without a gap and of one format; every run has a resampler of its own,
so that nothing of one file or stretch leaks into the next, and each is drained at its end, because
the filter holds back the last few milliseconds. Frames go through a FIFO in batches of half a
second: per-frame calls would cost more than the resampling itself. Output is interleaved, because
PyAV reads planar frames of eight or more channels outside their memory.
"""

from __future__ import annotations

from collections.abc import Iterator

import av
import numpy as np

from kb_core.ports.transcriber import SAMPLE_RATE_HZ
from kb_parse_audio.downmix import Interleaved

_OUTPUT_FORMAT = "flt"


class RunResampler:
    """Turns the frames of one run into sound of shape (samples, channels) at 16 kHz."""

    def __init__(self, frame: av.AudioFrame) -> None:
        self._spec = _spec(frame)
        self._channel_count = frame.layout.nb_channels
        self._batch_samples = max(frame.sample_rate // 2, 1)
        self._fifo = av.AudioFifo()
        self._resampler = av.AudioResampler(_OUTPUT_FORMAT, frame.layout, SAMPLE_RATE_HZ)

    def fits(self, frame: av.AudioFrame) -> bool:
        """Return whether `frame` is of the format that the run began with."""
        return _spec(frame) == self._spec

    def write(self, frame: av.AudioFrame, skip: int) -> Iterator[Interleaved]:
        """Add a frame without its first `skip` samples."""
        frame.pts = None
        if skip:
            yield from self._flush_fifo()
        self._fifo.write(frame)
        if skip:
            self._fifo.read(skip)
        if self._fifo.samples >= self._batch_samples:
            yield from self._flush_fifo()

    def drain(self) -> Iterator[Interleaved]:
        """Give back all that is still held; the run is over."""
        yield from self._flush_fifo()
        yield from self._arrays(self._resampler.resample(None))

    def _flush_fifo(self) -> Iterator[Interleaved]:
        if self._fifo.samples:
            batch = self._fifo.read()
            if batch is not None:
                yield from self._arrays(self._resampler.resample(batch))

    def _arrays(self, frames: list[av.AudioFrame]) -> Iterator[Interleaved]:
        for frame in frames:
            samples = np.asarray(frame.to_ndarray(), dtype=np.float32)
            yield samples.reshape(-1, self._channel_count)


def _spec(frame: av.AudioFrame) -> tuple[str, str, int]:
    return frame.format.name, frame.layout.name, frame.sample_rate
