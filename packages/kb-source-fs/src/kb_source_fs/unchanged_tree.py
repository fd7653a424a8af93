"""Whether anything in a folder differs from what is known of it, as fast as the system tells.

One walk and one look at each file, nothing opened, no object made for a file that is as it was. It
answers only for trees in which every file is known; whatever else there is (a new file, a link, a
`.kbignore`) is for `scan` to judge.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb_source_fs.ignore import (
    DEFAULT_IGNORES,
    DEFAULT_ORIGIN,
    IGNORE_FILE_NAME,
    IgnoreList,
    ignore_list,
    ignored_by,
)
from kb_source_fs.scan import SkippedPath, left_out

Stamp = tuple[int, int, int]
"""byte_len, mtime_ns, inode."""


@dataclass(frozen=True, slots=True)
class UnchangedTree:
    """A folder that is as it was.

    Attributes:
        paths: of its files.
        skipped: what built-in rules leave out of it.
    """

    paths: Collection[str]
    skipped: Sequence[SkippedPath]


def unchanged_tree(
    folder: Path, known: Mapping[str, Stamp], *, own_folders: Sequence[Path] = ()
) -> UnchangedTree | None:
    """Return the files of a folder if all of them are known and none has changed, else None.

    Args:
        folder: to look at, with all that is below it.
        known: stamps by absolute path, as they were when the files were taken in.
        own_folders: folders of kb itself; with one of them inside, the answer is None.
    """
    root = os.path.abspath(folder)
    own = {os.path.realpath(each) for each in own_folders}
    look = _Look(known, ignore_list(Path(root), DEFAULT_IGNORES, DEFAULT_ORIGIN))
    pending = [root]
    try:
        while pending:
            place = pending.pop()
            if os.path.realpath(place) in own:
                return None
            with os.scandir(place) as entries:
                for entry in entries:
                    if not look.takes(entry, pending):
                        return None
    except OSError:
        return None
    return UnchangedTree(paths=look.paths, skipped=look.skipped())


class _Look:
    """What one walk has found."""

    def __init__(self, known: Mapping[str, Stamp], rules: IgnoreList) -> None:
        self._known = known
        self._rules = [rules]
        self._left_out: list[Path] = []
        self.paths: set[str] = set()

    def takes(self, entry: os.DirEntry[str], pending: list[str]) -> bool:
        """Return whether an entry is nothing new; folders are put off until later."""
        path = entry.path
        stamp = self._known.get(path)
        if stamp is not None:
            status = entry.stat(follow_symlinks=False)
            self.paths.add(path)
            found = (status.st_size, status.st_mtime_ns, status.st_ino)
            return found == stamp and stat.S_ISREG(status.st_mode)
        if entry.name == IGNORE_FILE_NAME:
            return False
        is_folder = entry.is_dir(follow_symlinks=False)
        if ignored_by(Path(path), is_folder=is_folder, lists=self._rules):
            self._left_out.append(Path(path))
            return True
        if is_folder:
            pending.append(path)
        return is_folder

    def skipped(self) -> list[SkippedPath]:
        """Return what was left out, in order."""
        return [left_out(path, DEFAULT_ORIGIN) for path in sorted(self._left_out)]
