"""Measuring chunk modules against boundaries that people set; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, cast

from kb_app import plugins
from kb_app.chunk_modules import select_modules
from kb_app.container import Container
from kb_app.wire_chunk_evaluation import ChunkEvaluationV1
from kb_core import (
    CancelToken,
    CanonicalDocument,
    ChunkRuntime,
    DocumentChoices,
    ModuleChoice,
    run_chunker,
    segment_ordinal,
)
from kb_core.errors import InputError, UnsupportedMedia
from kb_core.ports.extractor import ExtractRuntime
from kb_core.transcript_memory import TranscriptMemory
from kb_source_fs import make_asset, sniff

DEFAULT_MODULES = ("dnd/scenes", "transcript/topics", "audio-segment-v1")
OnFile = Callable[[int, int, str], None]
"""Called before each transcript with its number from 1, their count, and its path."""


@dataclass(frozen=True, slots=True)
class ChunkEvaluationServices:
    """What an evaluation of chunk modules works with.

    Attributes:
        transcripts: to be cut.
        modules: keys of the modules to cut them with.
        count_segments: how many segments a transcript has.
        cut: the segments at which the chunks of a module begin; raises `ChunkError` or `ModelError`
            where the module cannot cut it, and `Cancelled` when a stop was asked for.
        on_file: to be called before each transcript.
    """

    transcripts: tuple[Path, ...]
    modules: tuple[str, ...]
    count_segments: Callable[[Path], int]
    cut: Callable[[Path, str], list[int]]
    on_file: OnFile


class ChunkEvaluator(Protocol):
    """The evaluation behind the entry point `chunks` in `kb.evaluations`."""

    def __call__(self, services: ChunkEvaluationServices) -> ChunkEvaluationV1:
        """Cut the transcripts and measure."""
        ...


def evaluate_chunks(
    container: Container,
    transcripts: Sequence[Path],
    *,
    modules: Sequence[str] = DEFAULT_MODULES,
    on_file: OnFile = lambda _number, _count, _path: None,
    cancel: CancelToken | None = None,
) -> ChunkEvaluationV1:
    """Measure chunk modules on transcripts that have a reference beside them.

    The knowledge base is neither read nor written, and no reply of a model is kept.

    Raises:
        FeatureMissing: kb-eval or the package of a module is not installed.
        ConfigError: a module is not known.
        InputError: a transcript or its reference cannot be used.
    """
    evaluator = cast("ChunkEvaluator", plugins.load_evaluation("chunks"))
    read = cache(lambda path: _read(container, path))

    def cut(path: Path, module: str) -> list[int]:
        document = read(path)
        choices = DocumentChoices(chunkers=(ModuleChoice(key=module),))
        selection = select_modules(container.settings, document.media_type, choices)
        (selected,) = selection.modules
        runtime = ChunkRuntime(language_model=container.language_model_for(None), cancel=cancel)
        chunks = run_chunker(selected.chunker, document, selected.policy, runtime).chunks
        return [segment_ordinal(chunk.unit_ids[0]) or 0 for chunk in chunks]

    return evaluator(
        ChunkEvaluationServices(
            transcripts=tuple(transcripts),
            modules=tuple(dict.fromkeys(modules)),
            count_segments=lambda path: _segment_count(read(path)),
            cut=cut,
            on_file=on_file,
        )
    )


def _read(container: Container, path: Path) -> CanonicalDocument:
    if not path.is_file():
        raise InputError(path, "no such file")
    sniffed = sniff(path)
    extractor = container.extractor_for(sniffed.media_type)
    if extractor is None:
        raise UnsupportedMedia(path, "no installed extractor reads it")
    runtime = ExtractRuntime(transcripts=TranscriptMemory())
    document = extractor.extract(make_asset(path, sniffed.media_type), runtime)
    if document.audio is None or document.audio.transcript is None:
        raise UnsupportedMedia(path, "no transcript")
    return document


def _segment_count(document: CanonicalDocument) -> int:
    audio = document.audio
    return len(audio.transcript.segments) if audio and audio.transcript else 0
