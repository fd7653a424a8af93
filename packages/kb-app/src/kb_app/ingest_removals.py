"""Which documents an ingest of folders removes.

Decided by where files really are, not by their names in the knowledge base: a folder may be named
through a link or as `..`, and the workspace root may have been another one before.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from kb_core.ports.store import StoredDocument
from kb_source_fs import SkippedPath


class RemovalRule:
    """Collects what a scan left out, then judges documents whose file it did not find."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = [os.path.realpath(folder) for folder in folders]
        self._ignored: list[str] = []
        self._blocked: list[str] = []

    def note(self, skipped: SkippedPath) -> None:
        """Take in something that the scan left out."""
        places = self._blocked if skipped.severity == "error" else self._ignored
        places.append(real_place(skipped.path))

    def removes(self, document: StoredDocument) -> bool:
        """Return whether a document goes, given that its file was not found by the scan.

        It goes when its file lay in one of the folders and is gone or ignored now. What cannot be
        looked at is kept.
        """
        place = real_place(Path(document.source_path))
        if not _is_in(place, self._folders) or _is_in(place, self._blocked):
            return False
        return not os.path.lexists(document.source_path) or _is_in(place, self._ignored)


def real_place(path: Path) -> str:
    """Return where a file is when links in the folders above it are followed."""
    return os.path.join(os.path.realpath(path.parent), path.name)


def _is_in(place: str, folders: Iterable[str]) -> bool:
    return any(place == each or place.startswith(each.rstrip(os.sep) + os.sep) for each in folders)
