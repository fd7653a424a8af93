"""Files of a model: written whole or not at all, described by size and digest.

A model is a folder, so what makes it complete is its weights: they are written after everything
else, and a folder without them holds no model. Two processes that unpack one model at once do the
work twice and end with the same files.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kb_core.errors import ModelError, printable

WEIGHTS = "model.bin"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_SLICE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FileDigest:
    """Size and SHA-256 (hexadecimal) of one file."""

    byte_len: int
    sha256: str


def digest_of(path: Path) -> FileDigest:
    """Read a file and return its size and digest.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    byte_len = 0
    for piece in pieces_of([path]):
        digest.update(piece)
        byte_len += len(piece)
    return FileDigest(byte_len, digest.hexdigest())


def pieces_of(paths: Iterable[Path]) -> Iterator[bytes]:
    """Yield the bytes of several files in a row, at most 1 MiB at a time.

    Raises:
        OSError: one of them cannot be read.
    """
    for path in paths:
        with path.open("rb") as file:
            while piece := file.read(_SLICE_BYTES):
                yield piece


def write_whole(target: Path, data: bytes) -> None:
    """Write a small file atomically.

    Raises:
        ModelError: no room on the disk, or no right to write there.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        temporary.replace(target)
    except OSError as error:
        raise unusable(target, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_checked(target: Path, paths: Iterable[Path], expected_sha256: str) -> str:
    """Write files in a row to `target`, atomically, if their digest is the expected one.

    Returns:
        The digest that was found; when it is another one, nothing is left behind.

    Raises:
        OSError: a file cannot be read or written.
    """
    digest = hashlib.sha256()
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces_of(paths):
                digest.update(piece)
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        if digest.hexdigest() == expected_sha256:
            temporary.chmod(0o644)
            temporary.replace(target)
            _make_last(target.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return digest.hexdigest()


def unusable(path: Path, error: OSError) -> ModelError:
    """Translate an error of the file system."""
    shown = printable(str(error.filename or path))
    if error.errno in _NO_ROOM:
        return ModelError(
            f"no room left on the disk of {shown}",
            hint="make room, or name another folder for models with the setting models_dir",
        )
    return ModelError(
        f"{shown}: {(error.strerror or 'cannot be used').lower()}",
        hint="the folder for models is set by models_dir",
    )


def _make_last(folder: Path) -> None:
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
