"""A tree counts as unchanged only if every file in it is known and as it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_source_fs import FoundFile, scan
from kb_source_fs.unchanged_tree import Stamp, unchanged_tree


def stamps(folder: Path) -> dict[str, Stamp]:
    found = (each for each in scan([folder]) if isinstance(each, FoundFile))
    return {
        str(each.path): (each.stamp.byte_len, each.stamp.mtime_ns, each.stamp.inode)
        for each in found
    }


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("one.md", "a/two.md", "a/b/three.md"):
        (tmp_path / name).write_text(name)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "four.md").write_text("four")
    return tmp_path


def test_an_unchanged_tree_gives_its_files_and_what_is_left_out(tree: Path) -> None:
    known = stamps(tree)
    found = unchanged_tree(tree, known)
    assert found is not None
    assert set(found.paths) == set(known)
    (skipped,) = [each for each in scan([tree]) if not isinstance(each, FoundFile)]
    assert found.skipped == [skipped]


CHANGES: dict[str, Callable[[Path], object]] = {
    "new file": lambda tree: (tree / "new.md").write_text("x"),
    "new content": lambda tree: (tree / "one.md").write_text("other words"),
    "touched": lambda tree: os.utime(tree / "a" / "two.md", (1, 1)),
    "replaced by a folder": lambda tree: ((tree / "one.md").unlink(), (tree / "one.md").mkdir()),
    "ignore file": lambda tree: (tree / "a" / ".kbignore").write_text("b/"),
    "link": lambda tree: (tree / "link.md").symlink_to(tree / "one.md"),
    "link to a folder": lambda tree: (tree / "loop").symlink_to(tree),
    "pipe": lambda tree: os.mkfifo(tree / "pipe.md"),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_anything_else_is_for_the_scan(tree: Path, change: str) -> None:
    known = stamps(tree)
    CHANGES[change](tree)
    assert unchanged_tree(tree, known) is None


def test_a_folder_of_kb_itself_inside_is_for_the_scan(tree: Path) -> None:
    assert unchanged_tree(tree, stamps(tree), own_folders=[tree / "a"]) is None


def test_a_folder_that_is_gone_is_for_the_scan(tree: Path) -> None:
    assert unchanged_tree(tree / "no-such", {}) is None
