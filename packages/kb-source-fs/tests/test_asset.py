"""A file's identity is its content, and its name is one name whatever way led to it."""

import os
import threading
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from blake3 import blake3

from kb_core import make_asset_id
from kb_core.errors import Cancelled, InputError, UnreadableFile
from kb_source_fs import hash_file, make_asset, stamp_of, workspace_path_of


def test_the_digest_is_that_of_all_bytes(tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000 + b"end"
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    assert hash_file(path) == blake3(data).hexdigest()
    path.write_bytes(b"")
    assert hash_file(path) == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"


def test_a_file_that_grows_while_it_is_read_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "recording.wav"
    path.write_bytes(bytes(3 * 1024 * 1024))
    grow_once = threading.Event()

    class GrowingDigest:
        def update(self, block: bytes) -> None:
            if not grow_once.is_set():
                grow_once.set()
                with path.open("ab") as stream:
                    stream.write(b"more")

        def hexdigest(self) -> str:
            return ""

    monkeypatch.setattr("kb_source_fs.asset.blake3", GrowingDigest)
    with pytest.raises(InputError, match=r"recording\.wav: changed while it was read"):
        hash_file(path)


def test_reading_can_be_stopped_between_blocks(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    path.write_bytes(bytes(3 * 1024 * 1024))
    for read in (hash_file, partial(make_asset, media_type="audio/wav")):
        looks: list[None] = []

        def stop_at_the_second(looks: list[None] = looks) -> None:
            looks.append(None)
            if len(looks) == 2:
                raise Cancelled

        with pytest.raises(Cancelled):
            read(path, check=stop_at_the_second)
        assert len(looks) == 2


def test_a_file_that_is_replaced_while_it_is_read_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "a.wav", tmp_path / "b.wav"
    path.write_bytes(b"same length")
    other.write_bytes(b"other bytes")
    status = path.stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))

    class ReplacingDigest:
        def update(self, block: bytes) -> None:
            other.replace(path)

        def hexdigest(self) -> str:
            return ""

    monkeypatch.setattr("kb_source_fs.asset.blake3", ReplacingDigest)
    with pytest.raises(InputError, match="changed while it was read"):
        hash_file(path)


def test_missing_files_and_folders_are_named_errors(tmp_path: Path) -> None:
    for call in (stamp_of, hash_file):
        with pytest.raises(UnreadableFile, match="gone"):
            call(tmp_path / "gone")
    with pytest.raises(UnreadableFile):
        hash_file(tmp_path)


def test_the_stamp_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("one")
    before = stamp_of(path)
    assert stamp_of(path) == before
    os.utime(path, ns=(1, before.mtime_ns + 1))
    assert stamp_of(path) != before


def test_a_name_inside_the_root_is_relative_and_outside_it_absolute(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "notes"
    root.mkdir()
    assert workspace_path_of(root / "a" / "b.md", root) == "a/b.md"
    outside = root.parent / "notes2" / "a.md"
    assert workspace_path_of(outside, root) == outside.as_posix()
    assert workspace_path_of(root / "a.md", None) == (root / "a.md").as_posix()


def test_a_name_is_nfc(tmp_path: Path) -> None:
    assert workspace_path_of(tmp_path / "\u1112\u1161\u11ab.md", tmp_path) == "한.md"


@pytest.mark.skipif(os.name != "posix", reason="a backslash separates elsewhere")
def test_a_backslash_is_a_character(tmp_path: Path) -> None:
    with_backslash = workspace_path_of(tmp_path / "foo\\bar.md", tmp_path)
    assert with_backslash == "foo\\bar.md"
    assert with_backslash != workspace_path_of(tmp_path / "foo" / "bar.md", tmp_path)


def test_a_file_has_one_name_whatever_way_led_to_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_text("x")
    (tmp_path / "way").symlink_to("real")
    (tmp_path / "real" / "link.md").symlink_to("a.md")
    for root in (tmp_path / "real", tmp_path / "way"):
        for folder in ("real", "way"):
            assert workspace_path_of(tmp_path / folder / "a.md", root) == "a.md"
            assert workspace_path_of(tmp_path / folder / "link.md", root) == "link.md"


def test_a_name_that_is_not_utf8_cannot_be_cited(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\\xff\.md: its name is not UTF-8"):
        workspace_path_of(tmp_path / "\udcff.md", tmp_path)


def test_an_asset_holds_the_identity_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("text")
    moment = datetime(2026, 4, 27, 9, 30, 0, 999, tzinfo=UTC)
    asset = make_asset(path, "markdown", root=tmp_path, discovered_at=moment)
    assert asset.asset_id == make_asset_id(asset.checksum)
    assert asset.checksum == blake3(b"text").hexdigest()
    assert asset.source_path == str(path)
    assert asset.workspace_path == "a.md"
    assert asset.byte_len == 4
    assert asset.discovered_at == "2026-04-27T09:30:00Z"
    assert make_asset(path, "markdown", root=tmp_path).discovered_at.endswith("Z")


def test_the_same_bytes_elsewhere_are_the_same_asset(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("text")
    first, second = (make_asset(tmp_path / name, "markdown") for name in ("a.md", "b.md"))
    assert first.asset_id == second.asset_id
    assert first.workspace_path != second.workspace_path
