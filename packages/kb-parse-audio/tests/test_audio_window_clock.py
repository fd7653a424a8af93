"""Times in a window and times on the player's clock."""

from hypothesis import given
from hypothesis import strategies as st

from kb_core.ports.transcriber import SAMPLES_PER_MS
from kb_parse_audio.regions import Region
from kb_parse_audio.window_clock import WindowClock


def clock_of(*pieces_ms):
    return WindowClock([Region(start * 16, end * 16) for start, end in pieces_ms])


def test_a_joint_is_an_end_of_one_piece_and_a_start_of_the_next():
    clock = clock_of((1000, 3000), (9000, 9500), (20_000, 21_000))
    assert clock.to_player_ms(2000, is_end=True) == 3000
    assert clock.to_player_ms(2000) == 9000
    assert clock.to_player_ms(2500, is_end=True) == 9500
    assert clock.to_player_ms(2500) == 20_000
    assert [clock.piece_at(2000), clock.piece_at(2000, is_end=True)] == [1, 0]


def test_the_edges_of_a_window_are_the_edges_of_its_pieces():
    clock = clock_of((1000, 3000), (9000, 9500))
    assert clock.to_player_ms(0) == clock.to_player_ms(0, is_end=True) == 1000
    assert clock.to_player_ms(2500, is_end=True) == 9500
    assert clock.to_player_ms(99_999) == clock.to_player_ms(99_999, is_end=True) == 9500


def test_a_last_piece_may_end_between_two_milliseconds():
    clock = WindowClock([Region(0, 16_000), Region(32_000, 32_000 + 1600 + 7)])
    assert clock.to_player_ms(1100, is_end=True) == 2100
    assert clock.to_player_ms(1101, is_end=True) == 2101


@st.composite
def clocks(draw):
    pieces, at_ms = [], 0
    for _ in range(draw(st.integers(1, 5))):
        start_ms = at_ms + draw(st.integers(1, 5000))
        at_ms = start_ms + draw(st.integers(1, 5000))
        pieces.append((start_ms, at_ms))
    return clock_of(*pieces)


@given(clocks(), st.data())
def test_each_millisecond_is_the_sample_that_it_is_made_of(clock, data):
    kept = [
        sample for piece in clock.pieces for sample in range(piece.start, piece.end, SAMPLES_PER_MS)
    ]
    window_ms = data.draw(st.integers(0, len(kept) - 1))
    assert clock.to_sample(window_ms) == kept[window_ms]
    assert clock.to_player_ms(window_ms) == kept[window_ms] // SAMPLES_PER_MS
    assert clock.to_player_ms(window_ms + 1, is_end=True) == kept[window_ms] // SAMPLES_PER_MS + 1


@given(clocks(), st.lists(st.integers(0, 40_000), min_size=2))
def test_times_keep_their_order_and_stay_in_the_window(clock, times_ms):
    for is_end in (False, True):
        placed = [clock.to_player_ms(each, is_end=is_end) for each in sorted(times_ms)]
        assert placed == sorted(placed)
        assert all(clock.pieces[0].start_ms <= each <= clock.pieces[-1].end_ms for each in placed)
        for each in placed:
            assert any(piece.start_ms <= each <= piece.end_ms for piece in clock.pieces)


@given(clocks(), st.data())
def test_a_part_of_the_window_is_found_in_its_sound(clock, data):
    kept = [sample for piece in clock.pieces for sample in range(piece.start, piece.end, 16)]
    piece = data.draw(st.sampled_from(clock.pieces))
    start_ms = data.draw(st.integers(piece.start_ms, piece.end_ms - 1))
    end_ms = data.draw(st.integers(start_ms + 1, piece.end_ms))
    first, last = clock.offsets(Region(start_ms * 16, end_ms * 16))
    assert kept[first // 16] == start_ms * 16
    assert last - first == (end_ms - start_ms) * 16


def test_silence_around_parts_ends_with_their_piece_and_joins_what_overlaps():
    clock = clock_of((1000, 3000), (9000, 12_000))
    near, far, other = (Region(at * 16, (at + 200) * 16) for at in (1100, 2700, 9900))
    around = clock.around([near, far, other], 240 * 16)
    assert [(each.start_ms, each.end_ms) for each in around] == [
        (1000, 1540),
        (2460, 3000),
        (9660, 10_340),
    ]
    (joined,) = clock.around([near, Region(1500 * 16, 1700 * 16)], 240 * 16)
    assert (joined.start_ms, joined.end_ms) == (1000, 1940)
