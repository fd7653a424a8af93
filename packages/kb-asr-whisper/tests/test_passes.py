from kb_asr_whisper.passes import Passes


def answers(*, heard_ms: int, duration_ms: int) -> tuple[bool, int | None]:
    """Return whether there is a second pass, and where the engine stopped."""
    passes = Passes(lambda: heard_ms, duration_ms)
    assert passes()
    assert passes.stopped_at_ms is None
    return passes(), passes.stopped_at_ms


def test_first_pass_is_always_made():
    for duration_ms in (1, 999, 30_000):
        assert Passes(lambda: 0, duration_ms)(object(), object())


def test_rest_under_a_second_is_not_heard_again():
    for heard_ms in (29_001, 30_000, 30_020):
        assert answers(heard_ms=heard_ms, duration_ms=30_000) == (False, None)
    assert answers(heard_ms=500, duration_ms=1400) == (False, None)


def test_after_half_a_window_the_rest_is_left_and_reported():
    for heard_ms in (15_000, 22_340, 29_000):
        assert answers(heard_ms=heard_ms, duration_ms=30_000) == (False, heard_ms)


def test_before_half_a_window_the_engine_goes_on():
    for heard_ms in (0, 5000, 14_990):
        assert answers(heard_ms=heard_ms, duration_ms=30_000) == (True, None)


def test_every_later_pass_is_asked_about_anew():
    ends_ms = iter([4000, 21_000])
    passes = Passes(lambda: next(ends_ms), 30_000)
    assert [passes(), passes(), passes()] == [True, True, False]
    assert passes.stopped_at_ms == 21_000
