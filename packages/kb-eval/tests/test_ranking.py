"""Measures of rankings are those of trec_eval, and their intervals hold what they should."""

from __future__ import annotations

import math

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from kb_eval.bootstrap import ResampledTable
from kb_eval.ranking import relevant_ranks, score_ranking

GRADES = {"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "f": 2}
DOCUMENTS = [f"d{number}" for number in range(30)]
RECALL_AT = (1, 5, 10, 100)


@st.composite
def judged_rankings(draw: st.DrawFn) -> tuple[list[str], dict[str, int]]:
    ranking = draw(st.permutations(DOCUMENTS).map(lambda each: each[:20]))
    grades = draw(st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 4), min_size=1))
    return ranking, {**grades, "d0": 1}


def test_ndcg_is_the_sum_of_discounted_grades_over_the_best_possible() -> None:
    # Gains 3 2 3 0 1 2 at ranks 1 to 6 against 3 3 2 2 1.
    found = 3 + 2 / math.log2(3) + 3 / 2 + 1 / math.log2(6) + 2 / math.log2(7)
    best = 3 + 3 / math.log2(3) + 2 / 2 + 2 / math.log2(5) + 1 / math.log2(6)
    its_score = score_ranking("abcdef", GRADES, ())
    assert its_score.ndcg_at_10 == pytest.approx(found / best, abs=1e-12)
    assert round(its_score.ndcg_at_10, 4) == 0.9608


def test_ten_results_count_and_the_ideal_has_ten() -> None:
    grades = dict.fromkeys(DOCUMENTS, 1)
    assert score_ranking(DOCUMENTS[:10], grades, ()).ndcg_at_10 == 1
    late = score_ranking([*map(str, range(10)), "d0"], {"d0": 1}, (10, 11))
    assert (late.ndcg_at_10, late.mrr_at_10, late.recall) == (0, 0, (0, 1))


def test_what_the_corpus_lacks_is_missed() -> None:
    assert score_ranking(["a"], {"a": 1, "gone": 1}, RECALL_AT).recall == (0.5,) * 4


def test_the_first_relevant_result_decides_rank_and_hit() -> None:
    second = score_ranking(["x", "b", "a"], {"a": 2, "b": 1, "x": 0}, ())
    assert (second.mrr_at_10, second.hit_at_1) == (0.5, 0)
    assert score_ranking(["b"], {"a": 2, "b": 1}, ()).hit_at_1 == 1


def test_ranks_are_those_of_relevant_results_alone() -> None:
    assert relevant_ranks(["x", "b", "d", "a"], {"a": 2, "b": 1, "d": 0, "gone": 1}) == (2, 4)


def test_nothing_found_is_worth_nothing() -> None:
    assert score_ranking([], {"a": 1}, RECALL_AT).values == (0,) * 7


@given(judged_rankings())
def test_measures_are_those_of_trec_eval(judged: tuple[list[str], dict[str, int]]) -> None:
    ranking, grades = judged
    names = {"ndcg_cut.10", "recall.1,5,10,100", "success.1"}
    run = {doc_id: float(len(ranking) - place) for place, doc_id in enumerate(ranking)}
    witness = pytrec_eval.RelevanceEvaluator({"q": grades}, names).evaluate({"q": run})["q"]
    its_score = score_ranking(ranking, grades, RECALL_AT)
    assert its_score.ndcg_at_10 == pytest.approx(witness["ndcg_cut_10"], abs=1e-12)
    assert its_score.hit_at_1 == witness["success_1"]
    for count, recall in zip(RECALL_AT, its_score.recall, strict=True):
        assert recall == pytest.approx(witness[f"recall_{count}"], abs=1e-12)
    first_ten = dict(list(run.items())[:10])
    evaluator = pytrec_eval.RelevanceEvaluator({"q": grades}, {"recip_rank"})
    witness = evaluator.evaluate({"q": first_ten})["q"]
    assert its_score.mrr_at_10 == pytest.approx(witness["recip_rank"], abs=1e-12)


@given(judged_rankings())
def test_every_measure_is_a_share(judged: tuple[list[str], dict[str, int]]) -> None:
    assert all(0 <= value <= 1 for value in score_ranking(*judged, RECALL_AT).values)


def test_an_interval_has_the_width_of_the_normal_one_where_queries_are_many() -> None:
    rows = [(float(number % 4 == 0),) for number in range(400)]
    estimate = ResampledTable(rows).estimate(0)
    margin = 1.96 * math.sqrt(0.25 * 0.75 / 400)
    assert estimate.mean == 0.25
    assert estimate.low == pytest.approx(0.25 - margin, abs=0.006)
    assert estimate.high == pytest.approx(0.25 + margin, abs=0.006)


def test_a_steady_difference_is_told_apart_where_the_two_intervals_overlap() -> None:
    firsts = [number / 200 for number in range(200)]
    table = ResampledTable([(first, first + 0.01) for first in firsts])
    one, other = table.estimate(0), table.estimate(1)
    difference = table.difference(1, 0)
    assert other.low < one.high
    assert difference.low == pytest.approx(0.01)
    assert difference.mean == pytest.approx(0.01)
    assert difference.high == pytest.approx(0.01)


def test_queries_that_all_came_to_the_same_leave_no_doubt() -> None:
    estimate = ResampledTable([(0.5,)] * 7).estimate(0)
    assert (estimate.mean, estimate.low, estimate.high) == (0.5, 0.5, 0.5)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), min_size=1))
def test_the_interval_of_a_column_does_not_depend_on_those_beside_it(
    rows: list[tuple[float, float]],
) -> None:
    alone = ResampledTable([(row[1],) for row in rows]).estimate(0)
    beside = ResampledTable(rows).estimate(1)
    assert beside.mean == pytest.approx(alone.mean, abs=1e-12)
    assert beside.low == pytest.approx(alone.low, abs=1e-12)
    assert beside.high == pytest.approx(alone.high, abs=1e-12)
