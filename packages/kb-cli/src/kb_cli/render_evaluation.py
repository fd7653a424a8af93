"""Evaluations, as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb_cli.printing import clock, new_table, open_console, safe_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from kb_app.wire_chunk_evaluation import ChunkEvaluationV1, ModuleScoresV1
    from kb_app.wire_evaluation import AsrEvaluationV1, AsrScoresV1, StartErrorV1
    from kb_app.wire_search_evaluation import (
        EmbedderV1,
        EstimateV1,
        RankingMeasuresV1,
        SearchEvaluationV1,
        TimePrecisionV1,
    )


def render_asr_evaluation(report: AsrEvaluationV1) -> None:
    """Print the figures of each folder and of all, and what could not be measured."""
    console = open_console()
    recogniser = f"{report.engine} {report.engine_version}, model {report.model_id}"
    console.print(safe_text(f"{recogniser}, languages {', '.join(report.languages) or 'any'}"))
    rates = new_table(
        "folder", "files", "length", "WER", "CER", "language", "phantom/h", "flagged", "realtime"
    )
    starts = new_table("starts of", "folder", "compared", "median", "95 %", "within 200 ms")
    rows = [(folder.path, folder.scores) for folder in report.folders]
    for name, scores in (*rows, ("all", report.total)):
        rates.add_row(safe_text(name), *_rate_cells(scores))
        for kind, errors in (("words", scores.word_start), ("parts", scores.utterance_start)):
            if errors is not None:
                starts.add_row(kind, safe_text(name), *_start_cells(errors))
    if report.total.recordings:
        console.print(rates)
    if starts.row_count:
        console.print()
        console.print(starts)
    for file in report.files:
        if file.error is not None:
            console.print(safe_text(f"error: {file.error}", style="red"))
            if file.error_hint:
                console.print(safe_text(f"hint: {file.error_hint}"))
    if report.without_reference:
        count = len(report.without_reference)
        console.print(safe_text(f"passed over {count}: no reference beside them", style="dim"))
    rules = "; ".join(report.normaliser_rules)
    console.print(safe_text(f"normaliser {report.normaliser}: {rules}", style="dim"))


def _rate_cells(scores: AsrScoresV1) -> tuple[str, ...]:
    phantoms, realtime = scores.phantom_words_per_silent_hour, scores.realtime_factor
    return (
        str(scores.recordings),
        clock(scores.duration_ms),
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


def render_search_evaluation(report: SearchEvaluationV1) -> None:
    """Print the measures of each mode, their differences, and what could not be found at all."""
    console = open_console()
    console.print(safe_text(_set_line(report)))
    if report.embedder is not None:
        console.print(safe_text(_embedder_line(report.embedder)))
    if report.modes:
        console.print(_measures(report))
        _print_times(console, report)
    if report.comparisons:
        console.print()
        console.print(_comparisons(report))
    for unknown in report.unknown_paths:
        lines = ", ".join(map(str, unknown.lines))
        problem = f"error: not in the knowledge base: {unknown.path} (line {lines})"
        console.print(safe_text(problem, style="red"))
    if report.missing_documents:
        missing = f"relevant and not in the corpus: {report.missing_documents} documents"
        console.print(safe_text(missing, style="yellow"))
    if report.passed_over:
        passed_over = f"passed over {report.passed_over} queries: nothing is relevant"
        console.print(safe_text(passed_over, style="dim"))
    made = report.resampling
    brackets = f"in brackets the {made.confidence:.0%} interval over {made.resamples} resamples of "
    console.print(safe_text(f"{brackets}the queries; --json has it for all", style="dim"))


def _set_line(report: SearchEvaluationV1) -> str:
    split = f", {report.split}" if report.split else ""
    drawn = f" of {report.queries + report.left_out}" if report.left_out else ""
    return f"{report.path}{split}: {report.documents} documents, {report.queries}{drawn} queries"


def _embedder_line(embedder: EmbedderV1) -> str:
    model = f"{embedder.engine}, model {embedder.model_id}, {embedder.dimensions} dimensions"
    return f"meaning by {model}; vectors of {embedder.embedded} of {embedder.chunks} chunks"


def _measures(report: SearchEvaluationV1) -> Table:
    recall = [f"recall@{each.at}" for each in report.modes[0].total.recall]
    table = new_table(
        "mode", "language", "queries", "nDCG@10", "MRR@10", "hit@1", *recall, "ms/query"
    )
    for scores in report.modes:
        took = f"{scores.elapsed_ms / scores.total.queries:.1f}"
        for measures in _rows(scores.total, scores.languages):
            table.add_row(
                scores.mode,
                safe_text(measures.lang or "all"),
                str(measures.queries),
                _with_interval(measures.ndcg_at_10, "{:.3f}"),
                f"{measures.mrr_at_10.mean:.3f}",
                f"{measures.hit_at_1.mean:.3f}",
                *(f"{each.share.mean:.3f}" for each in measures.recall),
                took,
            )
            took = ""
    return table


def _comparisons(report: SearchEvaluationV1) -> Table:
    table = new_table("difference", "language", "nDCG@10", "MRR@10", "hit@1")
    for each in report.comparisons:
        for measures in _rows(each.total, each.languages):
            table.add_row(
                f"{each.mode} - {each.against}",
                safe_text(measures.lang or "all"),
                *(
                    _with_interval(estimate, "{:+.3f}")
                    for estimate in (measures.ndcg_at_10, measures.mrr_at_10, measures.hit_at_1)
                ),
            )
    return table


def _rows(
    total: RankingMeasuresV1, languages: tuple[RankingMeasuresV1, ...]
) -> tuple[RankingMeasuresV1, ...]:
    """Return a row for each language, below one for all where there are several."""
    return (total, *languages) if len(languages) > 1 else languages


def _print_times(console: Console, report: SearchEvaluationV1) -> None:
    table = new_table(
        "moments by", "recording found", "right half minute", "share", "median distance"
    )
    for scores in report.modes:
        if scores.times is not None:
            table.add_row(scores.mode, *_time_cells(scores.times))
    if table.row_count:
        console.print()
        console.print(table)


def _time_cells(times: TimePrecisionV1) -> tuple[str, ...]:
    distance_ms = times.median_distance_ms
    return (
        f"{times.compared} of {times.expected}",
        f"{times.right} of {times.expected}",
        _with_interval(times.share_right, "{:.0%}"),
        "" if distance_ms is None else f"{distance_ms / 1000:.1f} s",
    )


def _with_interval(estimate: EstimateV1, style: str) -> str:
    mean, low, high = map(style.format, (estimate.mean, estimate.low, estimate.high))
    return f"{mean} ({low} to {high})"


def render_chunk_evaluation(report: ChunkEvaluationV1) -> None:
    """Print the figures of each transcript, and their means where there are several."""
    console = open_console()
    table = new_table("transcript", "module", "segments", "mean turns", "WindowDiff", "Pk")
    for file in report.files:
        reference = (str(file.segments), f"{file.turns / file.segments:.1f}", "", "")
        table.add_row(safe_text(file.path), "reference", *reference)
        for module in file.modules:
            table.add_row("", safe_text(module.module), *_chunk_cells(module))
    if len(report.files) > 1:
        for number, module in enumerate(report.means):
            name = "" if number else "mean"
            table.add_row(name, safe_text(module.module), *_chunk_cells(module))
    console.print(table)
    errors = {module.error for file in report.files for module in file.modules if module.error}
    for error in sorted(errors):
        console.print(safe_text(f"not run: {error}", style="dim"))
    console.print(
        safe_text("0 is perfect; compare with the last rows, which look at no text", style="dim")
    )


def _chunk_cells(module: ModuleScoresV1) -> tuple[str, ...]:
    scores = module.scores
    if scores is None:
        return ("", "", "not run" if module.error else "", "")
    return (
        str(scores.segments),
        f"{scores.mean_turns:.1f}",
        f"{scores.window_diff:.3f}",
        f"{scores.pk:.3f}",
    )
