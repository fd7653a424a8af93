"""What `kb eval search` measures, prints and writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kb_app.container import Container
from kb_app.setup import init
from kb_app.wire_search_evaluation import (
    EmbedderV1,
    EstimateV1,
    ModeComparisonV1,
    RankingMeasuresV1,
    RecallV1,
    ResamplingV1,
    SearchEvaluationV1,
    SearchModeScoresV1,
    TimePrecisionV1,
    UnknownPathV1,
)
from kb_cli.render_evaluation import render_search_evaluation
from kb_config import load_settings
from kb_testing.command import CommandResult, KbCommand
from kb_testing.documents import make_note, make_recording

BY_WORDS = {"KB_EMBEDDING__ENGINE": "none"}


def write_lines(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def run(kb: KbCommand, *arguments: str | Path) -> CommandResult:
    return kb.run("eval", "search", *arguments, env=BY_WORDS)


@pytest.fixture
def fruit(kb: KbCommand) -> Path:
    folder = kb.cwd / "fruit-en"
    (folder / "qrels").mkdir(parents=True)
    texts = {"d1": "red apples", "d2": "green apples", "d3": "파란 자두"}
    queries = {"q1": "red apples", "q2": "자두는?", "q3": "plums"}
    write_lines(folder / "corpus.jsonl", [{"_id": k, "text": v} for k, v in texts.items()])
    write_lines(folder / "queries.jsonl", [{"_id": k, "text": v} for k, v in queries.items()])
    judgements = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\nq2\td3\t1\nq3\td3\t1\n"
    (folder / "qrels" / "test.tsv").write_text(judgements, encoding="utf-8")
    return folder


@pytest.fixture
def golden(kb: KbCommand) -> Path:
    """A golden file, and the knowledge base that it asks."""
    init(load_settings(kb.data_dir), kb.cwd)
    container = Container(load_settings(kb.data_dir))
    container.store.put_document(make_note("a.md", ["ships sail", "trains do not"]))
    talk = [(0, 4000, "welcome", None), (90_000, 95_000, "the harbour is closed", None)]
    container.store.put_document(make_recording("talk.m4a", talk, segments_per_chunk=1))
    container.close()
    lines = [
        {"query": "harbour", "expect": ["talk.m4a:00:01:20-00:01:31"]},
        {"query": "trains", "expect": ["a.md:L3"]},
    ]
    return write_lines(kb.cwd / "mine.jsonl", lines)


def estimate(mean: float, margin: float = 0.01) -> EstimateV1:
    return EstimateV1(mean=mean, low=mean - margin, high=mean + margin)


def measures(lang: str | None, queries: int, mean: float) -> RankingMeasuresV1:
    return RankingMeasuresV1(
        lang=lang,
        queries=queries,
        ndcg_at_10=estimate(mean),
        mrr_at_10=estimate(mean),
        hit_at_1=estimate(mean),
        recall=(RecallV1(at=5, share=estimate(mean)),),
    )


def report(**changes: object) -> SearchEvaluationV1:
    languages = (measures("en", 3, 0.25), measures("ko", 1, 0.75))
    times = TimePrecisionV1(
        expected=4, compared=3, right=2, share_right=estimate(0.5, 0.25), median_distance_ms=2500
    )
    fields: dict[str, object] = {
        "path": "fruit",
        "kind": "golden",
        "split": None,
        "documents": 3,
        "queries": 4,
        "passed_over": 0,
        "missing_documents": 0,
        "embedder": None,
        "depth": 100,
        "resampling": ResamplingV1(confidence=0.95, resamples=1000, seed=0),
        "modes": (
            SearchModeScoresV1(
                mode="lexical",
                total=measures(None, 4, 0.5),
                languages=languages,
                times=times,
                elapsed_ms=6,
            ),
        ),
        "comparisons": (),
        "index_ms": None,
    }
    return SearchEvaluationV1.model_validate(fields | changes)


def printed(evaluation: SearchEvaluationV1, capsys: pytest.CaptureFixture[str]) -> list[str]:
    render_search_evaluation(evaluation)
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_a_row_for_all_queries_and_one_for_each_language(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = printed(report(), capsys)
    assert lines[0] == "fruit: 3 documents, 4 queries"
    assert "lexical all 4 0.500 (0.490 to 0.510) 0.500 0.500 0.500 1.5" in lines
    assert "lexical ko 1 0.750 (0.740 to 0.760) 0.750 0.750 0.750" in lines
    assert "lexical 3 of 4 2 of 4 50% (25% to 75%) 2.5 s" in lines
    assert lines[-1].startswith("in brackets the 95% interval over 1000 resamples")


def test_differences_and_the_model_of_meaning_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    difference = ModeComparisonV1(
        mode="hybrid",
        against="lexical",
        total=measures(None, 4, 0.02),
        languages=(measures("en", 4, 0.02),),
    )
    embedder = EmbedderV1(
        engine="parrot",
        model_id="small",
        model_version="1",
        dimensions=3,
        chunks=9,
        embedded=8,
    )
    lines = printed(report(comparisons=(difference,), embedder=embedder, left_out=6), capsys)
    assert lines[0] == "fruit: 3 documents, 4 of 10 queries"
    assert lines[1] == "meaning by parrot, model small, 3 dimensions; vectors of 8 of 9 chunks"
    shown = "+0.020 (+0.010 to +0.030)"
    assert f"hybrid - lexical en {shown} {shown} {shown}" in lines


def test_no_control_character_of_a_set_reaches_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    unknown = UnknownPathV1(path="a\x1b[2J.md", lines=(1, 3))
    lines = printed(report(path="fru\x1b[2Jit", unknown_paths=(unknown,)), capsys)
    assert "\x1b" not in "".join(lines)
    assert "error: not in the knowledge base: a\\x1b[2J.md (line 1, 3)" in lines


def test_a_corpus_is_measured_without_a_knowledge_base(kb: KbCommand, fruit: Path) -> None:
    result = run(kb, fruit, "--mode", "lexical", "--mode", "pairs", "--json")
    assert (result.exit_code, result.stderr.splitlines()) == (
        0,
        ["texts: 3", "lexical: 3", "pairs: 3"],
    )
    wire = SearchEvaluationV1.model_validate(result.json)
    assert [scores.mode for scores in wire.modes] == ["lexical", "pairs"]
    assert wire.modes[0].total.hit_at_1.mean == pytest.approx(2 / 3, abs=1e-6)
    assert [each.lang for each in wire.modes[0].languages] == ["en", "ko"]
    assert not kb.data_dir.exists()


def test_the_same_command_writes_the_same_rows(kb: KbCommand, fruit: Path) -> None:
    written = []
    for name in ("one.jsonl", "two.jsonl"):
        assert run(kb, fruit, "--limit", "2", "--per-query", name).exit_code == 0
        written.append((kb.cwd / name).read_bytes())
    assert written[0] == written[1]
    rows = [json.loads(line) for line in written[0].splitlines()]
    assert [row["schema_version"] for row in rows] == ["evaluated_query.v1"] * 2
    places = {"q1": [1, 2], "q2": [1], "q3": []}
    assert all(row["ranks"] == places[row["query_id"]] for row in rows)


def test_a_golden_file_is_measured_with_its_moments(kb: KbCommand, golden: Path) -> None:
    result = run(kb, golden, "--json")
    assert result.exit_code == 0
    times = result.json["modes"][0]["times"]
    assert (times["expected"], times["right"], times["median_distance_ms"]) == (1, 1, 10_000)
    assert result.json["modes"][0]["total"]["hit_at_1"]["mean"] == 1


def test_with_an_unknown_path_the_set_is_measured_in_part(kb: KbCommand, golden: Path) -> None:
    more = json.dumps({"query": "cars", "expect": ["gone.md:L1"]}) + "\n"
    golden.write_text(golden.read_text(encoding="utf-8") + more, encoding="utf-8")
    result = run(kb, golden)
    assert result.exit_code == 4
    assert "error: not in the knowledge base: gone.md (line 3)" in result.stdout


def test_what_cannot_be_measured_is_one_line_and_a_hint(kb: KbCommand, fruit: Path) -> None:
    bad = kb.cwd / "bad.jsonl"
    bad.write_text('{"query": "x", "expect": ["a.md:L3"]}\n{"query": \n', encoding="utf-8")
    for arguments, problem in (
        ((bad,), f"error: {bad}: line 2: "),
        ((kb.cwd / "none",), f"error: {kb.cwd / 'none'}: no such file or folder"),
        ((fruit, "--mode", "vector"), "error: nothing has a vector"),
        ((fruit, "--mode", "best"), "error: Invalid value for '--mode': 'best' is not one of "),
    ):
        result = run(kb, *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(problem)


def test_rows_are_not_written_over_what_is_measured(
    kb: KbCommand, golden: Path, fruit: Path
) -> None:
    for measured, out in ((golden, golden), (fruit, fruit / "qrels" / "test.tsv")):
        content = out.read_bytes()
        result = run(kb, measured, "--per-query", out)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "it belongs to the set and is not written over" in result.stderr
        assert out.read_bytes() == content
    for out in (kb.data_dir / "kb.sqlite3", kb.cwd / "none" / "rows.jsonl"):
        assert run(kb, golden, "--per-query", out).exit_code == 2
    assert run(kb, golden).exit_code == 0
