"""Wire objects of `kb eval`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kb_core import Model

Rate = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Milliseconds = Annotated[int, Field(ge=0)]


class EditRateV1(Model):
    """An error rate and what it is made of, in words or in characters."""

    rate: Rate = Field(description="errors by the length of the reference; may be above 1")
    substitutions: int
    deletions: int
    insertions: int
    reference_length: int


class StartErrorV1(Model):
    """How far starts lie from those of the reference."""

    compared: int = Field(description="starts of words that the engine heard right")
    reference_count: int = Field(description="starts that the reference has")
    median_ms: Rate | None
    p95_ms: Milliseconds | None
    share_within_200_ms: Share | None


class AsrScoresV1(Model):
    """Figures of one recording, a folder, or all.

    Pooled: errors are summed and divided by the summed length. A figure is null where no reference
    is of the kind that it needs.
    """

    recordings: int
    duration_ms: Milliseconds
    wer: EditRateV1 | None
    cer: EditRateV1 | None
    word_start: StartErrorV1 | None = Field(description="where the reference has word times")
    utterance_start: StartErrorV1 | None = Field(
        description="first words of parts, against where the reference says that a part begins"
    )
    language_accuracy: Share | None = Field(
        description="parts, or recordings without parts, heard mostly in their language"
    )
    language_count: int = Field(description="parts whose language is known")
    silent_ms: Milliseconds = Field(description="length of recordings in which nothing is said")
    phantom_words: int = Field(description="searchable words heard in these")
    phantom_words_per_silent_hour: Rate | None
    suppressed_words: int = Field(description="words of segments that kb flags and does not index")
    elapsed_ms: Milliseconds = Field(description="wall time of decoding and recognition")
    cpu_ms: Milliseconds = Field(description="processor time of all threads")
    realtime_factor: Rate | None = Field(description="sound per wall time")


class AsrFolderV1(Model):
    """Figures of the recordings that lie in one folder itself."""

    path: str = Field(description="relative to the evaluated folder; `.` for itself")
    scores: AsrScoresV1


class AsrFileV1(Model):
    """One recording: its figures and both normalised texts, or why there are none."""

    path: str
    reference_language: str | None = None
    heard_language: str | None = None
    scores: AsrScoresV1 | None = None
    reference_text: str | None = None
    heard_text: str | None = None
    error: str | None = None
    error_code: str | None = None
    error_hint: str | None = None


class AsrEvaluationV1(Model):
    """Answer of `kb eval asr`."""

    schema_version: Literal["asr_evaluation.v1"] = "asr_evaluation.v1"
    folder: str
    engine: str
    engine_version: str
    model_id: str
    model_version: str = Field(description="digest of the weights")
    languages: tuple[str, ...] = Field(description="languages that the settings allow; [] for any")
    normaliser: str = Field(description="rates under different normalisers cannot be compared")
    normaliser_rules: tuple[str, ...]
    total: AsrScoresV1
    folders: tuple[AsrFolderV1, ...]
    files: tuple[AsrFileV1, ...]
    without_reference: tuple[str, ...] = Field(description="recordings that were passed over")
    load_ms: Milliseconds = Field(description="wall time of loading the model, not part of others")
    cancelled: bool = False
