"""Entry point: global options, the list of commands, and the last line of defence.

Every error that kb raises on purpose ends here as `error: …` and `hint: …`; anything else is a bug,
which is named in one line too. Only `--debug` shows a traceback.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kb_cli.commands import demo, inspect, library, maintenance, models, play
from kb_cli.commands import ingest as ingest_command
from kb_cli.session import session

EXIT_OK = 0
EXIT_NOTHING = 1
EXIT_ERROR = 2
EXIT_UNHEALTHY = 3
EXIT_PARTLY = 4

app = typer.Typer(
    name="kb",
    help="A local knowledge base of recordings and documents that cites the exact moment.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
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


for module in (maintenance, ingest_command, library, inspect, play, models, demo):
    module.register(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    session.__init__()  # type: ignore[misc]
    try:
        app(args=list(arguments) if arguments is not None else None)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else EXIT_ERROR
    except KeyboardInterrupt:
        return _fail("stopped", "run the same command again to go on", exit_code=EXIT_PARTLY)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a line
        return _report(error)
    return EXIT_OK


def _report(error: Exception) -> int:
    from kb_core.errors import KbError

    if session.debug:
        traceback.print_exception(error)
    if isinstance(error, KbError):
        if session.json_output:
            from kb_app.wire import ErrorV1

            session.print_json(ErrorV1.of(error))
        return _fail(error.message, error.hint)
    detail = " ".join(f"{type(error).__name__}: {error}".split())
    return _fail(f"a bug in kb: {detail}", "run again with --debug and report what it prints")


def _fail(message: str, hint: str | None, *, exit_code: int = EXIT_ERROR) -> int:
    print(f"error: {message}", file=sys.stderr)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)
    return exit_code
