"""Sound that somebody may still ask for: blocks in order; what nobody asks for is forgotten."""

from __future__ import annotations

from collections import deque

import numpy as np

from kb_parse_audio.downmix import Mono


class SoundBuffer:
    """Blocks that follow each other from sample 0, some of them forgotten.

    Attributes:
        end: one past the last sample.
    """

    def __init__(self) -> None:
        self._blocks: deque[tuple[int, Mono]] = deque()
        self.end = 0

    def append(self, block: Mono) -> None:
        """Take the block that follows."""
        self._blocks.append((self.end, block))
        self.end += len(block)

    def read(self, start: int, end: int) -> Mono:
        """Return a copy of a range of which nothing was forgotten."""
        parts = []
        for position, block in self._blocks:
            if position >= end:
                break
            parts.append(block[max(0, start - position) : max(0, end - position)])
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def forget(self, start: int, end: int) -> None:
        """Forget the blocks that lie between two samples."""
        self._blocks = deque(
            (position, block)
            for position, block in self._blocks
            if position < start or position + len(block) > end
        )
