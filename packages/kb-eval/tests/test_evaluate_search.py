"""An evaluation of search asks every query in every mode, and says what it could not ask."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_app.search_evaluation import (
    LibrarySearch,
    SearchEvaluationServices,
    SearchOptions,
    TextSearch,
    UsedEmbedder,
)
from kb_app.text_library import CorpusText
from kb_app.wire_search_evaluation import EvaluatedQueryV1
from kb_core import CancelToken, Citation, parse_citation
from kb_core.errors import InputError
from kb_core.ports.embedder import EmbedderIdentity
from kb_core.ports.store import VectorCounts
from kb_core.query import SearchMode
from kb_eval.asking import drawn
from kb_eval.evaluate_search import evaluate_search
from kb_eval.golden import Expectation, GoldenQuery

TEXTS = {"d1": "red apples", "d2": "green apples", "d3": "blue plums"}
QUERIES = {"q1": "red apples", "q2": "plums", "q3": "초록 사과"}
JUDGEMENTS = "q1\td1\t2\nq1\td2\t1\nq2\td3\t1\nq3\td2\t1\n"
MODES: tuple[SearchMode, ...] = ("lexical", "vector")
EMBEDDER = UsedEmbedder(
    EmbedderIdentity(
        engine="parrot", model_id="small", model_version="1", pooling="mean", dimensions=3
    ),
    VectorCounts(chunks=3, embedded=3),
)


def by_words(texts: Sequence[CorpusText]) -> Callable[[SearchMode, str, int], list[str]]:
    """Search that counts common words; by meaning, it takes every question for one of apples."""

    def search(mode: SearchMode, query: str, limit: int) -> list[str]:
        words = set(query.split() if mode == "lexical" else ["green", "apples"])
        common = {text.doc_id: len(words & set(text.text.split())) for text in texts}
        found = [doc_id for doc_id, count in common.items() if count]
        return sorted(found, key=lambda doc_id: -common[doc_id])[:limit]

    return search


@contextmanager
def indexed(texts: Sequence[CorpusText]) -> Iterator[TextSearch]:
    yield TextSearch(modes=MODES, embedder=EMBEDDER, index_ms=12, search=by_words(texts))


def no_library() -> LibrarySearch:
    raise AssertionError


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def services(tmp_path: Path) -> SearchEvaluationServices:
    folder = tmp_path / "fruit-en"
    (folder / "qrels").mkdir(parents=True)
    write_lines(folder / "corpus.jsonl", [{"_id": k, "text": v} for k, v in TEXTS.items()])
    write_lines(folder / "queries.jsonl", [{"_id": k, "text": v} for k, v in QUERIES.items()])
    (folder / "qrels" / "test.tsv").write_text(JUDGEMENTS, encoding="utf-8")
    return SearchEvaluationServices(
        path=folder,
        options=SearchOptions(recall_at=(1, 2)),
        index_texts=indexed,
        open_library=no_library,
        on_step=lambda _step, _done, _total: None,
        on_query=lambda _row: None,
        cancel=CancelToken(),
    )


def with_library(
    services: SearchEvaluationServices, expect: dict[str, list[Any]], hits: dict[str, list[str]]
) -> SearchEvaluationServices:
    """Return services for a golden file over a library that has the paths a.m4a and a.md."""
    path = services.path.with_suffix(".jsonl")
    write_lines(path, [{"query": query, "expect": each} for query, each in expect.items()])

    def search(_mode: SearchMode, query: str, limit: int) -> list[Citation]:
        return [parse_citation(hit) for hit in hits.get(query, [])[:limit]]

    library = LibrarySearch(
        modes=("lexical",),
        embedder=None,
        documents=2,
        search=search,
        stored_path={"a.m4a": "a.m4a", "./a.md": "a.md"}.get,
    )
    return replace(services, path=path, open_library=lambda: library)


def test_every_mode_has_its_measures_by_language(services: SearchEvaluationServices) -> None:
    report = evaluate_search(services)
    assert (report.kind, report.split, report.documents, report.queries) == ("judged", "test", 3, 3)
    assert report.index_ms == 12
    assert report.embedder is not None
    assert (report.embedder.model_id, report.embedder.embedded) == ("small", 3)
    lexical, vector = report.modes
    assert (lexical.mode, vector.mode) == MODES
    assert lexical.total.hit_at_1.mean == pytest.approx(2 / 3, abs=1e-6)
    assert lexical.total.ndcg_at_10.mean == pytest.approx(2 / 3, abs=1e-6)
    assert [(each.at, each.share.mean) for each in lexical.total.recall] == [
        (1, 0.5),
        (2, 0.666667),
    ]
    assert [(each.lang, each.queries) for each in lexical.languages] == [("en", 2), ("ko", 1)]
    assert [each.hit_at_1.mean for each in lexical.languages] == [1, 0]
    assert [each.hit_at_1.mean for each in vector.languages] == [0.5, 1]
    assert lexical.times is None


def test_modes_are_compared_query_by_query(services: SearchEvaluationServices) -> None:
    (comparison,) = evaluate_search(services).comparisons
    assert (comparison.mode, comparison.against) == ("vector", "lexical")
    english, korean = comparison.languages
    assert (english.hit_at_1.mean, korean.hit_at_1.mean) == (-0.5, 1)
    assert (english.hit_at_1.low, english.hit_at_1.high) == (-1, 0)
    assert comparison.total.hit_at_1.mean == 0


def test_a_set_of_one_language_is_that_language(services: SearchEvaluationServices) -> None:
    (services.path / "qrels" / "test.tsv").write_text("q2\td3\t1\n", encoding="utf-8")
    scores = evaluate_search(services).modes[0]
    assert scores.languages == (scores.total.model_copy(update={"lang": "en"}),)


def test_each_query_is_told_of_in_each_mode(services: SearchEvaluationServices) -> None:
    rows: list[EvaluatedQueryV1] = []
    steps: list[tuple[str, int, int]] = []
    evaluate_search(
        replace(services, on_query=rows.append, on_step=lambda *told: steps.append(told))
    )
    assert [(row.mode, row.query_id) for row in rows] == [
        (mode, query_id) for mode in MODES for query_id in QUERIES
    ]
    assert steps[:4] == [("lexical", n, 3) for n in (1, 2, 3)] + [("vector", 1, 3)]
    first = rows[3]
    assert (first.query, first.lang, first.expected) == ("red apples", "en", ("d1", "d2"))
    assert (first.found, first.ranks) == (("d2", "d1"), (1, 2))
    assert (first.mrr_at_10, first.hit_at_1, first.recall) == (1, 1, {1: 0.5, 2: 1})
    assert first.ndcg_at_10 == pytest.approx(0.859719, abs=1e-6)


def test_twice_the_same_gives_the_same_but_for_times(services: SearchEvaluationServices) -> None:
    def timeless() -> str:
        report = evaluate_search(services)
        modes = tuple(each.model_copy(update={"elapsed_ms": 0}) for each in report.modes)
        return report.model_copy(update={"modes": modes}).model_dump_json()

    first = timeless()
    assert timeless() == first
    lines = (services.path / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    (services.path / "queries.jsonl").write_text("\n".join(lines[::-1]), encoding="utf-8")
    assert timeless() == first


def test_a_limit_leaves_out_queries(services: SearchEvaluationServices) -> None:
    def asked(limit: int) -> tuple[int, int, list[str]]:
        rows: list[EvaluatedQueryV1] = []
        options = replace(services.options, limit=limit)
        report = evaluate_search(replace(services, options=options, on_query=rows.append))
        assert len(rows) == report.queries * len(MODES)
        return report.queries, report.left_out, [row.query_id for row in rows[: report.queries]]

    one, two = asked(1), asked(2)
    assert (one[:2], two[:2]) == ((1, 2), (2, 1))
    assert set(one[2]) < set(two[2])
    assert asked(9) == (3, 0, list(QUERIES))


@given(st.permutations(range(1, 13)), st.integers(1, 12))
def test_drawn_queries_stand_in_their_order_and_depend_on_no_order(
    numbers: list[int], limit: int
) -> None:
    queries = [GoldenQuery(number, "what?", "en", (Expectation("a.md"),)) for number in numbers]
    chosen = [query.number for query in drawn(queries, limit)]
    in_order = [query.number for query in drawn(sorted(queries, key=lambda q: q.number), limit)]
    assert chosen == [number for number in numbers if number in in_order]
    assert len(chosen) == limit
    assert drawn(queries, None) == queries


def test_those_drawn_are_not_the_first_ones() -> None:
    queries = [GoldenQuery(number, "what?", "en", (Expectation("a.md"),)) for number in range(100)]
    assert max(query.number for query in drawn(queries, 20)) > 50


def test_a_stop_keeps_the_modes_that_were_finished(services: SearchEvaluationServices) -> None:
    def stop_at(step: str, done: int, _total: int) -> None:
        if (step, done) == ("vector", 2):
            services.cancel.cancel()

    report = evaluate_search(replace(services, on_step=stop_at))
    assert report.cancelled
    assert [scores.mode for scores in report.modes] == ["lexical"]
    assert report.comparisons == ()


def test_a_stop_before_the_first_mode_leaves_no_measures(
    services: SearchEvaluationServices,
) -> None:
    services.cancel.cancel()
    report = evaluate_search(services)
    assert report.cancelled
    assert report.modes == ()


def test_a_golden_file_is_asked_of_the_library(services: SearchEvaluationServices) -> None:
    rows: list[EvaluatedQueryV1] = []
    expect: dict[str, list[Any]] = {
        "when?": ["a.m4a:00:01:00-00:01:10"],
        "무엇?": ["a.m4a:00:09:00-00:09:10", "./a.md"],
        "who?": ["a.m4a:00:05:00-00:05:10"],
    }
    hits = {
        "when?": ["a.md:L1", "a.m4a:00:01:09-00:01:20"],
        "무엇?": ["a.m4a:00:01:00-00:01:10", "a.md:L7"],
    }
    asked = with_library(services, expect, hits)
    report = evaluate_search(replace(asked, on_query=rows.append))
    assert (report.kind, report.split, report.documents, report.queries) == ("golden", None, 2, 3)
    assert (report.embedder, report.index_ms, report.unknown_paths) == (None, None, ())
    (scores,) = report.modes
    assert scores.total.mrr_at_10.mean == pytest.approx((0.5 + 0.5 + 0) / 3, abs=1e-6)
    assert [(each.lang, each.queries) for each in scores.languages] == [("en", 2), ("ko", 1)]
    assert scores.times is not None
    assert (scores.times.expected, scores.times.compared) == (3, 2)
    assert scores.times.right == 1
    assert scores.times.share_right.mean == pytest.approx(1 / 3, abs=1e-6)
    assert scores.times.median_distance_ms == (9_000 + 480_000) / 2
    assert [row.query_id for row in rows] == ["1", "2", "3"]
    assert rows[1].expected == ("a.m4a:00:09:00-00:09:10", "a.md")
    assert rows[1].found == ("a.m4a:00:01:00-00:01:10", "a.md:L7")
    assert [row.ranks for row in rows] == [(2,), (2,), ()]
    assert [row.distance_ms for row in rows] == [9_000, 480_000, None]


def test_unknown_paths_are_misses_and_listed(services: SearchEvaluationServices) -> None:
    expect: dict[str, list[Any]] = {"a": ["./a.md", "b.md"], "b": ["b.md:L1", "c:1.md"]}
    expect["b"][1] = {"path": "c:1.md"}
    report = evaluate_search(with_library(services, expect, {"a": ["a.md:L1"]}))
    assert [(each.path, each.lines) for each in report.unknown_paths] == [
        ("b.md", (1, 2)),
        ("c:1.md", (2,)),
    ]
    (scores,) = report.modes
    assert [each.share.mean for each in scores.total.recall] == [0.25, 0.25]
    assert scores.times is None


def test_without_recordings_found_no_moment_is_right(services: SearchEvaluationServices) -> None:
    asked = with_library(services, {"when?": ["a.m4a:00:00:00-00:00:01"]}, {})
    times = evaluate_search(asked).modes[0].times
    assert times is not None
    assert (times.compared, times.right, times.median_distance_ms) == (0, 0, None)
    assert times.share_right.mean == 0


def test_a_bad_set_is_refused_before_anything_is_opened(
    services: SearchEvaluationServices,
) -> None:
    path = services.path.with_suffix(".jsonl")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        evaluate_search(replace(services, path=path))
