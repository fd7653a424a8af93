"""`kb eval`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from kb_cli.commands.library import Mode
from kb_cli.commands.options import JsonOption
from kb_cli.exit_codes import ExitCode
from kb_cli.session import session
from kb_cli.terminal import for_terminal

if TYPE_CHECKING:
    from kb_app.wire_evaluation import AsrEvaluationV1
    from kb_app.wire_search_evaluation import SearchEvaluationV1

eval_app = typer.Typer(
    help="Measure kb on recordings and queries of your own.", no_args_is_help=True
)


MODES: tuple[str, ...] = get_args(Mode)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(eval_app, name="eval")


@eval_app.command()
def asr(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of recordings and their references.")
    ],
    languages: Annotated[
        list[str] | None,
        typer.Option(
            "--language", metavar="CODE", help="A language that is spoken; may be given again."
        ),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Measure speech recognition: error rates, times, phantom words, language, speed.

    Recordings with a reference beside them (NAME.txt, or NAME.json with times) are transcribed with
    the present settings; nothing is stored. The README of kb-eval shows the formats.
    """
    from kb_app.container import Container
    from kb_app.evaluation import evaluate_asr
    from kb_cli.progress import cancel_on_interrupt
    from kb_config import load_settings
    from kb_core.errors import Cancelled

    settings = load_settings(session.data_dir, {"asr.languages": languages})
    with cancel_on_interrupt() as cancel, _progress() as on_file:
        report = evaluate_asr(Container(settings), folder, on_file=on_file, cancel=cancel)
    if json_output:
        session.print_json(report)
    else:
        from kb_cli.render_evaluation import render_asr_evaluation

        render_asr_evaluation(report)
    if report.cancelled:
        raise Cancelled
    raise typer.Exit(exit_code_of(report))


@eval_app.command()
def chunks(
    transcripts: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="Transcripts with NAME.summary_spans.json beside them."
        ),
    ],
    chunkers: Annotated[
        list[str] | None,
        typer.Option(
            "--chunker",
            metavar="KEY",
            help="A chunk module, may be given again; dnd/scenes, transcript/topics and "
            "audio-segment-v1 when none is given.",
        ),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Measure chunk modules: WindowDiff and Pk against boundaries that people set.

    Nothing is stored. A module that needs a language model is measured with that of the settings.
    """
    from kb_app.chunk_evaluation import DEFAULT_MODULES, evaluate_chunks
    from kb_app.container import Container
    from kb_cli.progress import cancel_on_interrupt

    with cancel_on_interrupt() as cancel, _progress() as on_file:
        report = evaluate_chunks(
            Container(session.settings()),
            transcripts,
            modules=chunkers or DEFAULT_MODULES,
            on_file=on_file,
            cancel=cancel,
        )
    if json_output:
        session.print_json(report)
        return
    from kb_cli.render_evaluation import render_chunk_evaluation

    render_chunk_evaluation(report)


def _known_modes(modes: list[str] | None) -> list[str] | None:
    # A list of literals is more than typer reads.
    for mode in modes or ():
        if mode not in MODES:
            raise typer.BadParameter(f"{mode!r} is not one of {', '.join(MODES)}.")
    return modes


SetArgument = Annotated[
    Path, typer.Argument(metavar="SET", help="Folder of a set with a corpus, or a golden file.")
]
ModesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--mode",
        metavar=f"[{'|'.join(MODES)}]",
        help="How to find; may be given again. Otherwise lexical, vector and hybrid.",
        callback=_known_modes,
    ),
]
SplitOption = Annotated[
    str, typer.Option("--split", metavar="NAME", help="Judgements of a set: qrels/NAME.tsv.")
]
RecallOption = Annotated[
    list[int] | None,
    typer.Option(
        "--recall-at",
        metavar="K",
        min=1,
        max=1000,
        help="Results that count for recall; may be given again. Otherwise 1, 5, 10 and 100.",
    ),
]
QueriesOption = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        min=1,
        help="At most so many queries; they are drawn, the same ones every time.",
    ),
]
RowsOption = Annotated[
    Path | None,
    typer.Option(
        "--per-query", metavar="FILE", help="Write a line of JSON for each query in each mode."
    ),
]


@eval_app.command()
def search(
    path: SetArgument,
    modes: ModesOption = None,
    split: SplitOption = "test",
    recall_at: RecallOption = None,
    limit: QueriesOption = None,
    per_query: RowsOption = None,
    json_output: JsonOption = False,
) -> None:
    """Measure search: nDCG, recall, reciprocal rank, first hits, each with its interval.

    A folder with corpus.jsonl, queries.jsonl and qrels/ is searched in a knowledge base of its own,
    which is gone afterwards. A file with lines {"query": "…", "expect": ["a.md:L3-L9", "b.md"]} is
    asked of yours, and nothing is stored. The README of kb-eval shows the formats.
    """
    from kb_app.container import Container
    from kb_app.search_evaluation import (
        SearchOptions,
        check_rows_file,
        evaluate_search,
        write_rows,
    )
    from kb_app.wire_search_evaluation import EvaluatedQueryV1
    from kb_cli.progress import cancel_on_interrupt
    from kb_core.errors import Cancelled

    rows: list[EvaluatedQueryV1] = []
    options = SearchOptions(
        modes=cast("tuple[Mode, ...]", tuple(modes or ())), split=split, limit=limit
    )
    if recall_at:
        options = replace(options, recall_at=tuple(sorted(set(recall_at))))
    with closing(Container(session.settings())) as container:
        if per_query is not None:
            check_rows_file(container, per_query, path)
        with cancel_on_interrupt() as cancel, _steps() as on_step:
            report = evaluate_search(
                container, path, options, on_step=on_step, on_query=rows.append, cancel=cancel
            )
    _print_search(report, json_output=json_output)
    if per_query is not None:
        write_rows(per_query, rows)
    if report.cancelled:
        raise Cancelled
    if report.unknown_paths:
        raise typer.Exit(ExitCode.PARTLY_DONE)


def _print_search(report: SearchEvaluationV1, *, json_output: bool) -> None:
    if json_output:
        session.print_json(report)
        return
    from kb_cli.render_evaluation import render_search_evaluation

    render_search_evaluation(report)


def exit_code_of(report: AsrEvaluationV1) -> ExitCode:
    """Return what an evaluation came to: all of it measured, a part, or nothing."""
    if all(file.error is None for file in report.files):
        return ExitCode.OK
    return ExitCode.PARTLY_DONE if report.total.recordings else ExitCode.ERROR


@contextmanager
def _progress() -> Iterator[Callable[[int, int, str], None]]:
    """Yield what shows which recording is at work: a bar at a terminal, lines elsewhere."""
    if not sys.stderr.isatty():
        yield lambda number, count, path: session.note(f"[{number}/{count}] {path}")
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)

        def show(number: int, count: int, path: str) -> None:
            name = escape(for_terminal(path))
            bars.update(task, completed=number - 1, total=count, description=name)

        yield show


@contextmanager
def _steps() -> Iterator[Callable[[str, int, int], None]]:
    """Yield what shows how far an evaluation of search is: bars at a terminal, lines elsewhere."""
    if not sys.stderr.isatty():
        yield _note_once()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)

        def show(step: str, done: int, total: int) -> None:
            bars.update(task, description=step, completed=done, total=total)

        yield show


def _note_once() -> Callable[[str, int, int], None]:
    """Return what notes each step when it begins."""
    seen: set[str] = set()

    def note(step: str, _done: int, total: int) -> None:
        if step not in seen:
            seen.add(step)
            session.note(f"{step}: {total}")

    return note
