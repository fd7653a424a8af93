"""Port to a diarizer: who speaks when.

A diarizer hears the recording block by block while it is decoded for the recogniser, so nothing is
decoded twice and the sound is never in memory as a whole. It gets the mixed sound and the channels
apart: one looks at the channels of a call, another one at the voices in the mix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kb_core.model import Model
from kb_core.runtime import CancelToken, StepWarning
from kb_core.speaker_turns import SpeakerTurn


@dataclass(frozen=True, slots=True)
class SoundBlock:
    """A second or less of a recording at 16 kHz.

    Every buffer holds float32 samples in -1..1, one-dimensional and contiguous (format `f`), and
    all are of one length.

    Attributes:
        start_sample: first sample on the player's clock.
        mono: what a recogniser hears.
        channels: one buffer each, in the order of the file. Their number may change within a
            recording; silence that the file does not hold has one.
    """

    start_sample: int
    mono: memoryview
    channels: tuple[memoryview, ...]


class Diarization(Model):
    """What a diarizer found out.

    Attributes:
        turns: ordered by start, then by end and speaker; they may overlap, because people do. None
            when the speakers of this recording cannot be told apart.
        warnings: why there are none, or what is doubtful about them.
    """

    turns: tuple[SpeakerTurn, ...]
    warnings: tuple[StepWarning, ...] = ()


class DiarizerStream(Protocol):
    """One recording from its beginning; not for two threads at once."""

    def hear(self, block: SoundBlock) -> None:
        """Take the block that follows the last one; the first begins at sample 0.

        The buffers are the caller's: what is needed later has to be copied.

        Raises:
            EngineFailed: the diarizer reported a failure.
        """
        ...

    def finish(self, cancel: CancelToken | None = None) -> Diarization:
        """Return the turns of all that was heard; called once, after the last block.

        No turn ends after the recording, rounded up to a whole millisecond.

        Raises:
            EngineFailed: the diarizer reported a failure.
            Cancelled: a stop was asked for.
        """
        ...


class Diarizer(Protocol):
    """Tells speakers apart; the same sound gives the same turns."""

    @property
    def name(self) -> str:
        """Short name for messages and settings, such as `channels`."""
        ...

    @property
    def version(self) -> str:
        """Name, rules and weights: changes whenever turns may differ; loads no model.

        Part of the transcript version.
        """
        ...

    def stream(self) -> DiarizerStream:
        """Return one that has heard nothing yet.

        Raises:
            ModelMissing, ModelDigestMismatch: weights are absent or not what they should be.
            EngineFailed: it cannot be loaded.
        """
        ...
