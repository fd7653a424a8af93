"""What people read. Colours and bold only where a terminal shows them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kb_cli.terminal import for_terminal
from kb_core import format_clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_app.wire import (
        ChunkV1,
        DocumentListV1,
        DocumentSummaryV1,
        DocumentV1,
        FindingV1,
        IngestReportV1,
        ModelListV1,
        SearchHitV1,
        SearchResponseV1,
        StatusV1,
    )
    from kb_app.wire_evaluation import AsrEvaluationV1, AsrScoresV1, StartErrorV1
    from kb_core import DocumentChoices

REPORT_ORDER = ("new", "updated", "moved", "removed", "skipped", "errors")
ID_CHARS = 12


WIDTH_WITHOUT_TERMINAL = 1000


def _console() -> Console:
    console = Console(soft_wrap=True, highlight=False)
    if not console.is_terminal:  # a pipe has no width to fold at
        console.width = WIDTH_WITHOUT_TERMINAL
    return console


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _text(text: str, style: str = "") -> Text:
    return Text(for_terminal(text), style=style)


def _clock(milliseconds: int | None) -> str:
    return "" if milliseconds is None else format_clock(round(milliseconds / 1000))


def render_hits(response: SearchResponseV1) -> None:
    """Print hits: citation, then the passage with what matched in bold."""
    console = _console()
    if not response.hits:
        console.print("nothing found", style="yellow")
        return
    for hit in response.hits:
        citation = for_terminal(hit.citation.text)
        console.print(Text(f"{hit.rank:>2}  ").append(citation, style="bold cyan"))
        console.print(_snippet(hit))


def _snippet(hit: SearchHitV1) -> Text:
    """Return the passage with what matched in bold."""
    passage = hit.snippet_plain
    line = Text("    ")
    position = 0
    for matched in hit.highlights:
        line.append(for_terminal(passage[position : matched.char_start]))
        line.append(for_terminal(passage[matched.char_start : matched.char_end]), "bold yellow")
        position = matched.char_end
    return line.append(for_terminal(passage[position:]))


def render_documents(report: DocumentListV1) -> None:
    """Print one row a document."""
    if not report.documents:
        print("nothing here yet; go on with: kb ingest PATH…")
        return
    table = _table("document", "title", "length", "language", "speakers", "chunks", "id")
    for document in report.documents:
        table.add_row(
            _text(document.doc_path),
            _text(document.title),
            _length(document),
            _text(document.lang or ""),
            _text(", ".join(document.speakers)),
            str(document.chunk_count),
            document.doc_id[:ID_CHARS],
        )
    _console().print(table)


def _length(document: DocumentSummaryV1) -> str:
    """Return how long a document is, in the terms that it is cited in."""
    if document.duration_ms:
        return _clock(document.duration_ms)
    for count, unit in ((document.page_count, "page"), (document.line_count, "line")):
        if count is not None:
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return _clock(document.duration_ms)


def render_document(report: DocumentV1) -> None:
    """Print a document with its segments; suppressed ones are greyed."""
    console = _console()
    summary = report.summary
    console.print(_text(summary.doc_path, style="bold"))
    for label, value in (
        ("id", summary.doc_id),
        ("title", summary.title),
        ("kind", summary.media_type),
        ("length", _length(summary)),
        ("subtitles", summary.transcript_path or ""),
        ("language", summary.lang or ""),
        ("speakers", ", ".join(summary.speakers)),
        ("chosen", _choices(report.versions.choices)),
        ("encoding", str(report.metadata.get("encoding", ""))),
        ("tags", ", ".join(report.metadata.get("tags", ()))),
        ("file", report.source_path),
        ("chunks", ", ".join(chunk[:ID_CHARS] for chunk in report.chunk_ids)),
        ("stale", "; ".join(report.stale_reasons)),
        ("warnings", "; ".join(warning.message for warning in summary.warnings)),
    ):
        if value:
            console.print(_text(f"{label:>9}  {value}"))
    for segment in report.segments:
        speaker = f"{segment.speaker}: " if segment.speaker else ""
        times = f"{format_ms(segment.start_ms)}-{format_ms(segment.end_ms)}"
        if segment.citation.kind == "line":
            times = f"L{segment.citation.start}-L{segment.citation.end}"
        flags = f"  ({'; '.join(segment.flags)})" if segment.flags else ""
        style = "dim" if segment.suppressed else ""
        console.print(_text(f"{times}  {speaker}{segment.text}{flags}", style=style))

    for block in report.blocks:
        place = block.citation.text.removeprefix(f"{summary.doc_path}:")
        console.print(_text(f"{place}  {block.kind}: {block.text}"))


def _choices(choices: DocumentChoices) -> str:
    """Return what was chosen for a document, as the options that choose it."""
    options = []
    if choices.languages is not None:
        options += [f"--language {code}" for code in choices.languages or ("auto",)]
    if choices.speakers is not None:
        options.append(f"--speakers {choices.speakers}")
    if choices.keep_suspect is not None:
        options.append("--keep-suspect" if choices.keep_suspect else "--drop-suspect")
    if choices.encoding is not None:
        options.append(f"--encoding {choices.encoding}")
    if choices.transcribe is not None:
        options.append("--transcribe" if choices.transcribe else "--take-subtitles")
    return " ".join(options)


def render_chunk(report: ChunkV1) -> None:
    """Print a chunk."""
    console = _console()
    for citation in report.citations:
        console.print(_text(citation.text, style="bold cyan"))
    console.print(_text(f"chunk {report.chunk_id}, number {report.index} of {report.doc_path}"))
    console.print(_text(f"{report.chunker_version}, about {report.token_estimate} tokens"))
    for line in report.text.splitlines():
        console.print(_text(line))


def render_report(report: IngestReportV1) -> None:
    """Print the summary of an ingest; every error, and warnings by kind."""
    console = _console()
    for item in report.items:
        if item.kind == "error":
            console.print(_text(f"error: {item.error}", style="red"))
            if item.error_hint:
                console.print(_text(f"hint: {item.error_hint}"))
        elif item.kind != "skipped":
            for warning in item.warnings:
                where = f" at {warning.unit}" if warning.unit else ""
                console.print(_text(f"warning: {item.doc_path}: {warning.message}{where}"))
    ignored = Counter(
        warning.message
        for item in report.items
        if item.kind == "skipped" and item.doc_id is None
        for warning in item.warnings
    )
    for message, count in sorted(ignored.items()):
        console.print(_text(f"passed over {count}: {message}", style="dim"))
    counts = ", ".join(f"{getattr(report, name)} {name}" for name in REPORT_ORDER)
    console.print(f"{counts} in {report.duration_ms / 1000:.1f} s")


def render_status(report: StatusV1) -> None:
    """Print the state of the knowledge base."""
    console = _console()
    console.print(_text(f"knowledge base  {report.data_dir}"))
    if report.workspace_root:
        console.print(_text(f"files under     {report.workspace_root}"))
    console.print(_text(f"speech          {report.engine}, model {report.model}"))
    amounts = f"{report.documents} documents, {report.chunks} chunks, {_clock(report.sound_ms)}"
    console.print(_text(f"holds           {amounts} of sound"))
    if report.problem is not None:
        problem = for_terminal(f"not known what is stale: {report.problem.message}")
        console.print(Text(problem, style="red"))
        if report.problem.hint:
            console.print(Text(for_terminal(f"hint: {report.problem.hint}")))
    for stale in report.stale:
        console.print(_text(f"stale: {stale.doc_path}: {'; '.join(stale.reasons)}", style="yellow"))
    if report.stale:
        console.print("hint: `kb ingest` on these files does only them again")
    for path in report.missing:
        console.print(_text(f"file is gone: {path}", style="yellow"))


def render_findings(findings: Sequence[FindingV1]) -> None:
    """Print what was checked; the way out under what is wrong."""
    console = _console()
    for finding in findings:
        mark, style = ("ok", "green") if finding.ok else ("bad", "red")
        console.print(_text(f"{mark:>3}  ", style).append(for_terminal(finding.message)))
        if finding.hint and not finding.ok:
            console.print(_text(f"     hint: {finding.hint}"))


def render_models(report: ModelListV1) -> None:
    """Print one row a model."""
    table = _table("", "model", "state", "size", "SHA-256")
    for model in report.models:
        table.add_row(
            "*" if model.in_use else "",
            _text(model.name),
            model.status if model.source != "added" else f"{model.status}, your own",
            f"{model.byte_len / 1e6:,.0f} MB" if model.byte_len else "",
            (model.digest_sha256 or "")[:ID_CHARS],
        )
    _console().print(table)


def render_asr_evaluation(report: AsrEvaluationV1) -> None:
    """Print the figures of each folder and of all, and what could not be measured."""
    console = _console()
    recogniser = f"{report.engine} {report.engine_version}, model {report.model_id}"
    console.print(_text(f"{recogniser}, languages {', '.join(report.languages) or 'any'}"))
    rates = _table(
        "folder", "files", "length", "WER", "CER", "language", "phantom/h", "flagged", "realtime"
    )
    starts = _table("starts of", "folder", "compared", "median", "95 %", "within 200 ms")
    rows = [(folder.path, folder.scores) for folder in report.folders]
    for name, scores in (*rows, ("all", report.total)):
        rates.add_row(_text(name), *_rate_cells(scores))
        for kind, errors in (("words", scores.word_start), ("parts", scores.utterance_start)):
            if errors is not None:
                starts.add_row(kind, _text(name), *_start_cells(errors))
    if report.total.recordings:
        console.print(rates)
    if starts.row_count:
        console.print()
        console.print(starts)
    for file in report.files:
        if file.error is not None:
            console.print(_text(f"error: {file.error}", style="red"))
            if file.error_hint:
                console.print(_text(f"hint: {file.error_hint}"))
    if report.without_reference:
        count = len(report.without_reference)
        console.print(_text(f"passed over {count}: no reference beside them", style="dim"))
    rules = "; ".join(report.normaliser_rules)
    console.print(_text(f"normaliser {report.normaliser}: {rules}", style="dim"))


def _rate_cells(scores: AsrScoresV1) -> tuple[str, ...]:
    phantoms, realtime = scores.phantom_words_per_silent_hour, scores.realtime_factor
    return (
        str(scores.recordings),
        _clock(scores.duration_ms),
        "" if scores.wer is None else f"{scores.wer.rate:.1%}",
        "" if scores.cer is None else f"{scores.cer.rate:.1%}",
        "" if scores.language_accuracy is None else f"{scores.language_accuracy:.0%}",
        "" if phantoms is None else f"{phantoms:.0f}",
        str(scores.suppressed_words or ""),
        "" if realtime is None else f"{realtime:.1f}×",
    )


def _start_cells(errors: StartErrorV1) -> tuple[str, ...]:
    return (
        f"{errors.compared} of {errors.reference_count}",
        "" if errors.median_ms is None else f"{errors.median_ms:.0f} ms",
        "" if errors.p95_ms is None else f"{errors.p95_ms} ms",
        "" if errors.share_within_200_ms is None else f"{errors.share_within_200_ms:.0%}",
    )


def format_ms(milliseconds: int) -> str:
    """Return `HH:MM:SS.mmm`."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{format_clock(seconds)}.{rest:03d}"
