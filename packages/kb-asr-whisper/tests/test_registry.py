import struct
from pathlib import Path

import pytest

from kb_asr_whisper import create_registry
from kb_asr_whisper.embedded import EMBEDDED_SHA256, write_embedded
from kb_asr_whisper.ggml_header import GgmlHeader
from kb_asr_whisper.published import PUBLISHED_MODELS
from kb_asr_whisper.registry import WhisperModelRegistry
from kb_config import Settings
from kb_core.errors import (
    InputError,
    ModelDigestMismatch,
    ModelDownloadFailed,
    ModelError,
    ModelMissing,
    UnreadableFile,
)

SMALL_HEADER = GgmlHeader(51_865, 1500, 8, 1, 1, 448, 8, 1, 1, 80, 1)


def model_bytes(salt: bytes = b"", header: GgmlHeader = SMALL_HEADER) -> bytes:
    body = salt.ljust(header.least_byte_len, b"\0")
    return header.pack() + struct.pack("<2i", header.mel_bands, 201) + body


def model_file(folder: Path, name: str = "ggml-mine.bin", salt: bytes = b"") -> Path:
    path = folder / name
    path.write_bytes(model_bytes(salt))
    return path


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def registry(tmp_path: Path) -> WhisperModelRegistry:
    return WhisperModelRegistry(tmp_path / "models")


def no_progress(done: int, total: int | None) -> None:
    pass


def test_fresh_folder_lists_the_embedded_model_and_the_published_ones(registry):
    models = registry.list_models()
    assert (models[0].name, models[0].status, models[0].source) == ("base", "embedded", "embedded")
    assert [each.name for each in models[1:]] == sorted(PUBLISHED_MODELS.keys() - {"base"})
    assert {each.status for each in models[1:]} == {"available"}
    assert all(each.path is None and each.digest_sha256 is None for each in models)


def test_digests_are_known_without_files(registry, tmp_path):
    assert registry.resolve("base").sha256 == EMBEDDED_SHA256
    assert registry.resolve("small").sha256 == PUBLISHED_MODELS["small"].sha256
    assert not (tmp_path / "models").exists()


def test_embedded_model_is_unpacked_once_and_mended_when_damaged(registry):
    path = registry.obtain("base")
    first = path.stat()
    assert registry.obtain("base").stat().st_mtime_ns == first.st_mtime_ns
    assert registry.list_models()[0].status == "ready"
    with path.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"damage")
    assert not registry.verify("base")[0].ok
    registry.obtain("base")
    assert registry.verify("base")[0].ok


def test_pulling_base_unpacks_the_embedded_one_without_a_network(tmp_path):
    registry = WhisperModelRegistry(tmp_path, base_url="http://127.0.0.1:9")
    seen = []
    info = registry.pull("base", progress=lambda done, total: seen.append((done, total)))
    assert (info.status, info.source) == ("ready", "embedded")
    assert seen[-1] == (info.byte_len, info.byte_len)


def test_added_model_is_listed_after_the_embedded_one(registry, tmp_path):
    info = registry.add(model_file(tmp_path))
    assert (info.name, info.source, info.status) == ("mine", "added", "ready")
    assert [each.name for each in registry.list_models()][:2] == ["base", "mine"]
    assert registry.obtain("mine").read_bytes() == model_bytes()
    assert WhisperModelRegistry(tmp_path / "models").resolve("mine").sha256 == info.digest_sha256


def test_adding_the_same_file_again_changes_nothing(registry, tmp_path):
    file = model_file(tmp_path)
    first = registry.add(file)
    before = {each: each.stat().st_mtime_ns for each in (tmp_path / "models").iterdir()}
    assert registry.add(file) == first
    assert {each: each.stat().st_mtime_ns for each in (tmp_path / "models").iterdir()} == before


def test_another_file_under_a_taken_name_is_refused(registry, tmp_path):
    registry.add(model_file(tmp_path))
    other = model_file(tmp_path, "other.bin", salt=b"other")
    for name in ("mine", "MINE", "small", "base"):
        with pytest.raises(ModelError, match="another model") as caught:
            registry.add(other, name=name)
        assert "--name" in (caught.value.hint or "")
    assert registry.add(other).name == "other"


def test_published_file_copied_by_hand_counts_as_published(registry, tmp_path):
    by_hand = tmp_path / "download" / "ggml-base.bin"
    write_embedded(by_hand)
    info = registry.add(by_hand)
    assert (info.name, info.source, info.digest_sha256) == ("base", "embedded", EMBEDDED_SHA256)
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["ggml-base.bin"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "too short"),
        (b"ID3" + b"\0" * 500, "not a whisper.cpp model"),
        (b"GGUF" + b"\0" * 500, "GGUF"),
        (model_bytes()[:2000], "cut short"),
        (model_bytes(header=GgmlHeader(32_000, 1500, 8, 1, 1, 448, 8, 1, 1, 80, 1)), "header"),
    ],
)
def test_wrong_file_is_refused_by_name_and_nothing_is_kept(registry, tmp_path, content, reason):
    wrong = tmp_path / "wrong.bin"
    wrong.write_bytes(content)
    with pytest.raises(InputError, match=reason) as caught:
        registry.add(wrong)
    assert "wrong.bin" in caught.value.message
    assert not (tmp_path / "models").exists()


def test_absent_file_and_folder_are_unreadable(registry, tmp_path):
    for path in (tmp_path / "absent.bin", tmp_path):
        with pytest.raises(UnreadableFile):
            registry.add(path, name="x")


@pytest.mark.parametrize("name", ["../evil", "a/b", "a b", ".hidden", "", "a\nb"])
def test_name_that_could_leave_the_folder_is_refused(registry, tmp_path, name):
    if name:
        with pytest.raises(ModelError, match="name"):
            registry.add(model_file(tmp_path), name=name)
    with pytest.raises(ModelMissing):
        registry.resolve(name)
    with pytest.raises(ModelMissing):
        registry.pull(name, progress=no_progress)


def test_damaged_model_is_reported_and_not_used(registry, tmp_path):
    registry.add(model_file(tmp_path))
    path = Path(registry.obtain("mine"))
    path.write_bytes(model_bytes(salt=b"damage"))
    assert [(check.name, check.ok) for check in registry.verify()] == [("mine", False)]
    with pytest.raises(ModelDigestMismatch):
        registry.obtain("mine")


@pytest.mark.parametrize("damage", ["{", "[]", "theirs", "../mine"])
def test_damaged_record_is_never_used_and_hides_no_other_model(registry, tmp_path, damage):
    registry.add(model_file(tmp_path))
    registry.add(model_file(tmp_path, "theirs.bin", salt=b"theirs"))
    record = tmp_path / "models" / "ggml-mine.json"
    whole = record.read_text()
    if damage in ("theirs", "../mine"):
        record.write_text(whole.replace('"mine"', f'"{damage}"'))
    else:
        record.write_text(damage)
    assert [each.name for each in registry.list_models()][:2] == ["base", "theirs"]
    assert {check.name: check.ok for check in registry.verify()} == {"theirs": True, "mine": False}
    for ask in (registry.resolve, registry.obtain, registry.verify):
        with pytest.raises(ModelError, match=r"ggml-mine\.json: damaged record") as caught:
            ask("mine")
        assert "`kb models add FILE --name mine`" in (caught.value.hint or "")
    assert registry.add(model_file(tmp_path)).name == "mine"
    assert record.read_text() == whole


def test_model_that_is_not_here_names_the_way_to_get_it(registry, tmp_path):
    for ask in (registry.obtain, registry.verify):
        with pytest.raises(ModelMissing) as caught:
            ask("tiny")
        assert caught.value.message == "model tiny is not on this machine"
        assert caught.value.hint == "`kb models pull tiny`"
    registry.add(model_file(tmp_path))
    (tmp_path / "models" / "ggml-mine.bin").unlink()
    with pytest.raises(ModelMissing) as caught:
        registry.obtain("mine")
    assert caught.value.hint == "`kb models add FILE --name mine`"
    with pytest.raises(ModelMissing):
        registry.obtain("nobody")


def test_wrong_file_of_the_right_size_is_fetched_again(tmp_path):
    registry = WhisperModelRegistry(tmp_path, base_url="http://127.0.0.1:9")
    wrong = tmp_path / "ggml-tiny.bin"
    with wrong.open("wb") as file:
        file.truncate(PUBLISHED_MODELS["tiny"].byte_len)
    with pytest.raises(ModelDownloadFailed, match=r"127\.0\.0\.1:9/ggml-tiny\.bin"):
        registry.pull("tiny", progress=no_progress)


def test_environment_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setenv("KB_MODELS_URL", "http://127.0.0.1:9/from-environment")
    settings = Settings(models_dir=tmp_path, models_url="http://127.0.0.1:9/from-settings")
    with pytest.raises(ModelDownloadFailed, match="from-settings/ggml-tiny"):
        create_registry(settings).pull("tiny", progress=no_progress)
