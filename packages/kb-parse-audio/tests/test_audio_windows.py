import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_core.ports.transcriber import AudioWindow
from kb_parse_audio.windows import WindowPlan, is_silent

RATE_HZ = 16_000
MAX = 30 * RATE_HZ


def cut(sound, sizes=(RATE_HZ,)):
    blocks, position, turn = [], 0, 0
    while position < len(sound):
        size = sizes[turn % len(sizes)]
        blocks.append((position, sound[position : position + size]))
        position += size
        turn += 1
    return list(WindowPlan(blocks))


def noise(seconds, seed=0):
    rng = np.random.default_rng(seed)
    return (0.2 * rng.standard_normal(round(seconds * RATE_HZ))).astype(np.float32)


def tiles(windows, sound):
    position = 0
    for window in windows:
        assert window.start_sample == position
        assert 0 < len(window.pcm) <= MAX
        assert np.array_equal(np.asarray(window.pcm), sound[position : window.end_sample])
        position = window.end_sample
    return position == len(sound)


def test_what_fits_one_window_is_one_window():
    for seconds in (0.8, 29.99, 30):
        sound = noise(seconds)
        windows = cut(sound)
        assert len(windows) == 1
        assert tiles(windows, sound)


def test_the_cut_is_in_the_middle_of_the_pause():
    sound = noise(60)
    sound[27 * RATE_HZ : 27 * RATE_HZ + 3200] = 0
    first, *_ = cut(sound)
    assert first.end_sample == 27 * RATE_HZ + 1600


def test_silence_is_cut_as_late_as_may_be():
    windows = cut(np.zeros(75 * RATE_HZ, np.float32))
    assert [window.end_sample for window in windows] == [MAX, 2 * MAX, 75 * RATE_HZ]
    assert all(is_silent(window) for window in windows)


def test_the_last_window_is_at_least_a_second_when_it_is_cut_off():
    windows = cut(np.zeros(round(30.3 * RATE_HZ), np.float32))
    assert len(windows) == 2
    assert len(windows[1].pcm) >= RATE_HZ


def test_one_loud_sample_is_no_silence():
    sound = np.zeros(RATE_HZ, np.float32)
    sound[7] = 1e-6
    assert not is_silent(AudioWindow(0, memoryview(sound)))


def test_no_sound_gives_no_window():
    assert cut(np.zeros(0, np.float32)) == []


@settings(max_examples=25, deadline=None)
@given(
    seconds=st.floats(0.001, 95),
    seed=st.integers(0, 3),
    sizes=st.lists(st.integers(1500, 200_000), min_size=1, max_size=4),
)
def test_windows_tile_the_sound_and_do_not_depend_on_blocks(seconds, seed, sizes):
    sound = noise(seconds, seed)
    sound *= (np.sin(np.arange(len(sound)) / 30_000) > -0.9).astype(np.float32)
    windows = cut(sound)
    assert tiles(windows, sound)
    assert all(window.start_sample % 160 == 0 for window in windows)
    again = cut(sound, sizes)
    assert [window.end_sample for window in again] == [window.end_sample for window in windows]


def test_what_was_not_heard_is_in_the_next_window():
    sound = noise(70)
    windows = WindowPlan([(0, sound)])
    starts = []
    for window in windows:
        starts.append(window.start_sample)
        expected = sound[window.start_sample : window.end_sample]
        assert np.array_equal(np.asarray(window.pcm), expected)
        if window.start_sample == 0:
            windows.go_on_from(20 * RATE_HZ)
    assert starts[:2] == [0, 20 * RATE_HZ]
    assert window.end_sample == len(sound)
