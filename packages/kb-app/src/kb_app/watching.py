"""Following folders: after each rest, an ingest of all of them.

The whole folders are compared again rather than the paths that the system reported: a comparison of
unchanged files costs next to nothing, and events are lost when too many come at once, while a
computer sleeps, and on network drives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.wire import IngestProgressV1, IngestReportV1
from kb_core import CancelToken, DocumentChoices
from kb_core.errors import InputError, StoreBusy
from kb_source_fs.watch import QUIET_MS, watch

_RETRY_S = 2.0


def follow(
    container: Container,
    paths: Sequence[Path],
    *,
    on_report: Callable[[IngestReportV1], None],
    choices: DocumentChoices | None = None,
    on_progress: Callable[[IngestProgressV1], None] = lambda _: None,
    cancel: CancelToken | None = None,
    quiet_ms: int = QUIET_MS,
) -> None:
    """Ingest `paths`, and again after each change below them, until a stop is asked for.

    Args:
        container: the knowledge base.
        paths: files and folders.
        on_report: told what each ingest came to, the first one included.
        choices: for all documents below `paths`, those to come included.
        on_progress: told how far each ingest is.
        cancel: ends the watch; a running ingest stops after its step and reports itself cancelled.
        quiet_ms: how long nothing must have changed before an ingest.

    Raises:
        InputError: a path cannot be watched.
        StoreError: the knowledge base cannot be used.
    """
    cancel = cancel or CancelToken()

    def run() -> None:
        while not cancel.cancelled:
            try:
                report = ingest(
                    container, paths, choices=choices, on_progress=on_progress, cancel=cancel
                )
            except StoreBusy:
                cancel.wait(_RETRY_S)
                continue
            on_report(report)
            return

    try:
        # The first time is before any change, when the watch is on: nothing falls between.
        for _ in watch(
            paths,
            cancel=cancel,
            own_folders=container.own_folders,
            quiet_ms=quiet_ms,
        ):
            run()
    except OSError as error:
        raise InputError(paths[0], f"cannot be watched: {error}") from error
