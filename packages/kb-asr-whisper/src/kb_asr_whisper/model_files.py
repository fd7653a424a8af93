"""Files in the models folder: written whole or not at all, locked against a second writer.

A model file appears under its name only when all its bytes are on the disk, so nobody ever sees
half of one and no reader needs a lock. Two processes that unpack the same model at once do the work
twice and end with the same file; only downloads, which append, lock each other out.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from kb_core.errors import ModelError, printable

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_SLICE_BYTES = 1 << 20


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal.

    Raises:
        ModelError: the file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_SLICE_BYTES):
                digest.update(piece)
    except OSError as error:
        raise unusable(path, error) from error
    return digest.hexdigest()


def write_whole(target: Path, pieces: Iterable[bytes]) -> str:
    """Write a file atomically and return its SHA-256; on any error no file is left behind.

    Raises:
        ModelError: no room on the disk, or no right to write there.
    """
    digest = hashlib.sha256()
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                digest.update(piece)
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        move_into_place(temporary, target)
        temporary = None
    except OSError as error:
        raise unusable(target, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return digest.hexdigest()


def move_into_place(temporary: Path, target: Path) -> None:
    """Give a finished file its name and make the name last, too."""
    temporary.chmod(0o644)
    temporary.replace(target)
    if sys.platform != "win32":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextlib.contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`; the system frees it when the process ends, however it ends.

    Raises:
        ModelError: another process holds it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    except OSError as error:
        raise unusable(path, error) from error
    with file:
        if not _lock(file):
            raise ModelError(
                f"another kb is fetching {printable(path.stem)} at this moment",
                hint="wait until it is done, then run the same command again",
            )
        yield


def unusable(path: Path, error: OSError) -> ModelError:
    """Translate an error of the file system."""
    shown = printable(str(path))
    if error.errno in _NO_ROOM:
        return ModelError(
            f"no room left on the disk of {shown}",
            hint="make room, or name another folder for models with the setting models_dir",
        )
    return ModelError(
        f"{shown}: {(error.strerror or 'cannot be used').lower()}",
        hint="the folder for models is set by models_dir",
    )


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
