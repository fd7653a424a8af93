from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_parse_audio.clock import MAX_GAP_SAMPLES, Event, PlayerClock, TickScale

RATE_HZ = 16_000
FRAME = 320


def placed(positions, rate_hz=RATE_HZ, from_zero=True):
    clock = PlayerClock(from_zero=from_zero)
    return [clock.place(position, FRAME, rate_hz) for position in positions]


def test_frames_that_follow_each_other_join():
    first, second = placed([0, FRAME])
    assert (first.start, first.joins) == (0, False)
    assert (second.start, second.joins, second.event) == (FRAME, True, Event.NONE)


def test_time_before_the_first_frame_is_silence_even_when_it_is_short():
    assert placed([16])[0].start == 16


def test_sound_before_time_zero_is_left_out_to_the_sample():
    assert placed([-100])[0].skip == 100


@given(st.lists(st.integers(-600, 600), min_size=1, max_size=50))
def test_jitter_within_the_tolerance_moves_nothing(jitters):
    clock = PlayerClock(from_zero=True)
    clock.place(0, FRAME, RATE_HZ)
    for place, jitter in enumerate(jitters, start=1):
        placement = clock.place(place * FRAME + jitter, FRAME, RATE_HZ)
        assert (placement.start, placement.skip, placement.joins) == (place * FRAME, 0, True)


def test_a_jump_forward_is_a_gap():
    *_, after = placed([0, 10 * RATE_HZ])
    assert (after.start, after.joins, after.event) == (10 * RATE_HZ, False, Event.GAP)


def test_a_step_back_leaves_out_what_was_there_to_the_sample():
    clock = PlayerClock(from_zero=True)
    clock.place(0, 10 * RATE_HZ, RATE_HZ)
    placement = clock.place(10 * RATE_HZ - 4000, 5000, RATE_HZ)
    assert (placement.start, placement.skip, placement.event) == (10 * RATE_HZ, 4000, Event.OVERLAP)
    assert clock.end == 10 * RATE_HZ + 1000


def test_one_absurd_timestamp_changes_nothing_for_those_after_it():
    placements = placed([0, FRAME, 2**60, 3 * FRAME, 4 * FRAME])
    assert [placement.start for placement in placements] == [0, 320, 640, 960, 1280]
    assert [placement.event for placement in placements].count(Event.NOT_A_TIME) == 1


def test_a_single_step_far_back_changes_nothing_for_those_after_it():
    clock = PlayerClock(from_zero=True)
    clock.place(0, 60 * RATE_HZ, RATE_HZ)
    assert clock.place(0, FRAME, RATE_HZ).start == 60 * RATE_HZ
    after = clock.place(60 * RATE_HZ + FRAME, FRAME, RATE_HZ)
    assert (after.start, after.event) == (60 * RATE_HZ + FRAME, Event.NONE)


def test_a_clock_that_restarts_counts_on_and_keeps_later_gaps():
    clock = PlayerClock(from_zero=True)
    clock.place(0, 60 * RATE_HZ, RATE_HZ)
    clock.place(0, FRAME, RATE_HZ)
    clock.place(FRAME, FRAME, RATE_HZ)
    after_gap = clock.place(5 * RATE_HZ, FRAME, RATE_HZ)
    assert (after_gap.start, after_gap.event) == (65 * RATE_HZ, Event.GAP)


def test_a_lasting_jump_of_more_than_a_day_is_no_silence():
    beyond = MAX_GAP_SAMPLES + RATE_HZ
    placements = placed([0, beyond, beyond + FRAME, beyond + 2 * FRAME])
    assert [placement.start for placement in placements] == [0, 320, 640, 960]


def test_frames_without_a_timestamp_are_strung_on():
    assert [placement.start for placement in placed([None, None, None])] == [0, 320, 640]


def test_after_seeking_the_first_frame_says_where_one_is():
    assert placed([RATE_HZ * 77], from_zero=False)[0].start == RATE_HZ * 77


def test_positions_do_not_drift_at_another_rate():
    clock = PlayerClock(from_zero=True)
    for _ in range(1000):
        clock.place(None, 1024, 44_100)
    assert clock.end == round(1000 * 1024 * RATE_HZ / 44_100)


@given(st.integers(-(2**40), 2**40), st.sampled_from([1000, 44_100, 48_000, 14_112_000, 90_000]))
def test_ticks_become_the_nearest_sample(ticks, per_second):
    scale = TickScale(Fraction(1, per_second), Fraction(69_063, 1_000_000))
    exact = (Fraction(ticks, per_second) - Fraction(69_063, 1_000_000)) * RATE_HZ
    assert abs(scale.position(ticks) - exact) <= Fraction(1, 2)
    assert scale.ticks(scale.position(ticks) + 1) >= ticks - 1


@pytest.mark.parametrize("count", [1, 999])
def test_a_frame_that_is_all_overlap_is_left_out_whole(count):
    clock = PlayerClock(from_zero=True)
    clock.place(0, 5 * RATE_HZ, RATE_HZ)
    assert clock.place(0, count, RATE_HZ).skip == count
    assert clock.end == 5 * RATE_HZ
