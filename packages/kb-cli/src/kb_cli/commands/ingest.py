"""`kb ingest`."""

from __future__ import annotations

from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb_cli.commands.options import ChunkerOption, ChunkOptionOption, JsonOption
from kb_cli.exit_codes import ExitCode
from kb_cli.session import session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kb_app.container import Container
    from kb_app.wire import IngestProgressV1, IngestReportV1
    from kb_core import CancelToken, DocumentChoices


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ingest)


LanguageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--language",
        metavar="CODE",
        help="A language that is spoken, such as ko; may be given again. `auto` for any.",
    ),
]
SpeakersOption = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        help="How to tell speakers apart: `channels` for calls with one person on each of two "
        "channels, `none`.",
    ),
]
SuspectOption = Annotated[
    bool | None,
    typer.Option(
        "--keep-suspect/--drop-suspect",
        help="Find text that was probably not said like any other, or not.",
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of text files, such as cp949, where telling it by the bytes goes wrong.",
    ),
]
TranscribeOption = Annotated[
    bool | None,
    typer.Option(
        "--transcribe/--take-subtitles",
        help="Listen to recordings even where a subtitle file lies beside them, or not.",
    ),
]
WatchOption = Annotated[
    bool, typer.Option("--watch", help="Go on and follow changes until Ctrl-C.")
]


def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files and folders.")],
    languages: LanguageOption = None,
    speakers: SpeakersOption = None,
    keep_suspect: SuspectOption = None,
    encoding: EncodingOption = None,
    transcribe: TranscribeOption = None,
    chunkers: ChunkerOption = None,
    chunk_options: ChunkOptionOption = None,
    watch: WatchOption = False,
    json_output: JsonOption = False,
) -> None:
    """Make the knowledge base agree with files and folders; unchanged files cost nothing.

    Recordings are transcribed, unless a subtitle file of the same name lies beside them; documents
    are read; all are cut and indexed. What is gone from a folder is taken out.

    What is said here about languages, speakers, suspects, encodings, subtitles and chunk modules
    stays with these files: a later ingest of their folder keeps it.
    """
    from kb_app.chunk_modules import chosen_modules
    from kb_config import language_codes
    from kb_core import DocumentChoices

    choices = DocumentChoices(
        languages=None if languages is None else language_codes(languages),
        speakers=speakers,
        keep_suspect=keep_suspect,
        encoding=encoding,
        transcribe=transcribe,
        chunkers=chosen_modules(chunkers or (), chunk_options or ()),
    )
    if watch:
        _follow(paths, choices, json_output=json_output)
    else:
        _ingest_once(paths, choices, json_output=json_output)


def _ingest_once(paths: list[Path], choices: DocumentChoices, *, json_output: bool) -> None:
    from kb_app.ingest import ingest as run
    from kb_core.errors import Cancelled

    with running(json_output=json_output) as (container, cancel, on_progress):
        report = run(container, paths, choices=choices, on_progress=on_progress, cancel=cancel)
    show_report(report, json_output=json_output)
    if report.cancelled:
        raise Cancelled
    raise typer.Exit(exit_code_of(report))


@contextmanager
def running(
    *, json_output: bool, create: bool = True
) -> Iterator[tuple[Container, CancelToken, Callable[[IngestProgressV1], None]]]:
    """Give the knowledge base, what Ctrl-C sets, and what shows how far it is."""
    from kb_cli.progress import cancel_on_interrupt, ingest_progress

    with (
        closing(session.open(create=create)) as container,
        cancel_on_interrupt() as cancel,
        ingest_progress(json_lines=json_output) as on_progress,
    ):
        yield container, cancel, on_progress


def _follow(paths: list[Path], choices: DocumentChoices, *, json_output: bool) -> None:
    from kb_app.watching import follow
    from kb_core.errors import Cancelled

    last: IngestReportV1 | None = None

    def on_report(report: IngestReportV1) -> None:
        nonlocal last
        last = report
        show_report(report, json_output=json_output)
        if not report.cancelled:
            session.note("following changes; Ctrl-C ends it")

    with running(json_output=json_output) as (container, cancel, on_progress):
        follow(
            container,
            paths,
            choices=choices,
            on_report=on_report,
            on_progress=on_progress,
            cancel=cancel,
        )
    if last is not None and last.cancelled:
        raise Cancelled


def show_report(report: IngestReportV1, *, json_output: bool) -> None:
    """Print the report of an ingest."""
    if json_output:
        session.print_json(report)
        return
    from kb_cli.render import render_report

    render_report(report)


def exit_code_of(report: IngestReportV1) -> ExitCode:
    """Return what an ingest came to: all of it, a part, or nothing."""
    if not report.errors:
        return ExitCode.OK
    return ExitCode.PARTLY_DONE if len(report.items) > report.errors else ExitCode.ERROR
