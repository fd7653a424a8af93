"""What commands print: for people without harm to their terminal, for programs without gaps."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_cli.main import main
from kb_cli.session import Session
from kb_testing.command import KbCommand

HearAs = Callable[..., KbCommand]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["search", "--json"], "usage"),
        (["search", "--json", "--nonsense"], "usage"),
        (["nonsense", "--json"], "usage"),
        (["search", "word", "--json"], "store_missing"),
        (["play", "--json", "a:00:00:01-00:00:02"], "store_missing"),
    ],
)
def test_every_error_is_on_stdout_as_json_too(
    kb: KbCommand, arguments: list[str], code: str
) -> None:
    result = kb.run(*arguments)
    assert result.exit_code == 2
    (answer,) = result.json_lines
    assert (answer["schema_version"], answer["code"]) == ("error.v1", code)
    assert result.stderr.startswith(f"error: {answer['message']}\n")


def test_a_usage_error_without_json_leaves_stdout_empty(kb: KbCommand) -> None:
    result = kb.run("search", "--", "--json", env={})
    assert result.stdout == ""
    result = kb.run("serach")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: No such command 'serach'. Did you mean 'search'?\n")


@pytest.mark.parametrize("group", ["inspect", "models"])
def test_a_group_without_a_command_shows_its_help(kb: KbCommand, group: str) -> None:
    result = kb.run(group)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Usage: kb {group} ")


def test_a_bug_is_one_line_and_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: Session, *, create: bool = False) -> None:
        raise ZeroDivisionError("a\nb")

    monkeypatch.setattr(Session, "open", broken)
    assert main(["list", "--json"]) == 2
    printed = capsys.readouterr()
    assert '"code":"bug"' in printed.out
    assert printed.err.startswith("error: a bug in kb: ZeroDivisionError: a b\nhint: ")


def test_a_query_that_is_no_text_finds_nothing(hear_as: HearAs) -> None:
    kb = hear_as("beep")
    done = subprocess.run(
        [*(each.encode() for each in kb.argv("search", "--json")), b"\xff"],
        cwd=kb.cwd,
        env=kb.environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert '"query":"\N{REPLACEMENT CHARACTER}"' in done.stdout.decode()


def test_a_passage_that_holds_the_mark_is_shown_as_it_is(hear_as: HearAs) -> None:
    kb = hear_as("two ** three loud beeps ** four")
    (hit,) = kb.run("search", "loud", "--json").json["hits"]
    plain = hit["snippet_plain"]
    assert plain == "two ** three loud beeps ** four"
    assert [plain[each["char_start"] : each["char_end"]] for each in hit["highlights"]] == ["loud"]
    assert "two ** three loud beeps ** four" in kb.run("search", "loud").stdout


def test_no_control_character_of_a_name_or_a_transcript_reaches_the_terminal(
    hear_as: HearAs,
) -> None:
    kb = hear_as("red \x1b[31m alert \x07", name="ta\x1b[2Jlk.wav")
    (hit,) = kb.run("search", "alert", "--json").json["hits"]
    assert "\x1b" in hit["doc_path"] + hit["text"]
    (kb.cwd / "new\x1b]0;x.wav").write_bytes(b"")
    for arguments in (
        ["search", "alert"],
        ["list"],
        ["inspect", "doc", hit["doc_id"]],
        ["inspect", "chunk", hit["chunk_id"]],
        ["status"],
        ["doctor"],
        ["ingest", "."],
        ["play", hit["chunk_id"], "--out", "o\x1bo.wav"],
    ):
        result = kb.run(*arguments)
        printed = result.stdout + result.stderr
        assert not {"\x1b", "\x07"} & set(printed), arguments
        assert "a bug in kb" not in printed


def test_verifying_no_model_says_that_there_is_none(kb: KbCommand) -> None:
    result = kb.run("models", "verify")
    assert (result.exit_code, result.stdout) == (0, "no model file here yet\n")


@pytest.mark.parametrize("command", [["play"], ["inspect", "doc"], ["inspect", "chunk"]])
@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ":00:00:01-00:00:02", "/root/a/b.wav"])
def test_a_name_that_no_file_can_have_is_an_ordinary_error(
    hear_as: HearAs, command: list[str], name: str
) -> None:
    result = hear_as("beep").run(*command, name)
    assert result.exit_code == 2
    assert "a bug in kb" not in result.stderr


def test_a_demo_that_was_stopped_is_not_done() -> None:
    script = (
        "import os, signal, sys, kb_app.demo as demo\n"
        "usual = demo.run_demo\n"
        "def stopped(*args, **more):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return usual(*args, **more)\n"
        "demo.run_demo = stopped\n"
        "from kb_cli.main import main\n"
        "sys.exit(main(['demo']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 4
    assert done.stderr.splitlines()[-2] == "error: stopped"
    assert "Go on with your own files" not in done.stdout


def test_a_session_forgets_the_command_before() -> None:
    session = Session(data_dir=Path("x"), debug=True, json_output=True)
    session.reset()
    assert session == Session()
