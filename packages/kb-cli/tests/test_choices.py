"""What a person chooses for single files: said to `kb ingest`, shown by `kb inspect`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kb_app.wire import DocumentV1
from kb_cli.render import render_document
from kb_testing.command import CommandResult, KbCommand
from kb_testing.sound import write_beeps

RunHearing = Callable[..., CommandResult]

DOUBTFUL = "na " * 40
"""A text that no mouth said: it repeats itself."""
DIM = "\x1b[2m"


def counts(result: CommandResult) -> dict[str, int]:
    kinds = ("new", "updated", "skipped", "errors")
    return {kind: result.json[kind] for kind in kinds if result.json[kind]}


def test_choices_stay_with_their_file_and_are_shown(kb: KbCommand, run_hearing: RunHearing) -> None:
    for name in ("a.wav", "b.wav"):
        write_beeps(kb.cwd / name, 4, [1 if name == "a.wav" else 2])
    assert run_hearing("ingest", ".").exit_code == 0
    options = ("--language", "ko", "--language", "en", "--speakers", "none", "--keep-suspect")
    assert counts(run_hearing("ingest", *options, "a.wav", "--json")) == {"updated": 1}
    assert counts(run_hearing("ingest", ".", "--json")) == {"skipped": 2}
    document = run_hearing("inspect", "doc", "a.wav", "--json").json
    assert document["versions"]["choices"] == {
        "languages": ["ko", "en"],
        "speakers": "none",
        "keep_suspect": True,
        "encoding": None,
        "transcribe": None,
        "chunkers": None,
    }
    shown = run_hearing("inspect", "doc", "a.wav").stdout
    assert f"   chosen  {' '.join(options)}\n" in shown
    assert "chosen" not in run_hearing("inspect", "doc", "b.wav").stdout
    taken_back = run_hearing("ingest", "--language", "auto", "--drop-suspect", "a.wav", "--json")
    assert counts(taken_back) == {"updated": 1}
    shown = run_hearing("inspect", "doc", "a.wav").stdout
    assert "   chosen  --language auto --speakers none --drop-suspect\n" in shown


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (
            ["--speakers", "nonsense"],
            "no way of telling speakers apart is named nonsense",
            "there are: channels, none",
        ),
        (["--language", "Korean"], "no language code: Korean", "such as ko"),
        (["--language", "ko,한국"], "no language code: ko,한국", "such as ko"),
    ],
)
@pytest.mark.parametrize("is_stored", [False, True])
def test_a_choice_that_there_is_not_is_one_clear_error(
    kb: KbCommand,
    run_hearing: RunHearing,
    options: list[str],
    message: str,
    hint: str,
    is_stored: bool,
) -> None:
    write_beeps(kb.cwd / "a.wav", 4, [1])
    if is_stored:
        run_hearing("ingest", ".")
    result = run_hearing("ingest", *options, "a.wav")
    assert (result.exit_code, result.stdout) == (2, "")
    error, way_out = result.stderr.splitlines()
    assert error == f"error: {message}"
    assert way_out.startswith("hint: ")
    assert hint in way_out
    assert run_hearing("ingest", *options, "a.wav", "--json").json["code"] == "bad_config"
    documents = run_hearing("list", "--json").json["documents"]
    assert len(documents) == is_stored


def test_suspects_are_greyed_with_their_reason_until_they_are_kept(
    kb: KbCommand, run_hearing: RunHearing, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_beeps(kb.cwd / "a.wav", 10, [2])
    assert run_hearing("ingest", ".", text=DOUBTFUL).exit_code == 0
    assert run_hearing("search", "na", text=DOUBTFUL).exit_code == 1
    (segment,) = run_hearing("inspect", "doc", "a.wav", "--json", text=DOUBTFUL).json["segments"]
    assert segment["suppressed"]
    (flag,) = segment["flags"]
    assert flag.startswith("suspected_hallucination: the text repeats itself")
    plain = run_hearing("inspect", "doc", "a.wav", text=DOUBTFUL).stdout
    assert f"({flag})" in plain
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    line = run_hearing("inspect", "doc", "a.wav", text=DOUBTFUL).stdout.splitlines()[-1]
    assert line.startswith(f"{DIM}00:00:02.000-00:00:02.500  na na")
    kept = run_hearing("ingest", "--keep-suspect", ".", "--json", text=DOUBTFUL)
    assert kept.json["items"][0]["chunk_count"] == 1
    assert run_hearing("search", "na", text=DOUBTFUL).exit_code == 0
    line = run_hearing("inspect", "doc", "a.wav", text=DOUBTFUL).stdout.splitlines()[-1]
    assert DIM not in line
    assert f"({flag})" in line


def test_a_flag_that_casts_no_doubt_on_the_text_greys_nothing(
    kb: KbCommand,
    run_hearing: RunHearing,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_beeps(kb.cwd / "a.wav", 10, [2])
    run_hearing("ingest", ".")
    document = DocumentV1.model_validate(run_hearing("inspect", "doc", "a.wav", "--json").json)
    segment = document.segments[0].model_copy(
        update={"flags": ("time_repaired: was 1-2 ms",), "speaker": "S1"}
    )
    summary = document.summary.model_copy(update={"speakers": ("S1", "S2")})
    monkeypatch.setenv("FORCE_COLOR", "1")
    render_document(document.model_copy(update={"segments": (segment,), "summary": summary}))
    shown = capsys.readouterr().out
    assert " speakers  S1, S2\n" in shown
    last = shown.splitlines()[-1]
    assert last.endswith("  S1: beep  (time_repaired: was 1-2 ms)")
    assert DIM not in last


def test_a_recording_in_which_nobody_speaks_is_named_as_such(kb: KbCommand) -> None:
    write_beeps(kb.cwd / "silence.wav", 4)
    result = kb.run("ingest", "silence.wav")
    assert result.exit_code == 0
    assert result.stdout.startswith("warning: silence.wav: nobody speaks in it\n1 new, ")
    (document,) = kb.run("list", "--json").json["documents"]
    assert [warning["code"] for warning in document["warnings"]] == ["no_speech"]
    assert " warnings  nobody speaks in it\n" in kb.run("inspect", "doc", "silence.wav").stdout
    assert kb.run("search", "anything").exit_code == 1
    (kb.cwd / "more").mkdir()
    write_beeps(kb.cwd / "more" / "beeps.wav", 6, [1, 3])
    (item,) = kb.run("ingest", "more", "--json").json["items"]
    assert [warning["code"] for warning in item["warnings"]] == ["no_speech"]
    assert not kb.models_dir.exists(), "no model is needed to hear nobody"
