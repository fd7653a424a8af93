"""`kb demo`."""

from __future__ import annotations

import shlex
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from kb_cli.commands.options import JsonOption
from kb_cli.session import session


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Keep the knowledge base in this folder."),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Transcribe a short bundled recording, search it twice, show the cited moments."""
    from kb_app.demo import DEMO_QUERIES, prepare_demo, run_demo
    from kb_cli.progress import cancel_on_interrupt, ingest_progress
    from kb_cli.render import render_report
    from kb_cli.render_search import render_hits
    from kb_core.errors import Cancelled

    with tempfile.TemporaryDirectory(prefix="kb-demo-") as scratch:
        container, recording = prepare_demo(keep or Path(scratch))
        with (
            closing(container),
            cancel_on_interrupt() as cancel,
            ingest_progress(json_lines=json_output) as progress,
        ):
            report, responses = run_demo(container, recording, on_progress=progress, cancel=cancel)
        if report.cancelled:
            raise Cancelled
        if json_output:
            for wire in (report, *responses):
                session.print_json(wire)
            return
        render_report(report)
        for query, response in zip(DEMO_QUERIES, responses, strict=True):
            print(f"\n$ kb search {shlex.quote(query)}")
            render_hits(response)
    print("\nGo on with your own files:")
    for line in (
        "kb init                      # once, in the folder that holds your recordings",
        "kb ingest .                  # transcribes what is new; safe to stop and run again",
        'kb search "what we decided"  # any of Korean, English, Chinese, Japanese',
        "kb play CITATION             # hear it; --out clip.wav writes it",
    ):
        print(f"  {line}")
