"""The shortest answer to an ingest: nothing has changed since the last one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from kb_app.container import Container
from kb_app.staleness import StalenessCheck, stale_reasons
from kb_core.errors import KbError
from kb_source_fs.unchanged_tree import UnchangedTree, unchanged_tree

MIN_FILES = 1_000
"""For fewer, every file is named in the report, which takes no time that anybody notices."""


def unchanged_folders(container: Container, paths: Sequence[Path]) -> list[UnchangedTree] | None:
    """Return what is in the folders if an ingest of them has nothing to do, else None.

    None as well where that cannot be said without looking closer: few files, files named by
    themselves, recordings whose transcripts are files beside them.
    """
    store = container.store
    known = {each.source_path: each[1:4] for each in store.known_files()}
    if len(known) < MIN_FILES or store.has_companions() or not _is_current(container):
        return None
    trees = []
    for path in paths:
        if not os.path.isdir(path):
            return None
        tree = unchanged_tree(path, known, own_folders=container.own_folders)
        if tree is None or len(tree.paths) < _count_below(known, path):
            return None
        trees.append(tree)
    return trees


def _is_current(container: Container) -> bool:
    check = StalenessCheck(container)
    try:
        return not any(
            stale_reasons(versions, check.current_versions(media_type, versions.choices))
            for media_type, versions in container.store.version_groups()
        )
    except KbError:
        return False


def _count_below(known: dict[str, tuple[int, int, int]], folder: Path) -> int:
    """Return how many known files lie in a folder, under whatever name it has.

    A folder that is reached through a link has none here, and its files are not known by that name
    either.
    """
    place = os.path.abspath(folder).rstrip(os.sep) + os.sep
    return sum(path.startswith(place) for path in known)
