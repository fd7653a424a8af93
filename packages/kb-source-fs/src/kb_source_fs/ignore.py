"""What a scan leaves out: built-in rules, the caller's, and `.kbignore` files.

All are lists of patterns in the syntax of `.gitignore`, each for the folder that it stands in and
what is below it. The nearest list that says anything about a path decides, so that a `.kbignore`
can take back a built-in rule with `!`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from kb_core.errors import ConfigError, UnreadableFile, printable

IGNORE_FILE_NAME = ".kbignore"

DEFAULT_ORIGIN = "kb's own rules"
DEFAULT_IGNORES = (
    ".*",
    "node_modules/",
    "__pycache__/",
    "Thumbs.db",
    "desktop.ini",
    "~$*",
    "*.part",
    "*.tmp",
    "*.crdownload",
)


@dataclass(frozen=True, slots=True)
class IgnoreList:
    """Patterns that hold below one folder.

    Attributes:
        folder: what the patterns are relative to.
        spec: the patterns.
        origin: where they come from, in words.
    """

    folder: Path
    spec: GitIgnoreSpec
    origin: str


def ignore_list(folder: Path, patterns: Iterable[str], origin: str) -> IgnoreList:
    """Compile patterns.

    Raises:
        ConfigError: one of them makes no sense.
    """
    try:
        spec = GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise ConfigError(f"{printable(origin)}: {printable(str(error))}") from error
    return IgnoreList(folder, spec, origin)


def read_ignore_file(path: Path) -> IgnoreList:
    """Read a `.kbignore`.

    Raises:
        UnreadableFile: it cannot be read.
        ConfigError: it holds a pattern that makes no sense.
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise UnreadableFile(path, error.strerror or str(error)) from error
    return ignore_list(path.parent, text.splitlines(), str(path))


def ignored_by(path: Path, *, is_folder: bool, lists: Iterable[IgnoreList]) -> str | None:
    """Return the origin of the rule that leaves `path` out, or None when it is taken.

    Args:
        path: of a file or folder below the folders of all lists.
        is_folder: whether it is a folder.
        lists: outermost first.
    """
    decision = None
    for rules in lists:
        name = path.relative_to(rules.folder).as_posix() + ("/" if is_folder else "")
        verdict = rules.spec.check_file(name).include
        if verdict is not None:
            decision = rules.origin if verdict else None
    return decision
