"""Running the chunk modules of a document, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kb_app.chunk_modules import select_modules
from kb_app.container import Container
from kb_core import (
    CancelToken,
    CanonicalDocument,
    ChunkRun,
    ChunkRuntime,
    DocumentChoices,
    ModuleProgress,
    run_chunker,
)
from kb_core.ports.language_model import ModelUsage
from kb_core.runtime import StepWarning

OnCutting = Callable[[str, ModuleProgress], None]
"""Called with the key of a module and how far it is."""


@dataclass(frozen=True, slots=True)
class CutDocument:
    """What chunk modules made of a document.

    Attributes:
        runs: one of each module.
        warnings: about the choice of modules.
        usage: what asking a language model took; None when none was there to ask.
    """

    runs: tuple[ChunkRun, ...]
    warnings: tuple[StepWarning, ...]
    usage: ModelUsage | None


def cut_document(
    container: Container,
    document: CanonicalDocument,
    choices: DocumentChoices,
    *,
    on_progress: OnCutting = lambda _module, _progress: None,
    cancel: CancelToken | None = None,
) -> CutDocument:
    """Cut a document with the modules that the settings and the choices for it name.

    Raises:
        ChunkError: a module broke the contract, or lacks what it needs.
        ModelError: the language model cannot be used; replies that came are kept.
        ConfigError, FeatureMissing: a module is not known, or not installed.
        Cancelled: a stop was asked for.
    """
    selection = select_modules(container.settings, document.media_type, choices)
    asks = any(each.chunker.spec.may_ask_a_model for each in selection.modules)
    model = container.language_model_for(document.source_asset_id) if asks else None
    runs = []
    for each in selection.modules:
        key = each.key
        runtime = ChunkRuntime(
            language_model=model,
            cancel=cancel,
            on_progress=lambda progress, key=key: on_progress(key, progress),  # type: ignore[misc]
        )
        result = run_chunker(each.chunker, document, each.policy, runtime)
        version = each.version(model.model_id if model else None)
        runs.append(ChunkRun(version=version, policy=each.policy, result=result))
    return CutDocument(
        runs=tuple(runs),
        warnings=tuple(map(_passed_over, selection.passed_over)),
        usage=model.usage if model else None,
    )


def _passed_over(key: str) -> StepWarning:
    return StepWarning(
        code="chunker_passed_over",
        message=f"chunk module {key} cuts transcripts, and this is none; the usual one was taken",
    )
