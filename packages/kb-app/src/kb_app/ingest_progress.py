"""Turns the progress of single files into the progress of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from kb_app.wire import IngestProgressV1, ItemKind
from kb_core import Progress


class ProgressReporter:
    """Adds position, realtime factor and time left to what extractors report.

    Time left is scaled by bytes: lengths are not known before files are opened, sizes are.
    """

    def __init__(
        self, on_progress: Callable[[IngestProgressV1], None], file_byte_lens: Sequence[int]
    ) -> None:
        self._on_progress = on_progress
        self._byte_lens = file_byte_lens
        self._finished = 0
        self._path: str | None = None
        self._run_started_s = time.monotonic()
        self._file_started_s = self._run_started_s

    def planned(self) -> None:
        """Report how many files there are to do."""
        self._emit("planned")

    def file_started(self, path: str) -> None:
        """Report that a file is begun."""
        self._path = path
        self._file_started_s = time.monotonic()
        self._emit("file_started")

    def file_progress(self, progress: Progress) -> None:
        """Report how far the present file is."""
        elapsed_s = time.monotonic() - self._file_started_s
        fresh_ms = progress.done_ms - progress.reused_ms
        factor = round(fresh_ms / 1000 / elapsed_s, 2) if elapsed_s > 0 and fresh_ms else None
        share = progress.done_ms / progress.total_ms if progress.total_ms else 0.0
        self._emit(
            "file_progress",
            done_ms=progress.done_ms,
            total_ms=progress.total_ms,
            reused_ms=progress.reused_ms,
            realtime_factor=factor,
            eta_ms=self._eta_ms(min(share, 1.0)),
        )

    def file_done(self, path: str, kind: ItemKind) -> None:
        """Report that a file is finished, and how."""
        self._finished += 1
        self._path = path
        self._emit("file_done", kind=kind)

    def _eta_ms(self, share_of_file: float) -> int | None:
        done = sum(self._byte_lens[: self._finished])
        done_bytes = done + share_of_file * self._byte_lens[self._finished]
        if done_bytes <= 0:
            return None
        elapsed_s = time.monotonic() - self._run_started_s
        return round(elapsed_s * (sum(self._byte_lens) / done_bytes - 1) * 1000)

    def _emit(self, event: str, **fields: object) -> None:
        self._on_progress(
            IngestProgressV1.model_validate(
                {
                    "event": event,
                    "file_index": self._finished,
                    "file_count": len(self._byte_lens),
                    "doc_path": self._path if event != "planned" else None,
                    **fields,
                }
            )
        )
