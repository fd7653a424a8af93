"""One ingest at a time on one knowledge base.

Two of them would transcribe the same recordings side by side. The lock belongs to the open file, so
that it goes with the process, however that ends.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb_core.errors import StoreBusy, StoreError

LOCK_FILE_NAME = "ingest.lock"


@contextmanager
def only_ingest(data_dir: Path) -> Iterator[None]:
    """Hold the lock of a knowledge base's folder.

    Raises:
        StoreBusy: another ingest holds it.
        StoreError: the folder cannot be written to.
    """
    try:
        descriptor = os.open(data_dir / LOCK_FILE_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        reason = (error.strerror or "cannot be written to").lower()
        raise StoreError(f"{data_dir}: {reason}", hint="an ingest must write there") from error
    try:
        if not _taken(descriptor):
            raise StoreBusy(
                f"another kb ingest is at work on {data_dir}", hint="wait until it is finished"
            )
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _taken(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _taken(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
