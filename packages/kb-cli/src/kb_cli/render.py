"""What people read. Colours and bold only where a terminal shows them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from kb_cli.printing import clock, new_table, open_console, safe_text
from kb_cli.terminal import for_terminal
from kb_core import format_clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kb_app.wire import (
        ChunkModuleListV1,
        ChunkV1,
        DocumentListV1,
        DocumentSummaryV1,
        DocumentV1,
        FindingV1,
        IngestReportV1,
        ModelListV1,
        StatusV1,
    )
    from kb_core import DocumentChoices, StepWarning
    from kb_core.ports.language_model import ModelUsage

REPORT_ORDER = ("new", "updated", "moved", "removed", "skipped", "errors")
ID_CHARS = 12


def render_documents(report: DocumentListV1) -> None:
    """Print one row a document."""
    if not report.documents:
        print("nothing here yet; go on with: kb ingest PATH…")
        return
    table = new_table("document", "title", "length", "language", "speakers", "chunks", "id")
    for document in report.documents:
        table.add_row(
            safe_text(document.doc_path),
            safe_text(document.title),
            _length(document),
            safe_text(document.lang or ""),
            safe_text(", ".join(document.speakers)),
            str(document.chunk_count),
            document.doc_id[:ID_CHARS],
        )
    open_console().print(table)


def _length(document: DocumentSummaryV1) -> str:
    """Return how long a document is, in the terms that it is cited in."""
    if document.duration_ms:
        return clock(document.duration_ms)
    for count, unit in ((document.page_count, "page"), (document.line_count, "line")):
        if count is not None:
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return clock(document.duration_ms)


def render_document(report: DocumentV1) -> None:
    """Print a document with its segments; suppressed ones are greyed."""
    console = open_console()
    summary = report.summary
    console.print(safe_text(summary.doc_path, style="bold"))
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
        *_runs(report),
        ("stale", "; ".join(report.stale_reasons)),
        ("warnings", "; ".join(map(_warning, summary.warnings))),
    ):
        if value:
            console.print(safe_text(f"{label:>9}  {value}"))
    for segment in report.segments:
        speaker = f"{segment.speaker}: " if segment.speaker else ""
        times = f"{format_ms(segment.start_ms)}-{format_ms(segment.end_ms)}"
        if segment.citation.kind == "line":
            times = f"L{segment.citation.start}-L{segment.citation.end}"
        flags = f"  ({'; '.join(segment.flags)})" if segment.flags else ""
        style = "dim" if segment.suppressed else ""
        console.print(safe_text(f"{times}  {speaker}{segment.text}{flags}", style=style))

    for block in report.blocks:
        place = block.citation.text.removeprefix(f"{summary.doc_path}:")
        console.print(safe_text(f"{place}  {block.kind}: {block.text}"))


def _runs(report: DocumentV1) -> Iterator[tuple[str, str]]:
    """Yield what each chunk module made, and the ids of its chunks."""
    ids = iter(report.chunk_ids)
    for run in report.runs:
        own = [chunk_id[:ID_CHARS] for chunk_id in islice(ids, run.chunk_count)]
        options = "".join(
            f" {name}={json.dumps(value, ensure_ascii=False)}"
            for name, value in (run.options or {}).items()
        )
        model = f", asked {run.model_id}" if run.model_id else ""
        yield "cut by", f"{run.module} ({run.chunker_version}{model}){options}"
        yield "chunks", ", ".join(own)


def _warning(warning: StepWarning) -> str:
    return f"{warning.message} at {warning.unit}" if warning.unit else warning.message


def render_modules(report: ChunkModuleListV1) -> None:
    """Print each chunk module and its options."""
    console = open_console()
    for module in report.modules:
        used = f", used for {', '.join(module.used_for)}" if module.used_for else ""
        console.print(safe_text(f"{module.key}{used}", style="bold"))
        for label, names in (("needs", module.requires), ("uses", module.uses)):
            if names:
                console.print(safe_text(f"    {label}: {', '.join(names)}"))
        for name, option in module.options.get("properties", {}).items():
            default = json.dumps(option.get("default"), ensure_ascii=False)
            console.print(safe_text(f"    {name}={default}: {option.get('description', '')}"))


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
    for chunker in choices.chunkers or ():
        options.append(f"--chunker {chunker.key}")
        for name, value in chunker.options.items():
            options.append(f"--chunk-option {name}={json.dumps(value, ensure_ascii=False)}")
    return " ".join(options)


def render_chunk(report: ChunkV1) -> None:
    """Print a chunk."""
    console = open_console()
    for citation in report.citations:
        console.print(safe_text(citation.text, style="bold cyan"))
    console.print(safe_text(f"chunk {report.chunk_id}, number {report.index} of {report.doc_path}"))
    made_by = f"{report.module} ({report.chunker_version})"
    console.print(safe_text(f"{made_by}, about {report.token_estimate} tokens"))
    for name, value in report.metadata.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        console.print(safe_text(f"{name}: {shown}"))
    for line in report.text.splitlines():
        console.print(safe_text(line))


def render_report(report: IngestReportV1) -> None:
    """Print the summary of an ingest; every error, and warnings by kind."""
    console = open_console()
    for item in report.items:
        if item.kind == "error":
            console.print(safe_text(f"error: {item.error}", style="red"))
            if item.error_hint:
                console.print(safe_text(f"hint: {item.error_hint}"))
        elif item.kind != "skipped":
            for warning in item.warnings:
                where = f" at {warning.unit}" if warning.unit else ""
                console.print(safe_text(f"warning: {item.doc_path}: {warning.message}{where}"))
    ignored = Counter(
        warning.message
        for item in report.items
        if item.kind == "skipped" and item.doc_id is None
        for warning in item.warnings
    )
    for message, count in sorted(ignored.items()):
        console.print(safe_text(f"passed over {count}: {message}", style="dim"))
    for warning in report.warnings:
        console.print(safe_text(f"warning: {warning.message}"))
    usages = [item.model_usage for item in report.items if item.model_usage is not None]
    if usages:
        console.print(safe_text(_usage(usages), style="dim"))
    counts = ", ".join(f"{getattr(report, name)} {name}" for name in REPORT_ORDER)
    console.print(f"{counts} in {report.duration_ms / 1000:.1f} s")


def _usage(usages: Sequence[ModelUsage]) -> str:
    """Return what asking a language model took."""
    asked = f"asked the language model {sum(each.requests for each in usages)} times"
    cached = sum(each.cached for each in usages)
    known = f", {cached} replies were there already" if cached else ""
    tokens = sum(each.prompt_tokens + each.reply_tokens for each in usages)
    seconds = sum(each.elapsed_ms for each in usages) / 1000
    return f"{asked}{known}: {tokens} tokens in {seconds:.1f} s"


def render_status(report: StatusV1) -> None:
    """Print the state of the knowledge base."""
    console = open_console()
    console.print(safe_text(f"knowledge base  {report.data_dir}"))
    if report.workspace_root:
        console.print(safe_text(f"files under     {report.workspace_root}"))
    console.print(safe_text(f"speech          {report.engine}, model {report.model}"))
    amounts = f"{report.documents} documents, {report.chunks} chunks, {clock(report.sound_ms)}"
    console.print(safe_text(f"holds           {amounts} of sound"))
    if report.embedding is not None:
        embedded = f"{report.chunks_embedded} of {report.chunks} chunks"
        console.print(safe_text(f"by meaning      {embedded}, model {report.embedding}"))
    if report.language_model is not None:
        console.print(safe_text(f"may ask         {report.language_model}"))
    if report.problem is not None:
        problem = for_terminal(f"not known what is stale: {report.problem.message}")
        console.print(Text(problem, style="red"))
        if report.problem.hint:
            console.print(Text(for_terminal(f"hint: {report.problem.hint}")))
    for stale in report.stale:
        console.print(
            safe_text(f"stale: {stale.doc_path}: {'; '.join(stale.reasons)}", style="yellow")
        )
    if report.stale:
        console.print("hint: `kb ingest` on these files does only them again")
    for path in report.missing:
        console.print(safe_text(f"file is gone: {path}", style="yellow"))


def render_findings(findings: Sequence[FindingV1]) -> None:
    """Print what was checked; the way out under what is wrong."""
    console = open_console()
    for finding in findings:
        mark, style = ("ok", "green") if finding.ok else ("bad", "red")
        console.print(safe_text(f"{mark:>3}  ", style).append(for_terminal(finding.message)))
        if finding.hint and not finding.ok:
            console.print(safe_text(f"     hint: {finding.hint}"))


def render_models(report: ModelListV1) -> None:
    """Print one row a model."""
    table = new_table("", "model", "state", "size", "SHA-256")
    for model in report.models:
        table.add_row(
            "*" if model.in_use else "",
            safe_text(model.name),
            model.status if model.source != "added" else f"{model.status}, your own",
            f"{model.byte_len / 1e6:,.0f} MB" if model.byte_len else "",
            (model.digest_sha256 or "")[:ID_CHARS],
        )
    open_console().print(table)


def format_ms(milliseconds: int) -> str:
    """Return `HH:MM:SS.mmm`."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{format_clock(seconds)}.{rest:03d}"
