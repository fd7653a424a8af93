"""`kb search`, `kb list`."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.exit_codes import ExitCode
from kb_cli.session import session

_SURROGATE = re.compile("[\ud800-\udfff]")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(search)
    app.command("list")(list_documents)


def search(
    query: Annotated[list[str], typer.Argument(help="What to look for; any text is allowed.")],
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, max=1000, help="At most so many hits.")
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Find the moments where something is said."""
    from kb_app.library import search as find

    response = find(session.open(), _text_of(query), limit=limit)
    if json_output:
        session.print_json(response)
    else:
        from kb_cli.render import render_hits

        render_hits(response)
    if not response.hits:
        raise typer.Exit(ExitCode.NOTHING_FOUND)


def _text_of(query: list[str]) -> str:
    """Return the query as text; bytes of the command line that are none become U+FFFD."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", " ".join(query))


def list_documents(json_output: JsonOption = False) -> None:
    """List what is in the knowledge base."""
    from kb_app.library import list_documents as get_list

    report = get_list(session.open())
    if json_output:
        session.print_json(report)
        return
    from kb_cli.render import render_documents

    render_documents(report)
