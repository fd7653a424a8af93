"""Several rankings to one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_search import RRF_K, Leg, fuse

SCORES = st.dictionaries(
    st.sampled_from("abcdefgh"), st.floats(0.01, 50, allow_nan=False), max_size=8
)


def leg(scores: dict[str, float], weight: float = 0.5, background: float = 0.0) -> Leg:
    ordered = dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
    return Leg("pairs", weight, ordered, background)


def test_the_best_hit_of_a_ranking_gets_its_weight_and_an_unrelated_one_nothing() -> None:
    fused = fuse([leg({"a": 10, "b": 5, "c": 2}, weight=0.5, background=2)], "scores")
    assert fused == {"a": 0.5, "b": pytest.approx(0.5 * 3 / 8)}


def test_a_ranking_that_is_sure_outweighs_one_that_finds_all_alike() -> None:
    sure, unsure = leg({"a": 20, "b": 2}), leg({"b": 0.81, "a": 0.80}, background=0.7)
    assert list(fuse([sure, unsure], "scores")) == ["a", "b"]
    assert list(fuse([sure, unsure], "rrf")) == ["a", "b"]  # a tie of ranks, so by id


def test_a_flat_ranking_says_yes_or_no() -> None:
    exact = Leg("exact", 1.0, {"b": 9.0, "a": 1.0}, is_flat=True)
    assert fuse([exact, leg({"a": 2.0, "b": 1.0})], "scores") == {"a": 1.5, "b": 1.25}


def test_ranks_are_fused_by_their_reciprocals() -> None:
    fused = fuse([leg({"a": 3, "b": 2}, 1.0), leg({"b": 7}, 1.0)], "rrf")
    assert fused == {
        "b": pytest.approx(1 / (RRF_K + 2) + 1 / (RRF_K + 1)),
        "a": pytest.approx(1 / (RRF_K + 1)),
    }


def test_what_is_no_closer_than_any_other_is_no_hit() -> None:
    meaning = leg({"a": 0.7, "b": 0.6}, background=0.7)
    assert fuse([meaning], "scores") == {}
    assert fuse([meaning, leg({"b": 3.0})], "scores") == {"b": 0.5}


def test_nothing_fuses_to_nothing() -> None:
    assert fuse([], "scores") == {}
    assert fuse([leg({}), leg({})], "rrf") == {}


@pytest.mark.parametrize("method", ["scores", "rrf"])
@given(first=SCORES, second=SCORES)
def test_the_order_of_rankings_and_of_ties_does_not_matter(
    method: str, first: dict[str, float], second: dict[str, float]
) -> None:
    one = fuse([leg(first), leg(second)], method)  # type: ignore[arg-type]
    other = fuse([leg(second), leg(first)], method)  # type: ignore[arg-type]
    assert list(one.items()) == list(other.items())
    assert list(one) == sorted(one, key=lambda chunk_id: (-one[chunk_id], chunk_id))
    assert set(one) == {*first, *second}
