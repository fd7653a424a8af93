"""`kb init`, `kb status`, `kb doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.exit_codes import ExitCode
from kb_cli.session import session
from kb_cli.terminal import for_terminal


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(init)
    app.command()(status)
    app.command()(doctor)


def init(
    root: Annotated[
        Path, typer.Argument(help="Folder that paths in citations are relative to.")
    ] = Path("."),
    json_output: JsonOption = False,
) -> None:
    """Make a knowledge base; an existing one stays as it is."""
    from kb_app.setup import init as make

    report = make(session.settings(), root)
    if json_output:
        session.print_json(report)
    elif report.created:
        print(
            for_terminal(f"made a knowledge base in {report.data_dir} for {report.workspace_root}")
        )
        print("go on with: kb ingest PATH…")
    else:
        print(for_terminal(f"already there: {report.data_dir}, for {report.workspace_root}"))


def status(json_output: JsonOption = False) -> None:
    """Show how much there is, what is stale and why."""
    from kb_app.library import status as get_status

    report = get_status(session.open())
    if json_output:
        session.print_json(report)
        return
    from kb_cli.render import render_status

    render_status(report)


def doctor(
    mend: Annotated[
        bool,
        typer.Option("--mend", help="Make indexes that are wrong anew, take damaged vectors out."),
    ] = False,
    json_output: JsonOption = False,
) -> None:
    """Check the knowledge base and say how to mend what is wrong."""
    from kb_app.container import Container
    from kb_app.doctor import diagnose

    report = diagnose(Container(session.settings()), mend=mend)
    if json_output:
        session.print_json(report)
    else:
        from kb_cli.render import render_findings

        render_findings(report.findings)
    if not report.healthy:
        raise typer.Exit(ExitCode.UNHEALTHY)
