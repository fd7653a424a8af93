"""Measuring kb against references; the figures are made by an evaluation found by entry point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from kb_app import plugins
from kb_app.container import Container
from kb_app.transcribe import (
    MeasuredTranscript,
    load_recogniser,
    recordings_below,
    transcribe_file,
)
from kb_app.wire_evaluation import AsrEvaluationV1
from kb_core import CancelToken
from kb_core.errors import InputError
from kb_core.ports.transcriber import TranscriberIdentity

OnFile = Callable[[int, int, str], None]
"""Called before each recording with its number from 1, their count, and its path."""


@dataclass(frozen=True, slots=True)
class AsrEvaluationServices:
    """What an evaluation of speech recognition works with.

    Attributes:
        folder: that is evaluated; absolute.
        recordings: all in it, in order, with or without a reference.
        identity: of the recogniser.
        languages: that the settings allow; empty for any.
        load: loads the model and returns the milliseconds that it took.
        transcribe: may raise `InputError` or `EngineFailed` for one recording, `Cancelled` when a
            stop was asked for, and other errors that hold for all recordings alike.
        on_file: to be called before each recording.
    """

    folder: Path
    recordings: tuple[Path, ...]
    identity: TranscriberIdentity
    languages: tuple[str, ...]
    load: Callable[[], int]
    transcribe: Callable[[Path], MeasuredTranscript]
    on_file: OnFile


class AsrEvaluator(Protocol):
    """The evaluation behind the entry point `asr` in `kb.evaluations`."""

    def __call__(self, services: AsrEvaluationServices) -> AsrEvaluationV1:
        """Transcribe the recordings that have a reference, and measure."""
        ...


def evaluate_asr(
    container: Container,
    folder: Path,
    *,
    on_file: OnFile = lambda _number, _count, _path: None,
    cancel: CancelToken | None = None,
) -> AsrEvaluationV1:
    """Measure speech recognition on the recordings below a folder that have a reference.

    The knowledge base is neither read nor written.

    Raises:
        FeatureMissing: kb-eval, or a part that reads recordings, is not installed.
        InputError: it is no folder, or no recording in it has a reference.
        ModelError: the recogniser failed.
    """
    if not folder.is_dir():
        raise InputError(folder, "no folder" if folder.exists() else "no such folder")
    root = folder.resolve()
    evaluator = cast("AsrEvaluator", plugins.load_evaluation("asr"))
    return evaluator(
        AsrEvaluationServices(
            folder=root,
            recordings=tuple(recordings_below(container, root)),
            identity=container.transcriber.identity,
            languages=container.settings.asr.languages,
            load=lambda: load_recogniser(container),
            transcribe=lambda path: transcribe_file(container, path, cancel=cancel),
            on_file=on_file,
        )
    )
