import multiprocessing
import struct
from pathlib import Path

import pytest

from kb_asr_whisper import embedded, model_files
from kb_asr_whisper.ctranslate2_file import JoinedFile, read_variables
from kb_asr_whisper.embedded import EMBEDDED_BYTE_LEN, EMBEDDED_SHA256, write_embedded
from kb_asr_whisper.mel_filters import mel_filter_bank
from kb_asr_whisper.model_files import sha256_of
from kb_core.errors import ModelDigestMismatch, ModelError


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_embedded_weights_become_the_published_base_model(tmp_path):
    target = tmp_path / "models" / "ggml-base.bin"
    write_embedded(target)
    assert target.stat().st_size == EMBEDDED_BYTE_LEN
    assert sha256_of(target) == EMBEDDED_SHA256
    assert names_in(target.parent) == ["ggml-base.bin"]


def test_two_processes_unpacking_at_once_leave_one_whole_file(tmp_path):
    target = tmp_path / "ggml-base.bin"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_embedded, args=(target,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert sha256_of(target) == EMBEDDED_SHA256
    assert names_in(tmp_path) == ["ggml-base.bin"]


def test_full_disk_is_one_clear_error_and_leaves_nothing(tmp_path, monkeypatch):
    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(model_files.os, "fsync", refuse)
    with pytest.raises(ModelError, match="no room left") as caught:
        write_embedded(tmp_path / "ggml-base.bin")
    assert caught.value.hint
    assert names_in(tmp_path) == []


def test_unwritable_folder_is_named(tmp_path):
    blocker = tmp_path / "file"
    blocker.write_bytes(b"")
    with pytest.raises(ModelError, match="file"):
        write_embedded(blocker / "models" / "ggml-base.bin")


def test_wrong_weights_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "_SOURCE_SHA256", "0" * 64)
    with pytest.raises(ModelDigestMismatch):
        write_embedded(tmp_path / "ggml-base.bin")
    assert names_in(tmp_path) == []


def test_failed_writing_keeps_the_file_that_was_there(tmp_path):
    target = tmp_path / "ggml-x.bin"
    target.write_bytes(b"old")

    def breaking():
        yield b"new"
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        model_files.write_whole(target, breaking())
    assert target.read_bytes() == b"old"
    assert names_in(tmp_path) == ["ggml-x.bin"]


def test_parts_read_as_one_file(tmp_path):
    (tmp_path / "a").write_bytes(b"0123")
    (tmp_path / "b").write_bytes(b"4567")
    with JoinedFile([tmp_path / "a", tmp_path / "b"]) as joined:
        assert joined.byte_len == 8
        assert [joined.read(start, 4) for start in (0, 2, 4, 6)] == [
            b"0123",
            b"2345",
            b"4567",
            b"67",
        ]


def test_file_of_another_layout_is_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"\x07\0\0\0rest")
    with JoinedFile([tmp_path / "a"]) as joined, pytest.raises(ValueError, match="CTranslate2"):
        read_variables(joined)


def test_mel_filters_are_triangles_of_unit_area():
    weights = struct.unpack(f"<{80 * 201}f", mel_filter_bank(80))
    rows = [weights[row * 201 : (row + 1) * 201] for row in range(80)]
    assert all(min(row) == 0 < max(row) for row in rows)
    peaks = [row.index(max(row)) for row in rows]
    assert peaks == sorted(peaks)
    assert sum(rows[-1]) * 40 == pytest.approx(1.0, abs=0.05)
