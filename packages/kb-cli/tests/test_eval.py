"""What `kb eval` prints for people."""

from __future__ import annotations

import pytest

from kb_app.wire_evaluation import (
    AsrEvaluationV1,
    AsrFileV1,
    AsrFolderV1,
    AsrScoresV1,
    EditRateV1,
    StartErrorV1,
)
from kb_cli.commands.eval import exit_code_of
from kb_cli.exit_codes import ExitCode
from kb_cli.render_evaluation import render_asr_evaluation
from kb_testing.command import KbCommand


def scores(**changes: object) -> AsrScoresV1:
    fields = {
        "recordings": 1,
        "duration_ms": 60_000,
        "wer": None,
        "cer": None,
        "word_start": None,
        "utterance_start": None,
        "language_accuracy": None,
        "language_count": 0,
        "silent_ms": 0,
        "phantom_words": 0,
        "phantom_words_per_silent_hour": None,
        "suppressed_words": 0,
        "elapsed_ms": 0,
        "cpu_ms": 0,
        "realtime_factor": None,
    }
    return AsrScoresV1.model_validate(fields | changes)


def report(**changes: object) -> AsrEvaluationV1:
    fields = {
        "folder": "talks",
        "engine": "parrot",
        "engine_version": "1",
        "model_id": "small",
        "model_version": "0",
        "languages": (),
        "normaliser": "n-1",
        "normaliser_rules": ("casefold",),
        "total": scores(),
        "folders": (),
        "files": (),
        "without_reference": (),
        "load_ms": 0,
    }
    return AsrEvaluationV1.model_validate(fields | changes)


def edit_rate(rate: float) -> EditRateV1:
    return EditRateV1(
        rate=rate, substitutions=1, deletions=0, insertions=0, reference_length=round(1 / rate)
    )


def printed(evaluation: AsrEvaluationV1, capsys: pytest.CaptureFixture[str]) -> list[str]:
    render_asr_evaluation(evaluation)
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_a_row_a_folder_and_one_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    starts = StartErrorV1(
        compared=9, reference_count=10, median_ms=59.5, p95_ms=210, share_within_200_ms=0.9
    )
    english = scores(
        wer=edit_rate(0.125),
        cer=edit_rate(0.04),
        word_start=starts,
        language_accuracy=1.0,
        realtime_factor=10.04,
    )
    quiet = scores(silent_ms=60_000, phantom_words_per_silent_hour=120, suppressed_words=7)
    folders = (AsrFolderV1(path="en", scores=english), AsrFolderV1(path="none", scores=quiet))
    lines = printed(report(folders=folders, without_reference=("a.wav", "b.wav")), capsys)
    assert lines[0] == "parrot 1, model small, languages any"
    assert "en 1 00:01:00 12.5% 4.0% 100% 10.0×" in lines
    assert "none 1 00:01:00 120 7" in lines
    assert "words en 9 of 10 60 ms 210 ms 90%" in lines
    assert "passed over 2: no reference beside them" in lines
    assert lines[-1] == "normaliser n-1: casefold"


def test_no_control_character_of_a_folder_reaches_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = "ta\x1b[2Jlks"
    failed = AsrFileV1(path=name, error=f"{name}: damaged", error_hint=name)
    lines = printed(
        report(folders=(AsrFolderV1(path=name, scores=scores()),), files=(failed,)), capsys
    )
    assert "\x1b" not in "".join(lines)
    assert "error: ta\\x1b[2Jlks: damaged" in lines


@pytest.mark.parametrize(
    ("errors", "recordings", "code"),
    [
        ((), 2, ExitCode.OK),
        (("damaged",), 2, ExitCode.PARTLY_DONE),
        (("damaged",), 0, ExitCode.ERROR),
    ],
)
def test_the_exit_code_tells_whether_all_was_measured(
    errors: tuple[str, ...], recordings: int, code: ExitCode
) -> None:
    files = tuple(AsrFileV1(path="a.wav", error=error) for error in errors)
    assert exit_code_of(report(files=files, total=scores(recordings=recordings))) is code


def test_eval_without_a_command_shows_its_help(kb: KbCommand) -> None:
    result = kb.run("eval")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: kb eval ")
