"""Ingest: make the knowledge base agree with the files that it is shown.

One document is one transaction, and each finished window of a transcript is one of its own, so a
run that is stopped at any point goes on where it was. An input that cannot be used becomes an item
of the report; the others are stored. What stops every file alike (a full disk, a missing model)
ends the run.

Vectors come last: by then everything is found by words. When they cannot be made, the run is done
all the same, and its report says what is missing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from kb_app.container import Container
from kb_app.embedding import embed_pending
from kb_app.ingest_items import (
    EVERY_DOCUMENT_ERRORS,
    ONE_DOCUMENT_ERRORS,
    all_warnings,
    error_item,
    not_attempted_item,
    stored_item,
)
from kb_app.ingest_plan import IngestPlan, IngestPlanner, IngestTask
from kb_app.ingest_progress import ProgressReporter
from kb_app.making import DocumentMaker, Source
from kb_app.run_lock import only_ingest
from kb_app.wire import IngestItemV1, IngestProgressV1, IngestReportV1
from kb_core import CancelToken, DocumentChoices
from kb_core.errors import (
    Cancelled,
    ConfigError,
    FeatureMissing,
    KbError,
    ModelError,
)
from kb_core.runtime import StepWarning


def ingest(
    container: Container,
    paths: Sequence[Path],
    *,
    choices: DocumentChoices | None = None,
    on_progress: Callable[[IngestProgressV1], None] = lambda _: None,
    cancel: CancelToken | None = None,
) -> IngestReportV1:
    """Ingest files and folders.

    Args:
        container: the knowledge base.
        paths: files and folders.
        choices: for the documents of this run, beside those that were made for them earlier.
        on_progress: told how far it is.
        cancel: asks to stop after the running step.

    Raises:
        StoreError: the knowledge base cannot be used at all, or another ingest is at work on it.
        ConfigError: one of the choices is not known.
    """
    choices = choices or DocumentChoices()
    if choices != DocumentChoices():
        container.check_choices(choices)
    run = _IngestRun(container, choices, on_progress, cancel or CancelToken())
    with only_ingest(container.settings.data_dir):
        return run.execute(paths)


class _IngestRun:
    def __init__(
        self,
        container: Container,
        choices: DocumentChoices,
        on_progress: Callable[[IngestProgressV1], None],
        cancel: CancelToken,
    ) -> None:
        self._container = container
        self._choices = choices
        self._cancel = cancel
        self._reporter = ProgressReporter(on_progress)
        self._maker = DocumentMaker(
            container, cancel, self._reporter.file_progress, self._reporter.cutting
        )
        self._items: list[IngestItemV1] = []
        self._warnings: tuple[StepWarning, ...] = ()

    def execute(self, paths: Sequence[Path]) -> IngestReportV1:
        started_s = time.monotonic()
        plan = IngestPlan()
        cancelled = False
        try:
            planner = IngestPlanner(
                self._container, self._choices, self._cancel, self._reporter.looking_at
            )
            plan = planner.plan(paths)
            self._items.extend(plan.settled)
            self._remove(plan)
            if self._do_tasks(plan.tasks):
                self._make_vectors()
        except Cancelled:
            cancelled = True
        return self._report(plan, cancelled, started_s)

    def _remove(self, plan: IngestPlan) -> None:
        for document in plan.removals:
            self._container.store.delete_document(document.doc_id)
            self._items.append(stored_item("removed", document))

    def _make_vectors(self) -> None:
        try:
            embed_pending(self._container, on_progress=self._reporter.vectors, cancel=self._cancel)
        except (ModelError, FeatureMissing, ConfigError) as error:
            message = f"search by meaning has to wait: {error.message}"
            self._warnings = (StepWarning(code=error.code, message=message),)

    def _do_tasks(self, tasks: Sequence[IngestTask]) -> bool:
        """Do what is to be done; False when something stopped all of it."""
        self._reporter.planned([task.asset.byte_len for task in tasks])
        stopped_by: KbError | None = None
        for task in tasks:
            asset = task.asset
            if stopped_by is not None:
                self._items.append(not_attempted_item(asset, stopped_by))
                continue
            self._cancel.raise_if_cancelled()
            self._reporter.file_started(asset.workspace_path)
            try:
                item = self._do(task)
            except ONE_DOCUMENT_ERRORS as error:
                item = error_item(asset.workspace_path, error, asset)
            except EVERY_DOCUMENT_ERRORS as error:
                stopped_by = error
                item = error_item(asset.workspace_path, error, asset)
            self._items.append(item)
            self._reporter.file_done(asset.workspace_path, item.kind)
        return stopped_by is None

    def _do(self, task: IngestTask) -> IngestItemV1:
        made = self._maker.make(Source(task.asset, task.stamp), task.choices, task.companion)
        ingested = made.ingested
        self._container.store.put_document(ingested, replaces=task.replaces)
        audio = ingested.document.audio
        if audio is not None:
            self._reporter.whole_file(audio.duration_ms)
        return IngestItemV1(
            kind=task.kind,
            doc_path=task.asset.workspace_path,
            doc_id=ingested.document.doc_id,
            asset_id=task.asset.asset_id,
            media_type=task.asset.media_type,
            duration_ms=audio.duration_ms if audio else None,
            chunk_count=len(ingested.chunks),
            versions=ingested.versions,
            moved_from=task.moved_from,
            transcript_path=task.companion.asset.workspace_path if task.companion else None,
            reasons=task.reasons,
            warnings=all_warnings(ingested.warnings, [run.result for run in ingested.runs]),
            model_usage=made.usage,
        )

    def _report(self, plan: IngestPlan, cancelled: bool, started_s: float) -> IngestReportV1:
        items = sorted(self._items, key=lambda item: (item.doc_path, item.kind))
        counts = Counter(item.kind for item in items)
        return IngestReportV1(
            scanned=plan.scanned,
            new=counts["new"],
            updated=counts["updated"],
            skipped=counts["skipped"] + plan.unchanged,
            moved=counts["moved"],
            removed=counts["removed"],
            errors=counts["error"],
            cancelled=cancelled,
            duration_ms=round((time.monotonic() - started_s) * 1000),
            chunks_embedded=self._reporter.chunks_embedded,
            warnings=self._warnings,
            items=tuple(items),
        )
