"""How much the detector of speech amplifies what it hears."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_parse_audio.loudness import AHEAD_BLOCKS, MAX_GAIN, PAST_BLOCKS, TARGET_RMS, with_gain

RATE_HZ = 16_000


def second(rms):
    """Return a second whose every frame has that root mean square."""
    return np.full(RATE_HZ, rms, np.float32) * np.where(np.arange(RATE_HZ) % 2, 1, -1)


def gains(levels, sounds=None):
    sounds = [second(rms) for rms in levels] if sounds is None else sounds
    blocks = [(place * RATE_HZ, sound.astype(np.float32)) for place, sound in enumerate(sounds)]
    found = list(with_gain(blocks))
    assert [id(block) for block, _ in found] == [id(block) for _, block in blocks]
    return [float(gain) for _, gain in found]


def test_loud_sound_and_digital_silence_are_left_as_they_are():
    assert gains([TARGET_RMS * 1.01, 0.9, 1.0]) == [1, 1, 1]
    assert gains([0, 0, 0, 0]) == [1, 1, 1, 1]


def test_soft_sound_is_raised_to_the_target_and_no_further():
    half, faint = gains([TARGET_RMS / 2]), gains([TARGET_RMS / MAX_GAIN / 5])
    assert half == pytest.approx([2], rel=1e-3)
    assert faint == [MAX_GAIN]


def test_loud_sound_keeps_what_is_near_it_as_it_is():
    soft = TARGET_RMS / 5
    before, after = AHEAD_BLOCKS + 3, PAST_BLOCKS + 3 + AHEAD_BLOCKS
    found = gains([soft] * before + [0.5] + [soft] * after)
    near = [place for place, gain in enumerate(found) if gain == 1]
    assert near == list(range(before - AHEAD_BLOCKS, before + PAST_BLOCKS + 1))
    assert found[0] == pytest.approx(5, rel=1e-2)
    assert max(found) == found[0]


def test_a_click_is_not_loud_speech():
    quiet, clicked = second(0.01), second(0.01)
    clicked[8000:8100] = 1.0
    assert gains([], [clicked]) == gains([], [quiet])


def test_a_fragment_at_the_end_is_no_error():
    assert gains([], [second(0.01), np.full(5, 0.9)])[-1] == gains([], [second(0.01)])[0]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1e-5, 0.01, 0.03, 0.2]), min_size=1, max_size=80))
def test_the_gain_depends_on_the_sound_near_it_and_nothing_else(levels):
    found = gains(levels)
    assert all(1 <= gain <= MAX_GAIN for gain in found)
    for place in range(0, len(levels) - AHEAD_BLOCKS, 7):
        first = max(0, place - PAST_BLOCKS)
        near = gains(levels[first : place + AHEAD_BLOCKS + 1])
        assert near[place - first] == found[place]
