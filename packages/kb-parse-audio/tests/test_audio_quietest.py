"""Where speech that does not pause is cut."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_parse_audio.quietest import BOX_STEPS, STEP_SAMPLES, quietest_cut

HALF_BOX = BOX_STEPS * STEP_SAMPLES // 2


def noise(steps, seed=0):
    rng = np.random.default_rng(seed)
    return (0.3 * rng.standard_normal(steps * STEP_SAMPLES)).astype(np.float32)


def test_the_cut_is_in_the_middle_of_a_pause_as_long_as_the_box():
    sound = noise(1000)
    sound[600 * STEP_SAMPLES : (600 + BOX_STEPS) * STEP_SAMPLES] = 0
    assert quietest_cut(sound, 300 * STEP_SAMPLES) == 600 * STEP_SAMPLES + HALF_BOX


def test_a_pause_before_the_zone_is_not_seen():
    sound = noise(1000)
    sound[: 300 * STEP_SAMPLES] = 0
    assert quietest_cut(sound, 400 * STEP_SAMPLES) >= 400 * STEP_SAMPLES + HALF_BOX


def test_of_equally_quiet_places_the_latest_is_cut():
    sound = np.zeros(1000 * STEP_SAMPLES, np.float32)
    assert quietest_cut(sound, 0) == len(sound) - HALF_BOX


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 9), st.integers(BOX_STEPS, 300), st.integers(0, STEP_SAMPLES - 1), st.data())
def test_no_other_place_is_quieter(seed, steps, surplus, data):
    sound = noise(steps + 1, seed)[: steps * STEP_SAMPLES + surplus]
    from_step = data.draw(st.integers(0, steps - BOX_STEPS))
    cut = quietest_cut(sound, from_step * STEP_SAMPLES)
    assert cut % STEP_SAMPLES == 0
    assert from_step * STEP_SAMPLES + HALF_BOX <= cut <= len(sound) - HALF_BOX
    exact = np.rint(sound * np.float32(32_768)).astype(np.int64) ** 2
    energies = {
        place: int(exact[place - HALF_BOX : place + HALF_BOX].sum())
        for place in range(
            from_step * STEP_SAMPLES + HALF_BOX, steps * STEP_SAMPLES - HALF_BOX + 1, STEP_SAMPLES
        )
    }
    assert energies[cut] == min(energies.values())
