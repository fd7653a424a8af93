"""Items of an ingest report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from kb_app.wire import IngestItemV1, ItemKind
from kb_core import RawAsset
from kb_core.errors import (
    ChunkError,
    EngineFailed,
    FeatureMissing,
    InputError,
    KbError,
    ModelError,
    RequestFailed,
    StoreError,
    printable,
)
from kb_core.ports.store import StoredDocument
from kb_core.runtime import StepWarning

NOT_ATTEMPTED = "not_attempted"
"""Code of files that a run did not come to, because of what stopped it."""


ONE_DOCUMENT_ERRORS = (InputError, ChunkError, EngineFailed, RequestFailed)
"""What keeps one document out; the next one may go well."""
EVERY_DOCUMENT_ERRORS = (StoreError, ModelError, FeatureMissing)
"""What would keep all others out as well."""


class _WithWarnings(Protocol):
    @property
    def warnings(self) -> tuple[StepWarning, ...]: ...


def all_warnings(
    of_reading: Sequence[StepWarning], runs: Iterable[_WithWarnings]
) -> tuple[StepWarning, ...]:
    """Return the warnings of reading a document and of cutting it, each once."""
    return tuple(dict.fromkeys((*of_reading, *(each for run in runs for each in run.warnings))))


def stored_item(kind: ItemKind, stored: StoredDocument) -> IngestItemV1:
    """Return the item of a document as it is stored."""
    return IngestItemV1(
        kind=kind,
        doc_path=stored.workspace_path,
        doc_id=stored.doc_id,
        asset_id=stored.asset_id,
        media_type=stored.media_type,
        duration_ms=stored.duration_ms,
        chunk_count=stored.chunk_count,
        transcript_path=stored.companion.workspace_path if stored.companion else None,
        versions=stored.versions,
        warnings=all_warnings(stored.warnings, stored.runs),
    )


def error_item(doc_path: str, error: KbError, asset: RawAsset | None = None) -> IngestItemV1:
    """Return the item of a file that could not be used; its message names the file."""
    reason = error.reason if isinstance(error, InputError) else error.message
    return IngestItemV1(
        kind="error",
        doc_path=doc_path,
        asset_id=asset.asset_id if asset else None,
        media_type=asset.media_type if asset else None,
        error=f"{printable(doc_path)}: {reason}",
        error_code=error.code,
        error_hint=error.hint,
    )


def not_attempted_item(asset: RawAsset, stopped_by: KbError) -> IngestItemV1:
    """Return the item of a file that the run did not come to."""
    item = error_item(asset.workspace_path, stopped_by, asset)
    path = printable(asset.workspace_path)
    return item.model_copy(
        update={"error": f"{path}: not attempted after this error", "error_code": NOT_ATTEMPTED}
    )
