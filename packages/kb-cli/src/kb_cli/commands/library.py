"""`kb search`, `kb list`."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.exit_codes import ExitCode
from kb_cli.session import session

_SURROGATE = re.compile("[\ud800-\udfff]")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(search)
    app.command("list")(list_documents)


Mode = Literal["hybrid", "lexical", "vector", "pairs", "morphemes"]
"""`kb_core.query.SearchMode`, which takes longer to import than all of `kb --help`."""

LimitOption = Annotated[
    int | None,
    typer.Option("--limit", "-n", min=1, max=1000, help="At most so many hits, or documents."),
]
ModeOption = Annotated[
    Mode | None,
    typer.Option(
        help="How to find: `hybrid` by words and meaning, `lexical` by words, `vector` by meaning."
    ),
]
ByDocumentOption = Annotated[
    bool, typer.Option("--by-document", help="Group hits by document, the best document first.")
]
ContextOption = Annotated[
    int,
    typer.Option(
        "--context", "-C", min=0, max=20, help="Show so many chunks before and after each hit."
    ),
]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Show the place of each hit in every ranking.")
]


def search(
    query: Annotated[list[str], typer.Argument(help="What to look for; any text is allowed.")],
    limit: LimitOption = None,
    mode: ModeOption = None,
    by_document: ByDocumentOption = False,
    context_chunks: ContextOption = 0,
    explain: ExplainOption = False,
    json_output: JsonOption = False,
) -> None:
    """Find the moments where something is said.

    Words are looked for in any order, "phrases in quotes" as they stand, and -without leaves out.
    `speaker:Kim`, `path:notes`, `lang:ko`, `type:pdf`, `tag:budget`, `module:dnd/scenes`,
    `after:2026-04` and `before:2026-05-01` narrow the search. Quote the whole query where it has a
    minus or quotes of its own: kb search '"monthly report" -draft'.
    """
    from kb_app.search import search as find

    container = session.open()
    response = find(
        container,
        _text_of(query),
        limit=limit,
        mode=mode,
        by_document=by_document,
        context_chunks=context_chunks,
    )
    if json_output:
        session.print_json(response)
    else:
        from kb_cli.render_search import render_hits

        render_hits(response, root=container.settings.workspace.root, explain=explain)
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
