"""Lets a diarizer hear what is decoded for the recogniser, in the same pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from kb_core.ports.diarizer import DiarizerStream, SoundBlock
from kb_parse_audio.downmix import Interleaved, Mono, downmix


def overheard(
    blocks: Iterable[tuple[int, Interleaved]], stream: DiarizerStream
) -> Iterator[tuple[int, Mono]]:
    """Yield the blocks mixed to mono, each after the diarizer heard it.

    Args:
        blocks: (position of the first sample, sound of shape (samples, channels)), contiguous from
            0: `Recording.channel_blocks()`.
        stream: hears all of it once the last block was taken.
    """
    for position, channels in blocks:
        mono = downmix(channels)
        stream.hear(sound_block(position, mono, channels))
        yield position, mono


def sound_block(position: int, mono: Mono, channels: Interleaved) -> SoundBlock:
    """Return a block as diarizers get it; broken samples are silence, as they are in `downmix`."""
    if channels.shape[1] == 1:
        return SoundBlock(position, mono.data, (mono.data,))
    apart = np.clip(np.nan_to_num(channels.T, nan=0.0), -1.0, 1.0)
    apart = np.ascontiguousarray(apart, dtype=np.float32)
    return SoundBlock(position, mono.data, tuple(channel.data for channel in apart))
