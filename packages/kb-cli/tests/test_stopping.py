"""Ctrl-C and readers that go away: one line, the right exit code, no traceback."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import wave
from pathlib import Path

import pytest

from kb_testing.command import KbCommand

AUDIO = Path(__file__).parents[3] / "fixtures" / "audio"
STOPPED = ["error: stopped", "hint: run the same command again to go on"]
HEADER_ONLY_WAV = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80>\0\0\0}\0\0\2\0\x10\0data" + bytes(
    4
)


def write_long_speech(path: Path) -> None:
    """Write the same eleven seconds of speech thirty times."""
    with wave.open(str(AUDIO / "jfk.wav")) as speech, wave.open(str(path), "wb") as file:
        file.setparams(speech.getparams())
        sound = speech.readframes(speech.getnframes())
        for _ in range(30):
            file.writeframes(sound)


def start(kb: KbCommand, argv: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        argv,
        cwd=kb.cwd,
        env=kb.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("arguments", [["list"], ["ingest", "--json", "."]])
def test_a_stop_while_the_program_is_still_being_loaded_is_one_line_and_exit_4(
    kb: KbCommand, arguments: list[str]
) -> None:
    argv = [sys.executable, "-X", "importtime", *kb.argv(*arguments)[1:]]
    process = start(kb, argv)
    assert process.stderr is not None
    for line in process.stderr:
        if "typer" in line:  # the entry point is running, and loads the commands
            break
    process.send_signal(signal.SIGINT)
    stdout, rest = process.communicate(timeout=60)
    said = [line for line in rest.splitlines() if not line.startswith("import time:")]
    assert said == STOPPED
    assert process.returncode == 4
    codes = [json.loads(line)["code"] for line in stdout.splitlines()]
    assert codes == (["cancelled"] if "--json" in arguments else [])


@pytest.mark.slow
@pytest.mark.parametrize("stops", [1, 2])
def test_a_stop_in_the_middle_of_a_recording_is_exit_4(kb: KbCommand, stops: int) -> None:
    write_long_speech(kb.cwd / "long.wav")
    process = start(kb, kb.argv("ingest", "--json", "long.wav"))
    assert process.stdout is not None
    assert process.stderr is not None
    for line in process.stdout:
        if '"file_progress"' in line:
            break
    said = ""
    for _ in range(stops):
        process.send_signal(signal.SIGINT)
        if stops > 1:
            said += process.stderr.readline()  # it was heard: the next one is another
    stdout, rest = process.communicate(timeout=120)
    stderr = said + rest  # the window may have been the last step, and the end come first
    assert process.returncode == 4
    assert "Traceback" not in stderr
    assert stderr.splitlines()[-2:] == STOPPED
    assert json.loads(stdout.splitlines()[-1])["code"] == "cancelled"


def test_an_ingest_goes_on_when_the_reader_of_its_progress_goes_away(kb: KbCommand) -> None:
    for number in range(20):
        (kb.cwd / f"{number}.wav").write_bytes(HEADER_ONLY_WAV)
    process = start(kb, kb.argv("ingest", "--json", "."))
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    stderr = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 2  # by the report: no file could be used
    assert stderr.startswith("made a knowledge base")
    assert len(stderr.splitlines()) == 1


def test_an_answer_that_cannot_be_written_is_an_error(kb: KbCommand) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("wb") as stdout:
        done = subprocess.run(
            kb.argv("init"),
            cwd=kb.cwd,
            env=kb.environment(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "error: the answer could not be written: no space left on device\n"
