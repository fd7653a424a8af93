"""`kb eval search`: the queries of a set, asked in every mode and measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kb_app.search_evaluation import SearchEvaluationServices, UsedEmbedder
from kb_app.wire_search_evaluation import EmbedderV1, SearchEvaluationV1, UnknownPathV1
from kb_core import Citation, TimeSpan
from kb_core.errors import Cancelled
from kb_core.query import SearchMode
from kb_eval.asking import Asking, Judged, ModeRun, depth, drawn
from kb_eval.beir import JudgedQuery, read_judged_set
from kb_eval.golden import Expectation, GoldenQuery, read_golden
from kb_eval.places import judge_hits, time_distance
from kb_eval.ranking import relevant_ranks, score_ranking
from kb_eval.search_report import RESAMPLING, ReportedQueries, report_modes


def evaluate_search(services: SearchEvaluationServices) -> SearchEvaluationV1:
    """Ask the queries of a set, and measure what is found; the entry point of kb-eval.

    A folder is a corpus with queries and judgements; a file has queries for the person's own
    knowledge base. A stop leaves the modes that were finished until then.

    Raises:
        InputError: the set cannot be read, or a line of it makes no sense.
        ModelError: the model of meaning cannot be used.
        Cancelled: a stop was asked for before anything could be searched.
    """
    if services.path.is_dir():
        return _evaluate_judged_set(services)
    return _evaluate_golden(services)


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a report says of the set, apart from measures."""

    kind: Literal["judged", "golden"]
    documents: int
    embedder: UsedEmbedder | None
    split: str | None = None
    left_out: int = 0
    passed_over: int = 0
    missing_documents: int = 0
    unknown_paths: tuple[UnknownPathV1, ...] = ()
    index_ms: int | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """The modes that were finished, and whether a stop kept others from it."""

    runs: tuple[ModeRun, ...]
    cancelled: bool


def _evaluate_judged_set(services: SearchEvaluationServices) -> SearchEvaluationV1:
    judged_set = read_judged_set(services.path, services.options.split)
    queries = drawn(judged_set.queries, services.options.limit)
    recall_at = services.options.recall_at

    def judge(query: JudgedQuery, doc_ids: Sequence[str]) -> Judged:
        relevant = tuple(sorted(doc for doc, grade in query.grades.items() if grade > 0))
        score = score_ranking(doc_ids, query.grades, recall_at)
        return Judged(score, relevant_ranks(doc_ids, query.grades), relevant)

    with services.index_texts(judged_set.texts) as corpus:
        asking = Asking(services, corpus.search, judge)
        asked = _ask(lambda mode: asking.run(mode, queries), corpus.modes)
    facts = _Facts(
        kind="judged",
        documents=len(judged_set.texts),
        embedder=corpus.embedder,
        split=services.options.split,
        left_out=len(judged_set.queries) - len(queries),
        passed_over=judged_set.passed_over,
        missing_documents=judged_set.missing_documents,
        index_ms=corpus.index_ms,
    )
    reported = ReportedQueries(
        languages=tuple(query.lang for query in queries),
        expect_moments=(False,) * len(queries),
        recall_at=recall_at,
    )
    return _report(services, facts, asked, reported)


def _evaluate_golden(services: SearchEvaluationServices) -> SearchEvaluationV1:
    all_written = read_golden(services.path)
    written = drawn(all_written, services.options.limit)
    library = services.open_library()
    recall_at = services.options.recall_at
    paths = sorted({each.path for query in written for each in query.expected})
    stored_paths = {path: library.stored_path(path) for path in paths}
    queries = [_as_stored(query, stored_paths) for query in written]

    def judge(query: GoldenQuery, hits: Sequence[Citation]) -> Judged:
        judged = judge_hits(hits, query.expected)
        return Judged(
            score_ranking(judged.ranking, judged.grades, recall_at),
            relevant_ranks(judged.ranking, judged.grades),
            tuple(map(str, query.expected)),
            time_distance(hits, query.expected),
        )

    asking = Asking(services, library.search, judge, Citation.to_human)
    asked = _ask(lambda mode: asking.run(mode, queries), library.modes)
    unknown = [path for path, stored in stored_paths.items() if stored is None]
    facts = _Facts(
        kind="golden",
        documents=library.documents,
        embedder=library.embedder,
        left_out=len(all_written) - len(written),
        unknown_paths=tuple(
            UnknownPathV1(path=path, lines=_lines_expecting(path, written)) for path in unknown
        ),
    )
    reported = ReportedQueries(
        languages=tuple(query.lang for query in queries),
        expect_moments=tuple(_expects_moment(query.expected) for query in queries),
        recall_at=recall_at,
    )
    return _report(services, facts, asked, reported)


def _report(
    services: SearchEvaluationServices, facts: _Facts, asked: _Asked, queries: ReportedQueries
) -> SearchEvaluationV1:
    report = report_modes(asked.runs, queries)
    return SearchEvaluationV1(
        path=str(services.path),
        kind=facts.kind,
        split=facts.split,
        documents=facts.documents,
        queries=len(queries.languages),
        left_out=facts.left_out,
        passed_over=facts.passed_over,
        missing_documents=facts.missing_documents,
        unknown_paths=facts.unknown_paths,
        embedder=_embedder_v1(facts.embedder),
        depth=depth(services),
        resampling=RESAMPLING,
        modes=report.modes,
        comparisons=report.comparisons,
        index_ms=facts.index_ms,
        cancelled=asked.cancelled,
    )


def _ask(run: Callable[[SearchMode], ModeRun], modes: Iterable[SearchMode]) -> _Asked:
    runs: list[ModeRun] = []
    try:
        for mode in modes:
            runs.append(run(mode))
    except Cancelled:
        return _Asked(tuple(runs), cancelled=True)
    return _Asked(tuple(runs), cancelled=False)


def _as_stored(query: GoldenQuery, stored_paths: dict[str, str | None]) -> GoldenQuery:
    """Return a query whose expectations have the paths that citations have."""
    expected = (replace(each, path=stored_paths[each.path] or each.path) for each in query.expected)
    return replace(query, expected=tuple(dict.fromkeys(expected)))


def _lines_expecting(path: str, queries: Iterable[GoldenQuery]) -> tuple[int, ...]:
    return tuple(
        query.number for query in queries if any(each.path == path for each in query.expected)
    )


def _expects_moment(expected: Iterable[Expectation]) -> bool:
    return any(isinstance(each.span, TimeSpan) for each in expected)


def _embedder_v1(used: UsedEmbedder | None) -> EmbedderV1 | None:
    if used is None:
        return None
    return EmbedderV1(
        engine=used.identity.engine,
        model_id=used.identity.model_id,
        model_version=used.identity.model_version,
        dimensions=used.identity.dimensions,
        chunks=used.vectors.chunks,
        embedded=used.vectors.embedded,
    )
