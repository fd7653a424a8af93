"""Identity of a file: its stamp, its digest, and its name in the knowledge base."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from blake3 import blake3

from kb_core import RawAsset, make_asset_id
from kb_core.errors import InputError, UnreadableFile
from kb_core.ports.store import FileStamp

_BLOCK_BYTES = 1024 * 1024


def stamp_of(path: Path) -> FileStamp:
    """Return what tells without reading it whether a file is the one that was seen before.

    Raises:
        UnreadableFile: there is no such file, or it cannot be looked at.
    """
    try:
        return stamp_from(path.stat())
    except OSError as error:
        raise UnreadableFile(path, error.strerror or str(error)) from error


def stamp_from(status: os.stat_result) -> FileStamp:
    """Return the stamp in the result of `stat`."""
    return FileStamp(byte_len=status.st_size, mtime_ns=status.st_mtime_ns, inode=status.st_ino)


def _go_on() -> None:
    """Let the reading go on."""


def hash_file(path: Path, *, check: Callable[[], None] = _go_on) -> str:
    """Return the BLAKE3 digest of a file as 64 hex characters.

    Read in blocks rather than mapped: a mapped file that another program shortens ends the process.

    Args:
        path: of the file.
        check: called before each block, to stop the reading by an exception of its own.

    Raises:
        UnreadableFile: it cannot be read.
        InputError: it changed while it was read, so that no digest is that of any whole file.
    """
    before = stamp_of(path)
    digest = blake3()
    byte_len = 0
    try:
        with path.open("rb", buffering=0) as stream:
            check()
            while block := stream.read(_BLOCK_BYTES):
                digest.update(block)
                byte_len += len(block)
                check()
    except OSError as error:
        raise UnreadableFile(path, error.strerror or str(error)) from error
    if stamp_of(path) != before or byte_len != before.byte_len:
        raise InputError(
            path, "changed while it was read", hint="run the same command when it is finished"
        )
    return digest.hexdigest()


def workspace_path_of(path: Path, root: Path | None) -> str:
    """Return a file's name in the knowledge base.

    Links in the folders above it are resolved, so that one file has one name whatever way led to
    it; a link in its own place keeps its own name. On POSIX a backslash is a character like any
    other.

    Args:
        path: of the file.
        root: of the workspace; None when there is none.

    Returns:
        NFC, with forward slashes; relative when inside the root and absolute otherwise.

    Raises:
        InputError: the name is not Unicode text, so that nothing could cite it.
    """
    place = Path(os.path.realpath(path.parent)) / path.name
    if root is not None:
        real_root = Path(os.path.realpath(root))
        place = place.relative_to(real_root) if place.is_relative_to(real_root) else place
    name = unicodedata.normalize("NFC", place.as_posix())
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(path, "its name is not UTF-8", hint="rename the file") from error
    return name


def make_asset(
    path: Path,
    media_type: str,
    *,
    root: Path | None = None,
    discovered_at: datetime | None = None,
    check: Callable[[], None] = _go_on,
) -> RawAsset:
    """Read a file's identity.

    Args:
        path: of a regular file.
        media_type: what `sniff` said.
        root: of the workspace.
        discovered_at: when it was found; now, when None.
        check: called before each block that is read, to stop by an exception of its own.

    Raises:
        UnreadableFile: it cannot be read.
        InputError: it changed while it was read, or its name is not UTF-8.
    """
    workspace_path = workspace_path_of(path, root)
    stamp = stamp_of(path)
    checksum = hash_file(path, check=check)
    moment = (discovered_at or datetime.now(UTC)).astimezone(UTC)
    return RawAsset(
        asset_id=make_asset_id(checksum),
        source_path=os.path.abspath(path),
        workspace_path=workspace_path,
        media_type=media_type,
        byte_len=stamp.byte_len,
        checksum=checksum,
        discovered_at=moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
