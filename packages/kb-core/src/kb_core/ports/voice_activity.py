"""Port to a detector of speech: how probable is it that somebody speaks, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class VoiceActivityStream(Protocol):
    """One recording from its beginning; a detector of the recurrent kind remembers what it heard.

    Not for two threads at once.
    """

    def probabilities(self, pcm: memoryview) -> Sequence[float]:
        """Return the probability of speech, 0..1, of each frame.

        Args:
            pcm: the samples that follow those of the last call, float32 in -1..1 at 16 kHz, one-
                dimensional and contiguous (format `f`); a whole number of frames.

        Raises:
            EngineFailed: the detector reported a failure.
        """
        ...


class VoiceActivityDetector(Protocol):
    """A detector of speech; the same sound gives the same probabilities."""

    @property
    def identity(self) -> str:
        """Name, release and weights: whatever decides the probabilities; loads no model."""
        ...

    @property
    def frame_samples(self) -> int:
        """Length of a frame, in samples at 16 kHz."""
        ...

    def stream(self) -> VoiceActivityStream:
        """Return a detector that has heard nothing yet.

        Raises:
            EngineFailed: it cannot be loaded.
        """
        ...
