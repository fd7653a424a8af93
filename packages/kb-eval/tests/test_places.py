"""A hit counts where it shows what was expected, and once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import Citation, LineSpan, PageSpan, SourceSpan, TimeSpan, parse_citation
from kb_eval.golden import Expectation
from kb_eval.places import TimeDistance, judge_hits, overlap, time_distance
from kb_eval.ranking import score_ranking


def hits(*texts: str) -> list[Citation]:
    return [parse_citation(text) for text in texts]


def places(*texts: str) -> list[Expectation]:
    return [Expectation(each.path, each.span) for each in hits(*texts)]


def time(start_ms: int, end_ms: int) -> TimeSpan:
    return TimeSpan(start_ms=start_ms, end_ms=end_ms)


def page(number: int, *chars: int) -> PageSpan:
    start, end = chars or (None, None)
    return PageSpan(page=number, char_start=start, char_end=end)


@pytest.mark.parametrize(
    ("one", "other", "do"),
    [
        (time(0, 5), time(4, 9), True),
        (time(0, 5), time(5, 9), False),
        (time(5, 5), time(0, 9), True),
        (time(0, 0), time(0, 9), True),
        (time(9, 9), time(0, 9), False),
        (LineSpan(start=1, end=3), LineSpan(start=3, end=9), True),
        (LineSpan(start=1, end=2), LineSpan(start=3, end=9), False),
        (page(2), page(2, 10, 20), True),
        (page(2, 0, 10), page(2, 10, 20), False),
        (page(2, 0, 11), page(2, 10, 20), True),
        (page(1), page(2), False),
        (page(1), LineSpan(start=1, end=1), False),
    ],
)
def test_places_overlap_where_they_share_something(
    one: SourceSpan, other: SourceSpan, do: bool
) -> None:
    assert overlap(one, other) is overlap(other, one) is do


def test_only_hits_on_the_place_are_relevant() -> None:
    found = hits("b.md:L1", "a.md:L9", "a.md:L2-L4")
    judged = judge_hits(found, places("a.md:L4-L5"))
    assert score_ranking(judged.ranking, judged.grades, (1, 3)).values == (0.5, 1 / 3, 0, 0, 1)


def test_a_path_alone_is_found_anywhere_in_its_document() -> None:
    judged = judge_hits(hits("b.md:L1", "a.md:L9"), [Expectation("a.md")])
    assert score_ranking(judged.ranking, judged.grades, (2,)).recall == (1,)


def test_a_second_hit_on_the_same_place_gains_nothing() -> None:
    expected = places("a.md:L1-L9", "b.md:L1")
    once = judge_hits(hits("a.md:L1", "c.md:L1"), expected)
    twice = judge_hits(hits("a.md:L1", "a.md:L2"), expected)
    scores = [score_ranking(each.ranking, each.grades, (2,)) for each in (once, twice)]
    assert scores[0] == scores[1]
    assert scores[0].recall == (0.5,)


def test_places_that_one_hit_covers_are_found_with_it() -> None:
    judged = judge_hits(hits("a.md:L1-L9"), places("a.md:L1", "a.md:L3"))
    assert score_ranking(judged.ranking, judged.grades, (1,)).values == (1, 1, 1, 1)


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9), st.integers(0, 3)), max_size=12),
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(1, 9), st.integers(0, 3)),
        min_size=1,
        max_size=5,
    ),
)
def test_no_ranking_of_places_is_better_than_the_best(
    found: list[tuple[str, int, int]], expected: list[tuple[str, int, int]]
) -> None:
    cited = hits(*(f"{path}:L{start}-L{start + more}" for path, start, more in found))
    wanted = places(*(f"{path}:L{start}-L{start + more}" for path, start, more in expected))
    judged = judge_hits(cited, wanted)
    assert len(judged.ranking) == len(set(judged.ranking)) == len(cited)
    its_score = score_ranking(judged.ranking, judged.grades, (1, 100))
    assert all(0 <= value <= 1 for value in its_score.values)
    assert (its_score.recall[1] == 1) is all(
        any(hit.path == each.path and overlap(hit.span, each.span) for hit in cited)
        for each in wanted
        if each.span is not None
    )


def test_the_first_hit_in_the_recording_is_compared_with_the_nearest_moment() -> None:
    found = hits("b.m4a:00:00:00-00:00:09", "a.m4a:00:05:00-00:05:10", "a.m4a:00:01:00-00:01:01")
    expected = places("a.m4a:00:01:00-00:01:10", "a.m4a:00:05:30-00:05:40", "a.md:L1")
    assert time_distance(found, expected) == TimeDistance(30_000, is_right=True)
    assert time_distance(found, places("a.m4a:00:05:31-00:05:40")) == TimeDistance(
        31_000, is_right=False
    )


def test_a_long_moment_is_right_where_it_overlaps() -> None:
    distance = time_distance(hits("a.m4a:00:05:00-00:05:10"), places("a.m4a:00:01:00-00:09:00"))
    assert distance == TimeDistance(240_000, is_right=True)


def test_what_overlaps_is_nearer_than_what_begins_sooner() -> None:
    expected = places("a.m4a:00:01:00-00:09:00", "a.m4a:00:05:45-00:06:00")
    distance = time_distance(hits("a.m4a:00:05:00-00:05:10"), expected)
    assert distance == TimeDistance(240_000, is_right=True)


def test_there_is_no_distance_without_a_moment_or_its_recording() -> None:
    assert time_distance(hits("a.md:L3"), places("a.md:L3")) is None
    assert time_distance(hits("b.m4a:00:00:00-00:00:01"), places("a.m4a:00:00:00-00:00:01")) is None
    assert time_distance([], places("a.m4a:00:00:00-00:00:01")) is None
