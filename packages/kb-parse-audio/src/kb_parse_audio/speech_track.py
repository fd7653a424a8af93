"""How probable speech is over a whole recording: a byte for each 32 ms, 1.1 MB for ten hours."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from kb_core.ports.transcriber import SAMPLES_PER_MS

_CERTAIN = 255


class SpeechTrack:
    """Probabilities of speech, frame after frame from the beginning.

    Args:
        frame_samples: length of a frame.

    Attributes:
        sample_count: length of the recording so far.
    """

    def __init__(self, frame_samples: int) -> None:
        self._frame_samples = frame_samples
        self._probabilities = array("B")
        self.sample_count = 0

    @property
    def duration_ms(self) -> int:
        """Length of the recording so far, rounded down."""
        return self.sample_count // SAMPLES_PER_MS

    def add(self, probabilities: Iterable[float]) -> None:
        """Take the probabilities, 0..1, of the next frames."""
        self._probabilities.extend(round(_CERTAIN * each) for each in probabilities)

    def between(self, start_ms: int, end_ms: int) -> npt.NDArray[np.float64]:
        """Return the probabilities, 0..1, of the frames that a range touches."""
        first = max(0, start_ms) * SAMPLES_PER_MS // self._frame_samples
        last = -(-max(0, end_ms) * SAMPLES_PER_MS // self._frame_samples)
        frames = self._probabilities[first:last]
        return np.frombuffer(frames, np.uint8) / _CERTAIN
