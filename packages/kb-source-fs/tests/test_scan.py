"""Each real file once, in one order, and every skip with its reason."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kb_core.errors import ConfigError
from kb_source_fs import FoundFile, SkippedPath, scan

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX file system")


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def found(root: Path, *arguments: Path, **options: object) -> list[str]:
    items = scan(arguments or [root], **options)  # type: ignore[arg-type]
    return [str(item.path.relative_to(root)) for item in items if isinstance(item, FoundFile)]


def skipped(root: Path, *arguments: Path, **options: object) -> dict[str, SkippedPath]:
    items = scan(arguments or [root], **options)  # type: ignore[arg-type]
    return {
        str(item.path.relative_to(root)): item for item in items if isinstance(item, SkippedPath)
    }


@contextmanager
def as_nobody() -> Iterator[Path]:
    """Give a folder, and for a while the rights of somebody who owns nothing else."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)  # noqa: S103
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            os.seteuid(user)


def test_files_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a/z.md", "a.md", "a/b/c.md", "C.md", "가.md", "é.md")
    assert found(tmp_path) == ["C.md", "a/b/c.md", "a/z.md", "a.md", "b.md", "é.md", "가.md"]


def test_the_order_does_not_depend_on_how_a_name_is_spelled_in_unicode(tmp_path: Path) -> None:
    make(tmp_path, "\u1100\u1161.md", "각.md", "e\u0301.md", "f.md")
    assert found(tmp_path) == ["f.md", "e\u0301.md", "\u1100\u1161.md", "각.md"]


def test_a_file_comes_with_its_stamp(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    (item,) = scan([tmp_path])
    status = (tmp_path / "a.md").stat()
    assert isinstance(item, FoundFile)
    assert item.stamp.byte_len == 4
    assert item.stamp.mtime_ns == status.st_mtime_ns
    assert item.stamp.inode == status.st_ino


def test_overlapping_arguments_give_each_file_once(tmp_path: Path) -> None:
    make(tmp_path, "n/a.md", "n/b/c.md")
    arguments = [tmp_path / "n/b", tmp_path / "n", tmp_path / "n/a.md", tmp_path / "n/b/../a.md"]
    assert found(tmp_path, *arguments) == ["n/b/c.md", "n/a.md"]


def test_relative_arguments_become_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "n/a.md")
    monkeypatch.chdir(tmp_path / "n")
    assert found(tmp_path, Path(".")) == ["n/a.md"]
    assert found(tmp_path, Path("a.md")) == ["n/a.md"]


@posix_only
def test_links_that_lead_back_up_end_the_walk(tmp_path: Path) -> None:
    make(tmp_path, "n/a.md")
    (tmp_path / "n" / "parent").symlink_to(tmp_path / "n")
    (tmp_path / "n" / "self").symlink_to("self")
    assert found(tmp_path) == ["n/a.md"]
    skips = skipped(tmp_path)
    assert skips["n/parent"].reason == "a link to a folder"
    assert skips["n/parent"].severity == "ignored"
    assert skips["n/self"].severity == "error"


@posix_only
def test_a_link_to_a_file_outside_is_taken_under_its_own_name(tmp_path: Path) -> None:
    make(tmp_path, "outside/real.md", "n/a.md")
    (tmp_path / "n" / "1.md").symlink_to(tmp_path / "outside" / "real.md")
    (tmp_path / "n" / "2.md").symlink_to(tmp_path / "outside" / "real.md")
    assert found(tmp_path, tmp_path / "n") == ["n/a.md", "n/1.md"]
    skips = skipped(tmp_path, tmp_path / "n")
    assert "taken itself" in skips["n/2.md"].reason


@posix_only
def test_a_link_to_a_file_that_is_found_itself_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, "n/real.md")
    (tmp_path / "n" / "a link.md").symlink_to("real.md")
    assert found(tmp_path) == ["n/real.md"]
    assert skipped(tmp_path)["n/a link.md"].severity == "ignored"
    assert found(tmp_path, tmp_path / "n/a link.md") == ["n/a link.md"]


@posix_only
def test_a_link_to_a_folder_is_followed_when_it_is_named(tmp_path: Path) -> None:
    make(tmp_path, "real/a.md")
    (tmp_path / "link").symlink_to("real")
    assert found(tmp_path, tmp_path / "link") == ["link/a.md"]


@posix_only
def test_a_broken_link_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.md").symlink_to("gone.md")
    assert skipped(tmp_path)["x.md"].severity == "error"
    assert "nowhere" in skipped(tmp_path)["x.md"].reason


@posix_only
def test_pipes_and_sockets_are_skipped_and_never_opened(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    os.mkfifo(tmp_path / "notes.md")
    (tmp_path / "to pipe.md").symlink_to("notes.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.md"))
        assert found(tmp_path) == ["a.md"]
        skips = skipped(tmp_path)
    assert skips["notes.md"].reason == "a named pipe"
    assert skips["notes.md"].severity == "ignored"
    assert skips["s.md"].reason == "a socket"
    assert skips["to pipe.md"].reason == "a link to a named pipe"
    assert skipped(tmp_path, tmp_path / "notes.md")["notes.md"].severity == "error"


@posix_only
def test_what_may_not_be_read_is_an_error_and_the_rest_is_found() -> None:
    with as_nobody() as root:
        make(root, "a.md", "secret.md", "locked/b.md")
        (root / "secret.md").chmod(0)
        (root / "locked").chmod(0)
        try:
            assert found(root) == ["a.md"]
            skips = skipped(root)
        finally:
            (root / "locked").chmod(0o700)
    assert {name: skip.severity for name, skip in skips.items()} == {
        "secret.md": "error",
        "locked": "error",
    }
    assert skips["secret.md"].reason == "Permission denied"


@posix_only
def test_a_name_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("x")
        os.mkdir(os.fsencode(tmp_path) + b"/\xfe")
    except OSError:
        pytest.skip("this file system has no such names")
    assert found(tmp_path) == ["a.md"]
    skips = skipped(tmp_path)
    assert skips["\udcff.md"].severity == "error"
    assert skips["\udcff.md"].reason == "its name is not UTF-8"
    assert skips["\udcfe"].severity == "error"
    assert skipped(tmp_path, tmp_path / "\udcff.md")["\udcff.md"].severity == "error"


@posix_only
def test_names_that_only_differ_in_unicode_spelling_are_not_mixed_up(tmp_path: Path) -> None:
    make(tmp_path, "é.md", "e\u0301.md")
    if len(os.listdir(tmp_path)) == 1:
        pytest.skip("this file system takes them for one")
    assert found(tmp_path) == ["e\u0301.md"]
    assert skipped(tmp_path)["é.md"].severity == "error"


def test_hidden_and_unfinished_files_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, "a.md", ".git/x.md", "sub/.hidden.md", "node_modules/x.md", "__pycache__/x")
    make(tmp_path, "Thumbs.db", ".DS_Store", "~$a.docx", "a.mp3.part", "a.tmp", "a.crdownload")
    assert found(tmp_path) == ["a.md"]
    skips = skipped(tmp_path)
    assert set(skips) == {
        ".DS_Store", ".git", "Thumbs.db", "__pycache__", "a.crdownload", "a.mp3.part", "a.tmp",
        "node_modules", "sub/.hidden.md", "~$a.docx",
    }  # fmt: skip
    assert {skip.severity for skip in skips.values()} == {"ignored"}


def test_what_is_named_is_taken_whatever_the_rules_say(tmp_path: Path) -> None:
    make(tmp_path, ".hidden/a.md", ".b.md")
    assert found(tmp_path, tmp_path / ".hidden", tmp_path / ".b.md") == [".hidden/a.md", ".b.md"]


def test_ignore_files_hold_for_their_folder_and_below(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "a.wav", "x/b.wav", "x/keep.wav", "x/y/c.wav", "x/drafts/d.md", "drafts")
    (tmp_path / ".kbignore").write_text("# no sound\n*.wav\ndrafts/\n", encoding="utf-8-sig")
    (tmp_path / "x" / ".kbignore").write_text("!keep.wav\n/y/\n")
    assert found(tmp_path) == ["a.md", "drafts", "x/keep.wav"]
    skips = skipped(tmp_path)
    assert skips["x/y"].reason == f"left out by {tmp_path / 'x' / '.kbignore'}"
    assert skips["x/b.wav"].reason == f"left out by {tmp_path / '.kbignore'}"


def test_an_ignore_file_can_take_a_built_in_rule_back(tmp_path: Path) -> None:
    make(tmp_path, ".obsidian/a.md", ".git/b.md")
    (tmp_path / ".kbignore").write_text("!.obsidian/\n")
    assert found(tmp_path) == [".obsidian/a.md"]


def test_patterns_of_the_caller_hold_in_every_argument(tmp_path: Path) -> None:
    make(tmp_path, "p/a.md", "p/b.wav", "q/c.wav", "q/d.md")
    arguments = [tmp_path / "p", tmp_path / "q"]
    assert found(tmp_path, *arguments, ignore=["*.wav"]) == ["p/a.md", "q/d.md"]
    with pytest.raises(ConfigError):
        found(tmp_path, ignore=["!"])


def test_a_bad_ignore_file_lets_nothing_through(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "x/secret.md")
    (tmp_path / "x" / ".kbignore").write_text("!\n")
    assert found(tmp_path) == ["a.md"]
    assert skipped(tmp_path)["x"].severity == "error"
    assert ".kbignore" in skipped(tmp_path)["x"].reason


def test_folders_of_kb_itself_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "kb/config.toml", "kb/models/m.bin")
    assert found(tmp_path, own_folders=[tmp_path / "kb"]) == ["a.md"]
    assert skipped(tmp_path, own_folders=[tmp_path / "kb"])["kb"].severity == "ignored"
    assert "a.md" in found(tmp_path, own_folders=[tmp_path]), "notes beside the knowledge base"


def test_a_missing_argument_is_an_error_and_the_rest_is_found(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    items = list(scan([tmp_path / "gone", tmp_path]))
    assert [type(item) for item in items] == [SkippedPath, FoundFile]
    assert isinstance(items[0], SkippedPath)
    assert items[0].severity == "error"
    assert items[0].reason == "No such file or directory"


def test_a_skip_is_told_once(tmp_path: Path) -> None:
    make(tmp_path, "n/.hidden")
    items = list(scan([tmp_path, tmp_path / "n", tmp_path / "n"]))
    assert [item.path for item in items] == [tmp_path / "n" / ".hidden"]


@posix_only
def test_strange_names_stay_apart(tmp_path: Path) -> None:
    names = [
        "a:1 #2 [x].md",
        "foo/bar.md",
        "foo\\bar.md",
        "talk 00:10-00:20.srt",
        "가" * 84 + ".md",
    ]
    make(tmp_path, *names, "new\nline.md", " lead.md", "-rf.md")
    assert sorted(found(tmp_path)) == sorted([*names, "new\nline.md", " lead.md", "-rf.md"])


def test_deep_folders_are_walked(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 1100)
    place = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(1100):
            os.mkdir("d", dir_fd=place)
            inner = os.open("d", os.O_RDONLY, dir_fd=place)
            os.close(place)
            place = inner
    finally:
        os.close(place)
    (deep / "a.md").write_text("x")
    assert found(tmp_path) == [str((deep / "a.md").relative_to(tmp_path))]
    # pytest could not remove it: it recurses.
    (deep / "a.md").unlink()
    while deep != tmp_path:
        deep.rmdir()
        deep = deep.parent
