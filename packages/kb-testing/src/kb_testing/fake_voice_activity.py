"""A detector of speech without a model: whatever is loud is speech.

Detectors of the real kind take no beep for speech; with this one a test can place a sound at a
known time and see where it comes out. It listens to every 31st sample: ten hours take seconds. (31,
because a tone of a round frequency would vanish in a round stride.)
"""

from __future__ import annotations

import math

_STRIDE_SAMPLES = 31


class EnergyDetector:
    """`VoiceActivityDetector` that is certain: 1.0 where a frame is loud, 0.0 elsewhere.

    Args:
        threshold_rms: what is louder is speech; 0..1, of the sound that the detector is given,
            which whoever asks may have amplified.
        frame_samples: length of a frame at 16 kHz.
    """

    def __init__(self, *, threshold_rms: float = 0.05, frame_samples: int = 512) -> None:
        self._threshold_rms = threshold_rms
        self._frame_samples = frame_samples

    @property
    def identity(self) -> str:
        """Both numbers."""
        return f"energy {self._threshold_rms}/{self._frame_samples}"

    @property
    def frame_samples(self) -> int:
        """Length of a frame."""
        return self._frame_samples

    def stream(self) -> EnergyStream:
        """Return a detector for one recording."""
        return EnergyStream(self._threshold_rms, self._frame_samples)


class EnergyStream:
    """One recording; each frame is judged by itself."""

    def __init__(self, threshold_rms: float, frame_samples: int) -> None:
        self._frame_samples = frame_samples
        listened_samples = -(-frame_samples // _STRIDE_SAMPLES)
        self._threshold_norm = threshold_rms * math.sqrt(listened_samples)

    def probabilities(self, pcm: memoryview) -> list[float]:
        """Return 1.0 for each loud frame and 0.0 for each other.

        Raises:
            ValueError: that is no whole number of frames.
        """
        if len(pcm) % self._frame_samples:
            raise ValueError(f"{len(pcm)} samples are no frames of {self._frame_samples}")
        return [
            float(self._is_loud(pcm[start : start + self._frame_samples]))
            for start in range(0, len(pcm), self._frame_samples)
        ]

    def _is_loud(self, frame: memoryview) -> bool:
        return math.hypot(*frame[::_STRIDE_SAMPLES].tolist()) > self._threshold_norm
