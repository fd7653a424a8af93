"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from kb_cli.session import session


def _remember(value: bool) -> bool:
    session.json_output = value
    return value


ChunkerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--chunker",
        metavar="KEY",
        help="Chunk module, such as dnd/scenes; given again, their chunks stand side by side. "
        "`default` for the one of the settings.",
    ),
]
ChunkOptionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--chunk-option",
        metavar="NAME=VALUE",
        help="Option of the chunk modules; `kb inspect modules` lists them.",
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print wire objects (see docs/wire).", callback=_remember),
]
