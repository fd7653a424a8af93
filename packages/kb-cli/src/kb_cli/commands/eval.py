"""`kb eval asr`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.exit_codes import ExitCode
from kb_cli.session import session
from kb_cli.terminal import for_terminal

if TYPE_CHECKING:
    from kb_app.wire_evaluation import AsrEvaluationV1

eval_app = typer.Typer(help="Measure kb on recordings of your own.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(eval_app, name="eval")


@eval_app.command()
def asr(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of recordings and their references.")
    ],
    languages: Annotated[
        list[str] | None,
        typer.Option(
            "--language", metavar="CODE", help="A language that is spoken; may be given again."
        ),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Measure speech recognition: error rates, times, phantom words, language, speed.

    Recordings with a reference beside them (NAME.txt, or NAME.json with times) are transcribed with
    the present settings; nothing is stored. The README of kb-eval shows the formats.
    """
    from kb_app.container import Container
    from kb_app.evaluation import evaluate_asr
    from kb_cli.progress import cancel_on_interrupt
    from kb_config import load_settings
    from kb_core.errors import Cancelled

    settings = load_settings(session.data_dir, {"asr.languages": languages})
    with cancel_on_interrupt() as cancel, _progress() as on_file:
        report = evaluate_asr(Container(settings), folder, on_file=on_file, cancel=cancel)
    if json_output:
        session.print_json(report)
    else:
        from kb_cli.render import render_asr_evaluation

        render_asr_evaluation(report)
    if report.cancelled:
        raise Cancelled
    raise typer.Exit(exit_code_of(report))


def exit_code_of(report: AsrEvaluationV1) -> ExitCode:
    """Return what an evaluation came to: all of it measured, a part, or nothing."""
    if all(file.error is None for file in report.files):
        return ExitCode.OK
    return ExitCode.PARTLY_DONE if report.total.recordings else ExitCode.ERROR


@contextmanager
def _progress() -> Iterator[Callable[[int, int, str], None]]:
    """Yield what shows which recording is at work: a bar at a terminal, lines elsewhere."""
    if not sys.stderr.isatty():
        yield lambda number, count, path: session.note(f"[{number}/{count}] {path}")
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)

        def show(number: int, count: int, path: str) -> None:
            name = escape(for_terminal(path))
            bars.update(task, completed=number - 1, total=count, description=name)

        yield show
