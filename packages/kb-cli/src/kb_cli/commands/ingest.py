"""`kb ingest`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.exit_codes import ExitCode
from kb_cli.session import session

if TYPE_CHECKING:
    from kb_app.wire import IngestReportV1


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ingest)


def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files and folders.")],
    json_output: JsonOption = False,
) -> None:
    """Transcribe, cut and index recordings; unchanged files cost nothing."""
    from kb_app.ingest import ingest as run
    from kb_cli.progress import cancel_on_interrupt, ingest_progress
    from kb_core.errors import Cancelled

    with (
        closing(session.open(create=True)) as container,
        cancel_on_interrupt() as cancel,
        ingest_progress(json_lines=json_output) as on_progress,
    ):
        report = run(container, paths, on_progress=on_progress, cancel=cancel)
    if json_output:
        session.print_json(report)
    else:
        from kb_cli.render import render_report

        render_report(report)
    if report.cancelled:
        raise Cancelled
    raise typer.Exit(exit_code_of(report))


def exit_code_of(report: IngestReportV1) -> ExitCode:
    """Return what an ingest came to: all of it, a part, or nothing."""
    if not report.errors:
        return ExitCode.OK
    return ExitCode.PARTLY_DONE if len(report.items) > report.errors else ExitCode.ERROR
