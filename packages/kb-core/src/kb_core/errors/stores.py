"""The knowledge base file."""

from __future__ import annotations

from pathlib import Path

from kb_core.errors.base import KbError, printable


class StoreError(KbError):
    """Something about the knowledge base file."""

    code = "store_error"


class StoreMissing(StoreError):
    """There is no knowledge base at the given place."""

    code = "store_missing"

    def __init__(self, path: str | Path) -> None:
        super().__init__(
            f"no knowledge base at {printable(str(path))}",
            hint="make one with `kb init`, or name its folder with --data-dir",
        )


class StoreTooNew(StoreError):
    """The file was written by a newer kb than this one."""

    code = "store_too_new"

    def __init__(self, path: str | Path, found: int, supported: int) -> None:
        super().__init__(
            f"{printable(str(path))} has schema {found}, this kb knows up to {supported}",
            hint="update kb, or name another knowledge base with --data-dir",
        )


class StoreCorrupt(StoreError):
    """SQLite reports a damaged file."""

    code = "store_corrupt"


class StoreBusy(StoreError):
    """Another process held the write lock for longer than the timeout."""

    code = "store_busy"


class StoreFull(StoreError):
    """No room left on the disk; the running transaction was rolled back."""

    code = "store_full"

    def __init__(self, path: str | Path) -> None:
        super().__init__(
            f"no room left on the disk of {printable(str(path))}; the running step was undone",
            hint="make room and run the same command again: finished steps are not repeated",
        )
