"""Port to a speech recogniser.

Recognisers get windows, not files: the caller owns decoding, the cutting into windows and the
clock. Times in a result are relative to the window's first sample.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field, JsonValue

from kb_core.model import Confidence, Model
from kb_core.runtime import CancelToken
from kb_core.transcript import TranscriptSegment

SAMPLE_RATE_HZ = 16_000
SAMPLES_PER_MS = SAMPLE_RATE_HZ // 1000


@dataclass(frozen=True, slots=True)
class AudioWindow:
    """A stretch of mono sound at 16 kHz.

    Silence inside may have been left out; then only its owner knows the times of what follows, and
    `end_sample` is the end on the window's own clock.

    Attributes:
        start_sample: first sample on the player's clock; a multiple of 16, so that its time is a
            whole millisecond and times are rounded once only.
        pcm: float32 samples in -1..1, one-dimensional, contiguous (format `f`).
    """

    start_sample: int
    pcm: memoryview

    @property
    def end_sample(self) -> int:
        """One past the last sample, on the player's clock."""
        return self.start_sample + len(self.pcm)

    @property
    def start_ms(self) -> int:
        """Time of the first sample, in milliseconds on the player's clock."""
        return self.start_sample // SAMPLES_PER_MS

    @property
    def duration_ms(self) -> int:
        """Length in milliseconds, rounded down."""
        return len(self.pcm) // SAMPLES_PER_MS


class TranscriberIdentity(Model):
    """Everything that decides what text comes out of the same sound."""

    engine: str
    engine_version: str
    model_id: str
    model_version: str = Field(description="digest of the weights")
    decoding: dict[str, JsonValue]


class RecognisedWindow(Model):
    """What was heard in one window; times relative to its start, in milliseconds.

    `segments` obey 0 ≤ start ≤ end ≤ window length, starts never decrease, words lie inside.

    Attributes:
        heard_until_ms: where the engine stopped listening, inside the window and not before the
            last segment's end; what follows has to be in the next window. None when it heard all.
        language: ISO 639-1 code of the language that it was recognised in.
    """

    segments: tuple[TranscriptSegment, ...]
    heard_until_ms: int | None = Field(default=None, gt=0)
    language: str | None = None


class HeardLanguages(Model):
    """Which languages a stretch of sound may be in.

    Attributes:
        probabilities: by ISO 639-1 code, to four digits, only those above 0; they add up to 1 over
            the languages that were allowed.
    """

    probabilities: dict[str, Confidence]

    @property
    def best(self) -> tuple[str, float] | None:
        """The most probable language and its probability; of equals the first by code."""
        if not self.probabilities:
            return None
        return min(self.probabilities.items(), key=lambda item: (-item[1], item[0]))


def allowed_languages(probabilities: Mapping[str, float], among: Collection[str]) -> HeardLanguages:
    """Return what an engine found, shared out over the languages that were allowed.

    Args:
        probabilities: by ISO 639-1 code, over all that the engine knows.
        among: codes that come into question; empty for all.
    """
    allowed = {code: p for code, p in probabilities.items() if not among or code in among}
    total = sum(allowed.values())
    if total <= 0:
        return HeardLanguages(probabilities={})
    shares = {code: round(p / total, 4) for code, p in sorted(allowed.items())}
    return HeardLanguages(probabilities={code: p for code, p in shares.items() if p > 0})


class Transcriber(Protocol):
    """A speech recogniser."""

    @property
    def identity(self) -> TranscriberIdentity:
        """What goes into `transcript_version`; known without loading the model."""
        ...

    @property
    def preferred_batch_windows(self) -> int:
        """How many windows a call should hold at most; 1 for engines that gain nothing.

        Engines that take more than one always hear a window to its end.
        """
        ...

    def transcribe(
        self,
        windows: Sequence[AudioWindow],
        *,
        language: str,
        cancel: CancelToken | None = None,
    ) -> list[RecognisedWindow]:
        """Recognise windows, each on its own; no text context is carried between them.

        Args:
            windows: at most 30 s each; shorter than the engine's minimum is padded by it.
            language: ISO 639-1 code.
            cancel: checked once before each window; one that has begun is finished, because on a
                slow machine it is minutes of work.

        Returns:
            One result a window, in their order; the same whatever the number of threads.

        Raises:
            ModelMissing, ModelDigestMismatch: the weights are absent or not what they should be.
            ModelError: the model does not know the language.
            EngineFailed: the engine reported a failure.
            Cancelled: a stop was asked for.
        """
        ...

    def detect_languages(
        self,
        windows: Sequence[AudioWindow],
        *,
        among: Sequence[str],
        cancel: CancelToken | None = None,
    ) -> list[HeardLanguages]:
        """Tell the language of short stretches of speech; the cost grows with their length.

        Args:
            windows: a few seconds of speech each, at most 30 s.
            among: ISO 639-1 codes that come into question; empty for all that the model knows.
            cancel: as in `transcribe`.

        Returns:
            One result a window, in their order; the same whatever the number of threads.

        Raises:
            ModelMissing, ModelDigestMismatch, ModelError, EngineFailed, Cancelled: as in
                `transcribe`.
        """
        ...
