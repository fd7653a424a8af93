"""How much a detector of speech should amplify what it hears.

Detectors are trained on speech of ordinary loudness: of a recording at a hundredth of that they
miss words, and of the rest they are unsure. So each second is amplified by what the loudest of the
half minute before it and of the two seconds after it needs. Only detection hears that; recognisers
level sound themselves.

A second is as loud as the 95th percentile of its frames of 10 ms: a click is no speech.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np

from kb_parse_audio.downmix import FULL_SCALE, Mono, quantised

TARGET_RMS = 0.08
MAX_GAIN = 10.0
PAST_BLOCKS = 30
AHEAD_BLOCKS = 2
_FRAME_SAMPLES = 160
_PERCENTILE = 95

LOUDNESS_RULES = (
    f"target={TARGET_RMS}/gain={MAX_GAIN}/past={PAST_BLOCKS}/ahead={AHEAD_BLOCKS}"
    f"/percentile={_PERCENTILE}"
)
"""Names the numbers; part of every recognition version."""


def with_gain(blocks: Iterable[tuple[int, Mono]]) -> Iterator[tuple[Mono, np.float32]]:
    """Yield each block of a second with the factor that a detector should amplify it by."""
    levels: deque[float] = deque(maxlen=PAST_BLOCKS + 1 + AHEAD_BLOCKS)
    waiting: deque[Mono] = deque()
    for _, block in blocks:
        levels.append(_rms(block))
        waiting.append(block)
        if len(waiting) > AHEAD_BLOCKS:
            yield waiting.popleft(), _gain(levels)
    while waiting:
        yield waiting.popleft(), _gain(levels)


def _gain(levels: Iterable[float]) -> np.float32:
    loudest = max(levels)
    return np.float32(min(MAX_GAIN, max(1.0, TARGET_RMS / loudest)) if loudest > 0 else 1.0)


def _rms(block: Mono) -> float:
    frames = block[: len(block) // _FRAME_SAMPLES * _FRAME_SAMPLES].reshape(-1, _FRAME_SAMPLES)
    if not len(frames):
        return 0.0
    samples = quantised(frames)
    energies = np.sort((samples * samples).sum(axis=1))
    energy = int(energies[(len(energies) - 1) * _PERCENTILE // 100])
    return float((energy / _FRAME_SAMPLES) ** 0.5 / FULL_SCALE)
