"""The command line: global options and the list of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb_cli.commands import (
    demo,
    export,
    inspect,
    library,
    maintenance,
    models,
    play,
    reindex,
    upkeep,
)
from kb_cli.commands import eval as eval_command
from kb_cli.commands import ingest as ingest_command
from kb_cli.session import session

app = typer.Typer(
    name="kb",
    help="A local knowledge base of recordings and documents that cites the exact moment.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # loading rich takes longer than all the rest of `kb --help`
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        print(f"kb {version('kb-cli')}")
        raise typer.Exit


@app.callback()
def _global_options(
    data_dir: Annotated[
        Path | None,
        typer.Option(
            "--data-dir",
            metavar="DIR",
            envvar="KB_DATA_DIR",
            help="Folder of the knowledge base.",
        ),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and stop.", callback=_print_version),
    ] = False,
) -> None:
    session.data_dir = data_dir
    session.debug = debug


for module in (
    maintenance,
    ingest_command,
    reindex,
    library,
    inspect,
    play,
    export,
    upkeep,
    models,
    eval_command,
    demo,
):
    module.register(app)
