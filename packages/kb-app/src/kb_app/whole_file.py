"""Files that kb writes for a person: whole or not at all, and never over what kb knows.

A half-written file beside a full disk looks like a result; and `--out` with the name of a
recording, through whatever link, would destroy what no command brings back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from kb_app.container import Container
from kb_core.errors import InputError


def refuse_own_files(container: Container, out: Path, *, option: str = "--out") -> None:
    """Refuse a file that belongs to the knowledge base, under whatever name.

    Args:
        container: the knowledge base.
        out: the file.
        option: what it was named with.

    Raises:
        InputError: `out` is the knowledge base, one of its documents, or a subtitle file that was
            read beside a recording.
    """
    target = _identity(out)
    if target is not None and any(_identity(own) == target for own in _own_files(container)):
        raise InputError(
            out,
            "it belongs to the knowledge base and is not written over",
            hint=f"name another file with {option}",
        )


def write_whole(out: Path, write: Callable[[BinaryIO], object], *, option: str = "--out") -> None:
    """Let `write` fill a file that is then whole or not there; an older one stays until then.

    A device or a pipe is written to as it is.

    Args:
        out: the file.
        write: writes all of it.
        option: what it was named with.

    Raises:
        InputError: `out` cannot be written.
    """
    target = Path(os.path.realpath(out))
    try:
        if target.exists() and not target.is_file():  # of a folder, opening it tells
            with target.open("wb") as special:
                write(special)
            return
        part = target.with_name(f".kb-out-{os.getpid()}.part")
        try:
            with part.open("wb") as file:
                write(file)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        raise InputError(out, reason, hint=f"name another file with {option}") from error


def _own_files(container: Container) -> Iterator[str]:
    database_path = str(container.settings.database_path)
    yield from (database_path, f"{database_path}-wal", f"{database_path}-shm")
    for document in container.store.list_documents():
        yield document.source_path
        if document.companion is not None:
            yield document.companion.source_path


def _identity(path: str | Path) -> tuple[int, int] | None:
    """Return what two names of one file share, or None where there is no file to be seen."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
