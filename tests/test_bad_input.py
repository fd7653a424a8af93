"""Bad input: one line that names the file and the way out, nothing lost, nothing half stored."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_testing.command import CommandResult, KbCommand

pytestmark = pytest.mark.e2e


def error_lines(result: CommandResult) -> list[str]:
    assert "Traceback" not in result.stderr + result.stdout
    return [line for line in result.stdout.splitlines() if line.startswith("error: ")]


def write_broken(folder: Path, kind: str) -> Path:
    contents = {
        "empty.wav": b"",
        "header-only.wav": b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80>\0\0\0}\0\0\2\0\x10\0data"
        + bytes(4),
        "malformed.wav": b"RIFF\x24\0\0\0WAVEnonsense" + bytes(range(256)) * 8,
        "noise.mp3": bytes((n * 73 + 41) % 251 for n in range(4096)),
        "page.mp3": b"<!DOCTYPE html><html><body>Not Found</body></html>",
    }
    path = folder / kind
    path.write_bytes(contents[kind])
    return path


@pytest.mark.parametrize(
    "kind", ["empty.wav", "header-only.wav", "malformed.wav", "noise.mp3", "page.mp3"]
)
def test_a_broken_recording_is_one_clear_line_and_exit_2(kb: KbCommand, kind: str) -> None:
    result = kb.run("ingest", write_broken(kb.cwd, kind))
    assert result.exit_code == 2
    (line,) = error_lines(result)
    assert kind in line
    assert kb.run("list", "--json").json["documents"] == []


def test_html_behind_the_name_of_a_recording_is_called_html(kb: KbCommand) -> None:
    (item,) = kb.run("ingest", "--json", write_broken(kb.cwd, "page.mp3")).json["items"]
    assert "HTML" in item["error"]


@pytest.mark.slow
def test_a_video_without_sound_does_not_keep_the_others_out(
    kb: KbCommand, audio_fixtures: Path
) -> None:
    av = pytest.importorskip("av")
    with av.open(str(kb.cwd / "mute.mp4"), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width = stream.height = 32
        for _ in range(5):
            frame = av.VideoFrame(32, 32, "yuv420p")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    shutil.copy(audio_fixtures / "jfk.mp3", kb.cwd / "talk.mp3")
    result = kb.run("ingest", "--json", kb.cwd)
    assert result.exit_code == 4
    items = {item["doc_path"]: item for item in result.json["items"]}
    assert "no audio stream" in items["mute.mp4"]["error"]
    assert items["talk.mp3"]["kind"] == "new"
    (document,) = kb.run("list", "--json").json["documents"]
    assert document["doc_path"] == "talk.mp3"


def test_a_missing_file_is_named(kb: KbCommand) -> None:
    result = kb.run("ingest", "gone.m4a")
    assert result.exit_code == 2
    assert "gone.m4a" in error_lines(result)[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(kb: KbCommand) -> None:
    path = write_broken(kb.cwd, "noise.mp3")
    path.chmod(0)
    result = kb.run("ingest", path)
    assert result.exit_code == 2
    assert "noise.mp3" in error_lines(result)[0]


def test_what_is_no_regular_file_is_listed_and_never_opened(kb: KbCommand) -> None:
    os.mkfifo(kb.cwd / "pipe.wav")
    (kb.cwd / "up").symlink_to(kb.cwd.parent, target_is_directory=True)
    (kb.cwd / "loop.wav").symlink_to("loop.wav")
    result = kb.run("ingest", "--json", kb.cwd, timeout_s=60)
    assert {"pipe.wav", "loop.wav"} <= {item["doc_path"] for item in result.json["items"]}
    assert kb.run("list", "--json").json["documents"] == []


def test_search_before_the_first_ingest_says_what_to_do(kb: KbCommand) -> None:
    result = kb.run("search", "anything")
    assert result.exit_code == 2
    assert "error: no knowledge base at" in result.stderr
    assert "hint: make one with `kb init`" in result.stderr
    assert kb.run("search", "anything", "--json").json["schema_version"] == "error.v1"


@pytest.mark.parametrize("name", ["nobody", "a.m4a:00:00:01-00:00:02", "x.m4a:oops"])
def test_playing_what_is_not_there_is_an_error(kb: KbCommand, name: str, tmp_path: Path) -> None:
    kb.run("init")
    result = kb.run("play", name, "--out", tmp_path / "clip.wav")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert not (tmp_path / "clip.wav").exists()


def test_a_file_that_is_no_model_is_refused(kb: KbCommand, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.bin"
    wrong.write_bytes(b"not a model" * 100)
    result = kb.run("models", "add", wrong)
    assert result.exit_code == 2
    assert "wrong.bin" in result.stderr
    models = {model["name"] for model in kb.run("models", "list", "--json").json["models"]}
    assert "wrong" not in models


def test_a_setting_that_makes_no_sense_is_named(kb: KbCommand) -> None:
    kb.run("init")
    result = kb.run("status", env={"KB_ASR__THREADS": "many"})
    assert result.exit_code == 2
    assert "KB_ASR__THREADS" in result.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("this user may not mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
def test_a_full_disk_stores_nothing_half_and_the_next_run_goes_on(
    kb: KbCommand, audio_fixtures: Path, small_disk: Path
) -> None:
    shutil.copy(audio_fixtures / "jfk.mp3", kb.cwd / "talk.mp3")
    on_disk = KbCommand(small_disk / "data", kb.models_dir, kb.cwd)
    assert on_disk.run("init").exit_code == 0
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(bytes(4096))
            except OSError:
                break
    result = on_disk.run("ingest", kb.cwd)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert "no room left" in result.stdout + result.stderr
    filler.unlink()
    assert on_disk.run("list", "--json").json["documents"] == []
    assert on_disk.run("doctor").exit_code == 0
    assert on_disk.run("ingest", kb.cwd).exit_code == 0
    assert len(on_disk.run("list", "--json").json["documents"]) == 1
