"""`kb ingest`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb_cli.commands.options import JsonOption
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

    container = session.open(create=True)
    with cancel_on_interrupt() as cancel, ingest_progress(json_lines=json_output) as on_progress:
        report = run(container, paths, on_progress=on_progress, cancel=cancel)
    container.close()
    if json_output:
        session.print_json(report)
    else:
        from kb_cli.render import render_report

        render_report(report)
    exit_code = exit_code_of(report)
    if exit_code:
        raise typer.Exit(exit_code)


def exit_code_of(report: IngestReportV1) -> int:
    """Return 0 when all is done, 4 when part of it is, 2 when nothing is."""
    if report.cancelled:
        return 4
    if not report.errors:
        return 0
    return 4 if len(report.items) > report.errors else 2
