"""Wire objects of `kb eval chunks`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kb_core import Model


class ChunkScoresV1(Model):
    """How far the boundaries of a module are from the reference."""

    window_diff: float = Field(ge=0, le=1, description="WindowDiff; 0 is perfect")
    pk: float = Field(ge=0, le=1, description="Pk; 0 is perfect")
    segments: int
    mean_turns: float = Field(description="mean length of a segment")


class ModuleScoresV1(Model):
    """The figures of a module or of a baseline, or why there are none."""

    module: str
    scores: ChunkScoresV1 | None = None
    error: str | None = None
    error_code: str | None = None


class ChunkFileV1(Model):
    """One transcript."""

    path: str
    turns: int = Field(description="that the reference is about")
    segments: int = Field(description="of the reference")
    window_turns: int = Field(description="half the mean length of these")
    modules: tuple[ModuleScoresV1, ...] = Field(
        description="chunk modules, then `fixed length`, `random` and `no boundary`"
    )


class ChunkEvaluationV1(Model):
    """Answer of `kb eval chunks`."""

    schema_version: Literal["chunk_evaluation.v1"] = "chunk_evaluation.v1"
    files: tuple[ChunkFileV1, ...]
    means: tuple[ModuleScoresV1, ...] = Field(
        description="over the transcripts that a module could cut, each counting the same"
    )
