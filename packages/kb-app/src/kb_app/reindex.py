"""Cutting stored documents anew: nothing is read or heard again.

One document is one transaction. The file of a document need not be there any more.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kb_app.chunk_modules import beside_chosen
from kb_app.container import Container
from kb_app.cutting import cut_document
from kb_app.embedding import embed_pending
from kb_app.ingest_items import ONE_DOCUMENT_ERRORS, all_warnings
from kb_app.ingest_progress import ProgressReporter
from kb_app.run_lock import only_ingest
from kb_app.upkeep import documents_named
from kb_app.wire import IngestItemV1, IngestProgressV1, IngestReportV1
from kb_core import CancelToken, DocumentChoices, ModuleChoice
from kb_core.errors import Cancelled, ConfigError, FeatureMissing, KbError, ModelError, printable
from kb_core.ports.store import StoredDocument
from kb_core.runtime import StepWarning


@dataclass(frozen=True, slots=True)
class Recut:
    """What is to be done.

    Attributes:
        names: of documents or folders, as for `kb forget`; none for all documents.
        chunkers: chosen modules; None for those that each document has.
        beside: whether they come beside those that each document has, rather than in their place.
    """

    names: Sequence[str] = ()
    chunkers: tuple[ModuleChoice, ...] | None = None
    beside: bool = False

    def choices_for(self, earlier: DocumentChoices) -> DocumentChoices:
        """Return the choices of a document from now on."""
        if self.chunkers is None:
            return earlier
        if self.beside:
            return beside_chosen(earlier, self.chunkers)
        return earlier.model_copy(update={"chunkers": self.chunkers})


def reindex(
    container: Container,
    recut: Recut,
    *,
    on_progress: Callable[[IngestProgressV1], None] = lambda _: None,
    cancel: CancelToken | None = None,
) -> IngestReportV1:
    """Cut stored documents anew and make the vectors that are missing then.

    Raises:
        NotFound: one of the names is no document; then nothing is cut.
        ConfigError, MissingCapability, FeatureMissing: a module cannot be used; nothing is cut.
        ModelError: the language model cannot be used; what was cut before stays, and replies that
            came are kept.
        StoreError: an ingest is at work on the knowledge base.
    """
    started_s = time.monotonic()
    cancel = cancel or CancelToken()
    container.check_choices(recut.choices_for(DocumentChoices()))
    with only_ingest(container.settings.data_dir):
        documents = documents_named(container, recut.names)
        run = _Run(container, recut, ProgressReporter(on_progress), cancel)
        return run.execute(documents, started_s)


class _Run:
    def __init__(
        self, container: Container, recut: Recut, reporter: ProgressReporter, cancel: CancelToken
    ) -> None:
        self._container = container
        self._recut = recut
        self._reporter = reporter
        self._cancel = cancel
        self._warnings: tuple[StepWarning, ...] = ()

    def execute(self, documents: Sequence[StoredDocument], started_s: float) -> IngestReportV1:
        items: list[IngestItemV1] = []
        cancelled = False
        self._reporter.planned([document.stamp.byte_len for document in documents])
        try:
            for document in documents:
                self._cancel.raise_if_cancelled()
                self._reporter.file_started(document.workspace_path)
                items.append(self._item(document))
                self._reporter.file_done(document.workspace_path, items[-1].kind)
            self._make_vectors()
        except Cancelled:
            cancelled = True
        counts = Counter(item.kind for item in items)
        return IngestReportV1(
            scanned=len(documents),
            new=0,
            updated=counts["updated"],
            skipped=len(documents) - len(items),
            moved=0,
            removed=0,
            errors=counts["error"],
            cancelled=cancelled,
            duration_ms=round((time.monotonic() - started_s) * 1000),
            chunks_embedded=self._reporter.chunks_embedded,
            warnings=self._warnings,
            items=tuple(items),
        )

    def _item(self, stored: StoredDocument) -> IngestItemV1:
        try:
            return self._cut(stored)
        except ONE_DOCUMENT_ERRORS as error:
            return _error_item(stored, error)

    def _cut(self, stored: StoredDocument) -> IngestItemV1:
        store = self._container.store
        document = store.load_document(stored.doc_id)
        if document is None:
            raise ConfigError(f"{printable(stored.workspace_path)} was taken out meanwhile")
        choices = self._recut.choices_for(stored.versions.choices)
        cut = cut_document(
            self._container,
            document,
            choices,
            on_progress=self._reporter.cutting,
            cancel=self._cancel,
        )
        modules = tuple(run.version for run in cut.runs)
        versions = stored.versions.model_copy(update={"modules": modules, "choices": choices})
        store.put_runs(stored.doc_id, versions, cut.runs)
        results = [run.result for run in cut.runs]
        return IngestItemV1(
            kind="updated",
            doc_path=stored.workspace_path,
            doc_id=stored.doc_id,
            asset_id=stored.asset_id,
            media_type=stored.media_type,
            duration_ms=stored.duration_ms,
            chunk_count=sum(len(result.chunks) for result in results),
            versions=versions,
            reasons=("cut anew",),
            warnings=all_warnings(cut.warnings, results),
            model_usage=cut.usage,
        )

    def _make_vectors(self) -> None:
        try:
            embed_pending(self._container, on_progress=self._reporter.vectors, cancel=self._cancel)
        except (ModelError, FeatureMissing, ConfigError) as error:
            message = f"search by meaning has to wait: {error.message}"
            self._warnings = (StepWarning(code=error.code, message=message),)


def _error_item(stored: StoredDocument, error: KbError) -> IngestItemV1:
    return IngestItemV1(
        kind="error",
        doc_path=stored.workspace_path,
        doc_id=stored.doc_id,
        asset_id=stored.asset_id,
        media_type=stored.media_type,
        error=f"{printable(stored.workspace_path)}: {error.message}",
        error_code=error.code,
        error_hint=error.hint,
    )
