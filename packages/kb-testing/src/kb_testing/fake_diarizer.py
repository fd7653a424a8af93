"""A diarizer that does not listen: it tells the turns that it was told."""

from __future__ import annotations

from collections.abc import Sequence

from kb_core.ports.diarizer import Diarization, SoundBlock
from kb_core.ports.transcriber import SAMPLES_PER_MS
from kb_core.runtime import CancelToken, StepWarning
from kb_core.speaker_turns import SpeakerTurn


class ScriptedDiarizer:
    """`Diarizer` with the same turns for every recording, as far as it lasts.

    Args:
        turns: in any order; what lies after the end of a recording is left out of it.
        warnings: told of every recording.
        name: short name, for settings that choose among diarizers.

    Attributes:
        heard_samples: length of each recording, in the order in which they were finished.
    """

    def __init__(
        self,
        turns: Sequence[SpeakerTurn],
        *,
        warnings: Sequence[StepWarning] = (),
        name: str = "scripted",
    ) -> None:
        self._turns = sorted(turns, key=lambda turn: (turn.start_ms, turn.end_ms, turn.speaker))
        self._warnings = tuple(warnings)
        self._name = name
        self.heard_samples: list[int] = []

    @property
    def name(self) -> str:
        """The given name."""
        return self._name

    @property
    def version(self) -> str:
        """All turns, since they decide the result."""
        told = (f"{turn.start_ms}-{turn.end_ms}={turn.speaker}" for turn in self._turns)
        return "/".join(("scripted-v1", *told))

    def stream(self) -> ScriptedStream:
        """Return one that has heard nothing yet."""
        return ScriptedStream(self._turns, self._warnings, self.heard_samples)


class ScriptedStream:
    """One recording; only its length counts."""

    def __init__(
        self,
        turns: Sequence[SpeakerTurn],
        warnings: tuple[StepWarning, ...],
        heard_samples: list[int],
    ) -> None:
        self._turns = turns
        self._warnings = warnings
        self._heard_samples = heard_samples
        self._sample_count = 0

    def hear(self, block: SoundBlock) -> None:
        """Take the block that follows the last one.

        Raises:
            ValueError: it does not follow, or its buffers differ in length.
        """
        if block.start_sample != self._sample_count:
            raise ValueError(f"sample {block.start_sample} does not follow {self._sample_count}")
        if any(len(channel) != len(block.mono) for channel in block.channels):
            raise ValueError("the channels and the mixed sound differ in length")
        self._sample_count += len(block.mono)

    def finish(self, cancel: CancelToken | None = None) -> Diarization:
        """Return the turns that begin before the end, cut there.

        Raises:
            Cancelled: a stop was asked for.
        """
        if cancel is not None:
            cancel.raise_if_cancelled()
        self._heard_samples.append(self._sample_count)
        duration_ms = -(-self._sample_count // SAMPLES_PER_MS)
        turns = [
            turn.model_copy(update={"end_ms": min(turn.end_ms, duration_ms)})
            for turn in self._turns
            if turn.start_ms < duration_ms
        ]
        turns.sort(key=lambda turn: (turn.start_ms, turn.end_ms, turn.speaker))
        return Diarization(turns=tuple(turns), warnings=self._warnings)
