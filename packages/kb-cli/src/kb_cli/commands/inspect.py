"""`kb inspect doc`, `kb inspect chunk`, `kb inspect modules`."""

from __future__ import annotations

from typing import Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.session import session

inspect_app = typer.Typer(
    help="Show a document or a chunk as it is stored, or the chunk modules.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(inspect_app, name="inspect")


@inspect_app.command("doc")
def inspect_doc(
    name: Annotated[str, typer.Argument(metavar="ID", help="Id, beginning of an id, or path.")],
    json_output: JsonOption = False,
) -> None:
    """Show a document: versions, segments with their times, chunks."""
    from kb_app.library import inspect_document

    report = inspect_document(session.open(), name)
    if json_output:
        session.print_json(report)
        return
    from kb_cli.render import render_document

    render_document(report)


@inspect_app.command("chunk")
def inspect_chunk(
    chunk_id: Annotated[str, typer.Argument(metavar="ID", help="Id, or the beginning of one.")],
    json_output: JsonOption = False,
) -> None:
    """Show a chunk: text, spans, units, versions."""
    from kb_app.library import inspect_chunk as get_chunk

    report = get_chunk(session.open(), chunk_id)
    if json_output:
        session.print_json(report)
        return
    from kb_cli.render import render_chunk

    render_chunk(report)


@inspect_app.command("modules")
def inspect_modules(json_output: JsonOption = False) -> None:
    """Show the installed chunk modules and their options."""
    from kb_app.chunk_modules import installed_modules

    report = installed_modules(session.settings())
    if json_output:
        session.print_json(report)
        return
    from kb_cli.render import render_modules

    render_modules(report)
