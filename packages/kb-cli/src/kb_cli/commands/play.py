"""`kb play`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.session import session
from kb_cli.terminal import for_terminal


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)


def play(
    target: Annotated[str, typer.Argument(metavar="CITATION|CHUNK", help="What to hear.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.wav", help="Write the sound instead of playing it."),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Play the moment that a citation or a chunk points at."""
    from kb_app.playback import play as play_target

    report = play_target(session.open(), target, out=out)
    if json_output:
        session.print_json(report)
    elif report.out_path is not None:
        seconds = f"{report.duration_ms / 1000:.1f} s"
        print(for_terminal(f"wrote {seconds} of {report.citation.text} to {report.out_path}"))
    else:
        print(for_terminal(f"played {report.citation.text}"))
