"""`kb forget`, `kb gc`."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.session import session
from kb_cli.terminal import for_terminal


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(forget)
    app.command()(gc)


def forget(
    names: Annotated[
        list[str], typer.Argument(metavar="PATH…", help="Documents or folders, by path or id.")
    ],
    json_output: JsonOption = False,
) -> None:
    """Take documents out, and leave them out of later ingests of their folders.

    The files stay as they are. What was transcribed is kept until `kb gc`, so naming a file again,
    as `kb ingest FILE`, brings it back at no cost.
    """
    from kb_app.upkeep import forget as run

    with closing(session.open()) as container:
        report = run(container, names)
    if json_output:
        session.print_json(report)
        return
    for document in report.removed:
        print(for_terminal(f"forgot {document.doc_path}"))
    if not report.removed:
        print("nothing of that was in the knowledge base any more")


def gc(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be cleared away.")
    ] = False,
    json_output: JsonOption = False,
) -> None:
    """Clear away what was recognised or computed for documents that are gone."""
    from kb_app.upkeep import collect_garbage

    with closing(session.open()) as container:
        report = collect_garbage(container, dry_run=dry_run)
    if json_output:
        session.print_json(report)
        return
    verb = "would clear away" if report.dry_run else "cleared away"
    print(
        f"{verb} {report.transcripts} transcripts, {report.windows} windows of speech,"
        f" {report.replies} replies of models and {report.vectors} vectors;"
        f" {report.freed_bytes / 1_000_000:.1f} MB freed"
    )
