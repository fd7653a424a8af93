"""Walking files and folders: each real file once, in an order that is the same everywhere.

Nothing but regular files is ever opened: opening a named pipe waits for ever. A link to a folder is
not followed, because it may lead back up; a link to a file is taken under its own name, unless the
file itself was found too. What is left out is reported, never silently lost.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from kb_core import Model, nfc
from kb_core.errors import KbError, printable
from kb_core.ports.store import FileStamp
from kb_source_fs.asset import stamp_from
from kb_source_fs.ignore import (
    DEFAULT_IGNORES,
    DEFAULT_ORIGIN,
    IGNORE_FILE_NAME,
    IgnoreList,
    ignore_list,
    ignored_by,
    read_ignore_file,
)

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


_NOT_UTF8 = "its name is not UTF-8"
_OWN_FOLDER = "a folder of kb itself"


class FoundFile(Model):
    """A regular file that can be opened.

    Attributes:
        path: absolute.
        stamp: as it was when it was found.
    """

    path: Path
    stamp: FileStamp


class SkippedPath(Model):
    """Something that was left out.

    Attributes:
        path: absolute; may hold bytes that are no text, so show it with `printable`.
        reason: in words.
        severity: `error` for what the user would want but kb cannot have, `ignored` for the rest.
    """

    path: Path
    reason: str
    severity: Literal["ignored", "error"]


def left_out(path: Path, origin: str) -> SkippedPath:
    """Return what is said of a path that a rule from `origin` leaves out."""
    return SkippedPath(path=path, reason=f"left out by {printable(origin)}", severity="ignored")


def scan(
    paths: Iterable[Path], *, ignore: Sequence[str] = (), own_folders: Sequence[Path] = ()
) -> Iterator[FoundFile | SkippedPath]:
    """Find files.

    Args:
        paths: files and folders; what is named here is taken whatever the ignore rules say of it.
        ignore: more patterns in `.gitignore` syntax, relative to each folder of `paths`.
        own_folders: folders of kb itself, left out where they lie below one of `paths`.

    Yields:
        For each argument its files in the order of their names in NFC, what was skipped among them,
        and links to files at the very end.

    Raises:
        ConfigError: a pattern in `ignore` makes no sense.
    """
    ignore_list(Path(), ignore, "ignore")
    walk = _Walk(ignore, own_folders)
    arguments = (walk.argument(_absolute(path)) for path in paths)
    skipped: set[Path] = set()
    for found in chain(chain.from_iterable(arguments), walk.links()):
        if isinstance(found, FoundFile):
            yield found
        elif found.path not in skipped:
            skipped.add(found.path)
            yield found


@dataclass(frozen=True, slots=True)
class _Entry:
    """Something in a folder that no rule leaves out."""

    path: Path
    status: os.stat_result
    rules: Sequence[IgnoreList]


class _Walk:
    """State of one scan: what was taken so far, and links that wait for the end."""

    def __init__(self, ignore: Sequence[str], own_folders: Sequence[Path]) -> None:
        self._ignore = ignore
        self._own_folders = {
            (status.st_dev, status.st_ino)
            for status in (folder.stat() for folder in own_folders if folder.exists())
        }
        self._taken: set[str] = set()
        self._names: dict[str, Path] = {}
        self._links: dict[Path, None] = {}

    def argument(self, path: Path) -> Iterator[FoundFile | SkippedPath]:
        try:
            status = path.stat()
        except OSError as error:
            yield _error(path, error)
            return
        if stat.S_ISDIR(status.st_mode):
            yield from self._folder(path)
        elif path.is_symlink():
            self._links[path] = None
        elif stat.S_ISREG(status.st_mode):
            yield from self._file(path)
        else:
            yield SkippedPath(path=path, reason=_kind(status), severity="error")

    def links(self) -> Iterator[FoundFile | SkippedPath]:
        for path in sorted(self._links, key=_order):
            target = os.path.realpath(path)
            if target in self._taken:
                reason = f"a link to {printable(target)}, which is taken itself"
                yield SkippedPath(path=path, reason=reason, severity="ignored")
            else:
                yield from self._file(path)

    def _folder(self, root: Path) -> Iterator[FoundFile | SkippedPath]:
        rules = [
            ignore_list(root, DEFAULT_IGNORES, DEFAULT_ORIGIN),
            ignore_list(root, self._ignore, "the settings"),
        ]
        pending = _children(root, rules)
        while pending:
            entry = pending.pop()
            if isinstance(entry, SkippedPath):
                yield entry
            elif not stat.S_ISDIR(entry.status.st_mode):
                yield from self._entry(entry.path, entry.status)
            elif (entry.status.st_dev, entry.status.st_ino) in self._own_folders:
                yield SkippedPath(path=entry.path, reason=_OWN_FOLDER, severity="ignored")
            else:
                pending += _children(entry.path, entry.rules)

    def _entry(self, path: Path, status: os.stat_result) -> Iterator[FoundFile | SkippedPath]:
        if stat.S_ISREG(status.st_mode):
            yield from self._file(path)
        elif stat.S_ISLNK(status.st_mode):
            yield from self._link(path)
        else:
            yield SkippedPath(path=path, reason=_kind(status), severity="ignored")

    def _link(self, path: Path) -> Iterator[SkippedPath]:
        try:
            status = path.stat()
        except OSError as error:
            reason = f"a link that leads nowhere: {error.strerror or error}"
            yield SkippedPath(path=path, reason=reason, severity="error")
            return
        if stat.S_ISREG(status.st_mode):
            self._links[path] = None
        elif stat.S_ISDIR(status.st_mode):
            yield SkippedPath(path=path, reason="a link to a folder", severity="ignored")
        else:
            reason = f"a link to {_kind(status)}"
            yield SkippedPath(path=path, reason=reason, severity="ignored")

    def _file(self, path: Path) -> Iterator[FoundFile | SkippedPath]:
        real = os.path.realpath(path)
        if real in self._taken:
            return
        self._taken.add(real)
        if not _is_text(str(path)):
            yield SkippedPath(path=path, reason=_NOT_UTF8, severity="error")
            return
        name = nfc(os.path.join(os.path.realpath(path.parent), path.name))
        if self._names.setdefault(name, path) != path:
            reason = "its name differs from that of a neighbour only in how Unicode spells it"
            yield SkippedPath(path=path, reason=reason, severity="error")
            return
        try:
            yield FoundFile(path=path, stamp=stamp_from(_status_of_open(path)))
        except OSError as error:
            yield _error(path, error)


def _children(folder: Path, rules: Sequence[IgnoreList]) -> list[_Entry | SkippedPath]:
    """Return what is in a folder, last name first."""
    try:
        names = os.listdir(folder)
        if IGNORE_FILE_NAME in names and (folder / IGNORE_FILE_NAME).is_file():
            rules = [*rules, read_ignore_file(folder / IGNORE_FILE_NAME)]
    except OSError as error:
        return [_error(folder, error)]
    except KbError as error:
        reason = f"not read, because of {error.message}"
        return [SkippedPath(path=folder, reason=reason, severity="error")]
    children = sorted((folder / name for name in names if name != IGNORE_FILE_NAME), key=_order)
    return [_looked_at(child, rules) for child in reversed(children)]


def _looked_at(path: Path, rules: Sequence[IgnoreList]) -> _Entry | SkippedPath:
    try:
        status = path.lstat()
    except OSError as error:
        return _error(path, error)
    origin = ignored_by(path, is_folder=stat.S_ISDIR(status.st_mode), lists=rules)
    if origin is not None:
        return left_out(path, origin)
    if not _is_text(path.name):
        return SkippedPath(path=path, reason=_NOT_UTF8, severity="error")
    return _Entry(path, status, rules)


def _status_of_open(path: Path) -> os.stat_result:
    """Open a file to see that it can be opened; nothing else tells, whatever its mode says.

    Not waiting keeps a named pipe that took the file's place meanwhile from stopping the scan.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    try:
        status = os.fstat(handle)
    finally:
        os.close(handle)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"it became {_kind(status)}")
    return status


def _absolute(path: Path) -> Path:
    # A ".." after a link means the parent of the link's target, which only the system knows.
    return Path(os.path.realpath(path)) if ".." in path.parts else path.absolute()


def _order(path: Path) -> tuple[str, str]:
    return nfc(str(path)), str(path)


def _is_text(name: str) -> bool:
    return not any(0xD800 <= ord(char) <= 0xDFFF for char in name)


def _kind(status: os.stat_result) -> str:
    return _KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")


def _error(path: Path, error: OSError) -> SkippedPath:
    return SkippedPath(path=path, reason=error.strerror or str(error), severity="error")
