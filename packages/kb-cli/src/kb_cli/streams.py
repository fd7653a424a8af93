"""Standard streams that outlive their reader.

`kb ingest --json … | head -1` must not stop hours of work, and neither may a terminal that was
closed. Below Python's own buffering every write to a reader that is gone is dropped, so that it
holds for `print`, for rich, and for the last flush alike; the command goes on and its exit code
says what it did.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any


class _LastingFile(io.FileIO):
    """A file descriptor that takes everything once its reader is gone, or its disk full."""

    failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
                if not isinstance(error, BrokenPipeError):
                    raise
        return memoryview(data).nbytes


@contextmanager
def lasting_streams() -> Iterator[None]:
    """Let stdout and stderr outlive their readers until the end of the block.

    Raises:
        OSError: an answer could not be written although its reader was there.
    """
    with ExitStack() as stack:
        for name in ("stderr", "stdout"):
            stack.enter_context(_lasting_stream(name))
        yield


@contextmanager
def _lasting_stream(name: str) -> Iterator[None]:
    usual = getattr(sys, name)
    try:
        descriptor = usual.fileno()
    except (AttributeError, OSError):  # closed, or caught by a test
        yield
        return
    usual.flush()
    file = _LastingFile(descriptor, "wb", closefd=False)
    lasting = io.TextIOWrapper(
        io.BufferedWriter(file),
        encoding=usual.encoding,
        errors="backslashreplace",
        line_buffering=name == "stderr" or usual.isatty(),
    )
    setattr(sys, name, lasting)
    try:
        yield
        lasting.flush()
    finally:
        setattr(sys, name, usual)
