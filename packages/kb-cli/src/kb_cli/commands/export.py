"""`kb export`."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.session import session
from kb_cli.terminal import for_terminal


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(export)


def export(
    name: Annotated[
        str, typer.Argument(metavar="DOC", help="Id, beginning of an id, path, or file.")
    ],
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="srt, vtt, lrc, txt, md, json, whisperx or chunks.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write a file, not to stdout.")
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Write a document for other programs: a transcript as subtitles, any document as text.

    json is kb's own form, with everything that is stored; chunks has each chunk on a line of its
    own, with what its chunk module says of it. What kb believes was never said stays
    out of srt, vtt, lrc, txt and md.
    """
    if out is None and json_output:
        raise typer.BadParameter("--json reports on the file that --out names")
    from kb_app.export import export_file, export_text

    with closing(session.open()) as container:
        if out is None:
            _print(export_text(container, name, format_name))
            return
        report = export_file(container, name, format_name, out)
    if json_output:
        session.print_json(report)
    else:
        print(for_terminal(f"wrote {report.doc_path} as {report.format} to {report.out_path}"))


def _print(text: str) -> None:
    """Print a file's text: to a program its bytes, to a terminal nothing that acts on it."""
    if sys.stdout.isatty():
        for line in text.removesuffix("\n").split("\n"):
            print(for_terminal(line))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
