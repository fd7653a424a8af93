"""Impossible times are repaired, no text is lost, and what was moved says so."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import TimedText, TranscriptSegment, Word, fit_words, repair_timeline
from kb_testing.strategies import impossible_timings, transcript_segments


def repaired(
    times_ms: list[tuple[int, int]], duration_ms: int
) -> tuple[list[tuple[int, int]], list[bool]]:
    raw = [TimedText.of(start, end, f"text {start}-{end}") for start, end in times_ms]
    segments = repair_timeline(raw, duration_ms)
    assert [segment.text for segment in segments] == [item.segment.text for item in raw]
    return (
        [(segment.start_ms, segment.end_ms) for segment in segments],
        [bool(segment.flags) for segment in segments],
    )


def test_what_a_recogniser_got_wrong_is_moved_to_the_nearest_legal_place() -> None:
    seconds = [(0, 5), (5, 134), (134, 30), (30, 23), (40, 40), (70, 71)]
    times, flagged = repaired([(start * 1000, end * 1000) for start, end in seconds], 60_000)
    assert times == [
        (0, 5000),
        (5000, 60_000),
        (30_000, 30_000),
        (30_000, 30_000),
        (40_000, 40_000),
        (60_000, 60_000),
    ]
    assert flagged == [False, True, True, True, False, True]


def test_a_repair_tells_what_was_said() -> None:
    (segment,) = repair_timeline([TimedText.of(70_000, 71_000, "late", speaker="S1")], 60_000)
    assert segment.speaker == "S1"
    assert [(flag.code, flag.detail) for flag in segment.flags] == [
        ("time_repaired", "was 70000-71000 ms")
    ]


def test_one_absurd_start_does_not_push_the_rest_to_the_end() -> None:
    times, flagged = repaired([(0, 1000), (59_000, 59_500), (2000, 3000), (4000, 5000)], 60_000)
    assert times == [(0, 1000), (2000, 59_500), (2000, 3000), (4000, 5000)]
    assert flagged == [False, True, False, False]


def test_equal_starts_are_in_order() -> None:
    starts = [0, 1000, 1000, 1000, 500, 600, 2000]
    times, flagged = repaired([(start, 3000) for start in starts], 3000)
    assert [start for start, _ in times] == [0, 1000, 1000, 1000, 1000, 1000, 2000]
    assert flagged == [False, False, False, False, True, True, False]


def test_times_before_the_beginning_move_to_it() -> None:
    assert repaired([(-500, -100), (-1, 2000)], 60_000) == (
        [(0, 0), (0, 2000)],
        [True, True],
    )


def test_a_recording_without_length_holds_everything_at_its_start() -> None:
    assert repaired([(0, 0), (1, 2)], 0) == ([(0, 0), (0, 0)], [False, True])


def test_nothing_stays_nothing() -> None:
    assert repair_timeline([], 1000) == ()


@given(impossible_timings())
def test_what_is_stored_is_always_legal(given_times: tuple[list[TimedText], int]) -> None:
    raw, duration_ms = given_times
    segments = repair_timeline(raw, duration_ms)
    assert [segment.text for segment in segments] == [item.segment.text for item in raw]
    for segment, item in zip(segments, raw, strict=True):
        assert 0 <= segment.start_ms <= segment.end_ms <= duration_ms
        moved = (segment.start_ms, segment.end_ms) != (item.start_ms, item.end_ms)
        assert moved == bool(segment.flags)
        assert [word.text for word in segment.words] == [word.text for word in item.segment.words]
        for word in segment.words:
            assert segment.start_ms <= word.start_ms <= word.end_ms <= segment.end_ms
        assert all(a.start_ms <= b.start_ms for a, b in pairwise(segment.words))
        TranscriptSegment.model_validate(segment.model_dump())
    assert all(a.start_ms <= b.start_ms for a, b in pairwise(segments))


@given(impossible_timings())
def test_a_repaired_timeline_is_not_repaired_again(
    given_times: tuple[list[TimedText], int],
) -> None:
    raw, duration_ms = given_times
    once = repair_timeline(raw, duration_ms)
    again = [TimedText(item.start_ms, item.end_ms, item) for item in once]
    assert repair_timeline(again, duration_ms) == once


@given(transcript_segments(), st.integers(0, 5000))
def test_legal_times_stay_untouched(
    segments: tuple[TranscriptSegment, ...], silence_ms: int
) -> None:
    duration_ms = max((segment.end_ms for segment in segments), default=0) + silence_ms
    raw = [TimedText(segment.start_ms, segment.end_ms, segment) for segment in segments]
    assert repair_timeline(raw, duration_ms) == segments


@given(impossible_timings())
def test_most_of_the_times_that_were_in_order_are_kept(
    given_times: tuple[list[TimedText], int],
) -> None:
    raw, duration_ms = given_times
    kept = sum(
        segment.start_ms == item.start_ms
        for segment, item in zip(repair_timeline(raw, duration_ms), raw, strict=True)
    )
    assert kept >= _longest_legal_run(raw, duration_ms)


def _longest_legal_run(raw: list[TimedText], duration_ms: int) -> int:
    """Return the length of the longest legal non-decreasing subsequence, the slow way."""
    best: list[int] = []
    starts = [item.start_ms for item in raw if 0 <= item.start_ms <= duration_ms]
    for place, start in enumerate(starts):
        best.append(1 + max((best[i] for i in range(place) if starts[i] <= start), default=0))
    return max(best, default=0)


@pytest.mark.parametrize(
    ("words", "fitted"),
    [
        ([(100, 200), (200, 300)], [(100, 200), (200, 300)]),
        ([(0, 150), (250, 900)], [(100, 150), (250, 400)]),
        ([(900, 950)], [(400, 400)]),
        ([(300, 350), (150, 200)], [(300, 350), (300, 300)]),
        ([], []),
    ],
)
def test_words_move_into_their_segment(
    words: list[tuple[int, int]], fitted: list[tuple[int, int]]
) -> None:
    made = [Word(start_ms=start, end_ms=end, text="w") for start, end in words]
    placed = fit_words(made, 100, 400)
    assert [(word.start_ms, word.end_ms) for word in placed] == fitted
