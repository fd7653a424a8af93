"""`kb reindex`."""

from __future__ import annotations

from typing import Annotated

import typer

from kb_cli.commands.ingest import exit_code_of, running, show_report
from kb_cli.commands.options import ChunkerOption, ChunkOptionOption, JsonOption


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(reindex)


def reindex(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DOC…]", help="Ids, paths, files or folders; everything when none is given."
        ),
    ] = None,
    chunkers: ChunkerOption = None,
    chunk_options: ChunkOptionOption = None,
    beside: Annotated[
        bool, typer.Option("--beside", help="Keep the chunks of the modules used so far.")
    ] = False,
    json_output: JsonOption = False,
) -> None:
    """Cut stored documents anew; nothing is read or transcribed again.

    Chunk modules that are named here stay with these documents, as with `kb ingest`.
    """
    from kb_app.chunk_modules import chosen_modules
    from kb_app.reindex import Recut
    from kb_app.reindex import reindex as run
    from kb_core.errors import Cancelled

    recut = Recut(
        names=names or (),
        chunkers=chosen_modules(chunkers or (), chunk_options or ()),
        beside=beside,
    )
    with running(json_output=json_output, create=False) as (container, cancel, on_progress):
        report = run(container, recut, on_progress=on_progress, cancel=cancel)
    show_report(report, json_output=json_output)
    if report.cancelled:
        raise Cancelled
    raise typer.Exit(exit_code_of(report))
