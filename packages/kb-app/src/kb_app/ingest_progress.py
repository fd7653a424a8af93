"""Turns the progress of single files into the progress of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from kb_app.wire import IngestProgressV1, ItemKind
from kb_core import ModuleProgress, Progress
from kb_core.ports.store import VectorCounts


class ProgressReporter:
    """Adds position, realtime factor and time left to what extractors report.

    Time left is scaled by bytes: lengths are not known before files are opened, sizes are. What an
    earlier run had done counts neither as work nor as speed.

    Attributes:
        chunks_embedded: chunks that got a vector in this run.
    """

    def __init__(self, on_progress: Callable[[IngestProgressV1], None]) -> None:
        self._on_progress = on_progress
        self._byte_lens: Sequence[int] = ()
        self._finished = 0
        self._path: str | None = None
        self._run_started_s = time.monotonic()
        self._file_started_s = self._run_started_s
        self._reused_bytes_before = 0.0
        self._reused_bytes_of_file = 0.0
        self._last = Progress(done_ms=0, total_ms=None)
        self._embedded_before: int | None = None
        self.chunks_embedded = 0

    def looking_at(self, path: str) -> None:
        """Report that a file is read to see whether there is something to do."""
        self._path = path
        self._emit("looking")

    def planned(self, file_byte_lens: Sequence[int]) -> None:
        """Report how many files there are to do."""
        self._byte_lens = file_byte_lens
        self._run_started_s = time.monotonic()
        self._path = None
        self._emit("planned")

    def file_started(self, path: str) -> None:
        """Report that a file is begun."""
        self._path = path
        self._file_started_s = time.monotonic()
        self._reused_bytes_before += self._reused_bytes_of_file
        self._reused_bytes_of_file = 0.0
        self._last = Progress(done_ms=0, total_ms=None)
        self._emit("file_started")

    def file_progress(self, progress: Progress) -> None:
        """Report how far the present file is."""
        self._last = progress
        elapsed_s = time.monotonic() - self._file_started_s
        fresh_ms = progress.done_ms - progress.reused_ms
        factor = round(fresh_ms / 1000 / elapsed_s, 2) if elapsed_s > 0 and fresh_ms else None
        self._emit(
            "file_progress",
            done_ms=progress.done_ms,
            total_ms=progress.total_ms,
            reused_ms=progress.reused_ms,
            realtime_factor=factor,
            eta_ms=self._eta_ms(progress),
        )

    def whole_file(self, duration_ms: int) -> None:
        """Report that a recording is heard to its end; extractors report up to the last words."""
        if self._last.done_ms < duration_ms:
            reused_ms = self._last.reused_ms
            self.file_progress(
                Progress(done_ms=duration_ms, total_ms=duration_ms, reused_ms=reused_ms)
            )

    def cutting(self, module: str, progress: ModuleProgress) -> None:
        """Report how far a chunk module is with the present file."""
        self._emit(
            "cutting",
            module=module,
            parts_done=progress.done,
            part_count=progress.total,
            unit=progress.unit,
        )

    def file_done(self, path: str, kind: ItemKind) -> None:
        """Report that a file is finished, and how."""
        self._finished += 1
        self._path = path
        self._emit("file_done", kind=kind)

    def vectors(self, counts: VectorCounts) -> None:
        """Report how many of all chunks have a vector."""
        if self._embedded_before is None:
            self._embedded_before = counts.embedded
        self.chunks_embedded = counts.embedded - self._embedded_before
        self._path = None
        self._emit("vectors", chunks_embedded=counts.embedded, chunk_count=counts.chunks)

    def _eta_ms(self, progress: Progress) -> int | None:
        if not progress.total_ms:
            return None
        bytes_per_ms = self._byte_lens[self._finished] / progress.total_ms
        self._reused_bytes_of_file = progress.reused_ms * bytes_per_ms
        done_bytes = sum(self._byte_lens[: self._finished]) + progress.done_ms * bytes_per_ms
        fresh_bytes = done_bytes - self._reused_bytes_before - self._reused_bytes_of_file
        if fresh_bytes <= 0:
            return None
        elapsed_s = time.monotonic() - self._run_started_s
        remaining_bytes = max(0.0, sum(self._byte_lens) - done_bytes)
        return round(elapsed_s * remaining_bytes / fresh_bytes * 1000)

    def _emit(self, event: str, **fields: object) -> None:
        self._on_progress(
            IngestProgressV1.model_validate(
                {
                    "event": event,
                    "file_index": self._finished,
                    "file_count": len(self._byte_lens),
                    "doc_path": self._path,
                    **fields,
                }
            )
        )
