"""Progress: bars for people at a terminal, plain lines elsewhere, JSON lines on request."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kb_cli.session import session
from kb_cli.terminal import for_terminal
from kb_core import CancelToken, format_clock

if TYPE_CHECKING:
    from types import FrameType

    from kb_app.wire import IngestProgressV1
    from kb_core.ports.models import ByteProgress


@contextmanager
def cancel_on_interrupt() -> Iterator[CancelToken]:
    """Turn the first Ctrl-C into a request to stop; the second one stops at once."""
    token = CancelToken()

    def on_interrupt(_signal: int, _frame: FrameType | None) -> None:
        if token.cancelled:
            raise KeyboardInterrupt
        token.cancel()
        session.note("stopping after this step; press Ctrl-C again to stop at once")

    previous = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def ingest_progress(*, json_lines: bool) -> Iterator[Callable[[IngestProgressV1], None]]:
    """Yield the callback that shows an ingest's progress."""
    if json_lines:
        yield session.print_json
    elif sys.stderr.isatty():
        with _bars() as on_progress:
            yield on_progress
    else:
        yield _print_line


@contextmanager
def byte_progress(label: str) -> Iterator[ByteProgress]:
    """Yield a callback that shows a download's progress."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    with Progress(*columns, TransferSpeedColumn(), console=console) as progress:
        task = progress.add_task(escape(for_terminal(label)), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _print_line(progress: IngestProgressV1) -> None:
    if progress.event == "file_done":
        position = f"[{progress.file_index}/{progress.file_count}]"
        session.note(f"{position} {progress.kind}: {progress.doc_path}")


@contextmanager
def _bars() -> Iterator[Callable[[IngestProgressV1], None]]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[detail]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        total = bars.add_task("all files", total=None, detail="")
        current = bars.add_task("", total=None, detail="", visible=False)

        def show(progress: IngestProgressV1) -> None:
            count = f"{progress.file_index}/{progress.file_count}"
            bars.update(total, completed=progress.file_index, total=progress.file_count)
            if progress.event == "looking":
                looked_at = escape(for_terminal(progress.doc_path or ""))
                bars.update(total, description="looking at files", detail=looked_at)
            elif progress.event == "planned":
                bars.update(total, description="all files", detail=count)
            elif progress.event == "file_started":
                name = escape(for_terminal(progress.doc_path or ""))
                bars.reset(current, description=name, total=None, detail="", visible=True)
                bars.update(total, detail=count)
            elif progress.event == "file_progress":
                bars.update(
                    current,
                    completed=progress.done_ms or 0,
                    total=progress.total_ms,
                    detail=_speed(progress),
                )
                bars.update(total, detail=f"{count}{_time_left(progress)}")
            elif progress.event == "cutting":
                bars.update(
                    current,
                    completed=progress.parts_done,
                    total=progress.part_count,
                    detail=escape(for_terminal(f"{progress.module} {progress.unit or ''}")),
                )
            elif progress.event == "vectors":
                bars.update(
                    total,
                    description="search by meaning",
                    completed=progress.chunks_embedded,
                    total=progress.chunk_count,
                    detail=f"{progress.chunks_embedded}/{progress.chunk_count} chunks",
                )
                bars.update(current, visible=False)

        yield show


def _speed(progress: IngestProgressV1) -> str:
    done = format_clock((progress.done_ms or 0) // 1000)
    factor = f" {progress.realtime_factor:.1f}× realtime" if progress.realtime_factor else ""
    return f"{done}{factor}"


def _time_left(progress: IngestProgressV1) -> str:
    return "" if progress.eta_ms is None else f", {format_clock(progress.eta_ms // 1000)} left"
