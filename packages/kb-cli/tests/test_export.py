"""`kb export`: the bytes of a file on stdout, or a file and one line about it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kb_testing.command import CommandResult, KbCommand
from kb_testing.sound import write_beeps

RunHearing = Callable[..., CommandResult]


@pytest.fixture
def run(kb: KbCommand, run_hearing: RunHearing) -> RunHearing:
    """Run a command beside a recording of one beep."""
    write_beeps(kb.cwd / "talk.wav", 10, [2])
    (kb.cwd / "note.md").write_text("# Plan\n\nIt is late.\n")
    assert run_hearing("ingest", ".", text="네, a < b").exit_code == 0
    return run_hearing


def test_stdout_holds_the_file_and_nothing_else(run: RunHearing) -> None:
    done = run("export", "talk.wav", "--format", "srt")
    assert done.stdout == "1\n00:00:02,000 --> 00:00:02,500\n네, a < b\n"
    assert (done.exit_code, done.stderr) == (0, "")


def test_out_writes_the_same_bytes(run: RunHearing, kb: KbCommand) -> None:
    done = run("export", "talk.wav", "-f", "vtt", "--out", "talk.out")
    assert done.stdout == "wrote talk.wav as vtt to talk.out\n"
    written = (kb.cwd / "talk.out").read_bytes().decode()
    assert written == run("export", "talk.wav", "-f", "vtt").stdout
    report = run("export", "talk.wav", "-f", "vtt", "--out", "talk.out", "--json").json
    assert report["schema_version"] == "export_report.v1"
    assert report["byte_len"] == len(written.encode())


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["note.md", "-f", "srt"], "note.md: srt holds what was said", "kb export --format txt"),
        (["talk.wav", "-f", "docx"], "no exporters named 'docx'", "installed: json, lrc, md"),
        (["nobody", "-f", "srt"], "no document nobody", "kb list"),
        (["talk.wav", "-f", "srt", "--json"], "--json reports on the file", "kb export --help"),
        (["talk.wav"], "--format", "kb export --help"),
        (["talk.wav", "-f", "srt", "--out", "talk.wav"], "belongs to the knowledge base", "--out"),
    ],
)
def test_what_cannot_be_exported_is_one_line_and_a_way_out(
    run: RunHearing, arguments: list[str], message: str, hint: str
) -> None:
    done = run("export", *arguments)
    assert done.exit_code == 2
    error, way_out = done.stderr.splitlines()
    assert message in error
    assert hint in way_out


def test_a_note_is_exported_as_its_text(run: RunHearing) -> None:
    assert run("export", "note.md", "-f", "md").stdout == "# Plan\n\nIt is late.\n"
