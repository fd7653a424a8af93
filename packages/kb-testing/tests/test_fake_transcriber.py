import math
from array import array

import pytest

from kb_core.errors import Cancelled, EngineFailed
from kb_core.ports.transcriber import (
    SAMPLES_PER_MS,
    AudioWindow,
    HeardLanguages,
    RecognisedWindow,
)
from kb_core.transcript import TranscriptSegment
from kb_testing.fake_transcriber import BeepTranscriber, ScriptedTranscriber
from kb_testing.transcriber_conformance import (
    TRANSCRIBER_CHECKS,
    TranscriberCheck,
    a_stop_lets_the_running_window_finish,
    languages_are_the_same_each_time,
    languages_are_told_apart,
    what_is_left_unheard_is_told,
)


def beeps(duration_ms: int, *spans_ms: tuple[int, int], tone_hz: float = 1000.0) -> memoryview:
    pcm = array("f", bytes(4 * duration_ms * SAMPLES_PER_MS))
    for start_ms, end_ms in spans_ms:
        for sample in range(start_ms * SAMPLES_PER_MS, end_ms * SAMPLES_PER_MS):
            pcm[sample] = 0.5 * math.sin(2 * math.pi * tone_hz * sample / 16_000)
    return memoryview(pcm)


def heard(pcm: memoryview) -> list[tuple[int, int]]:
    (window,) = BeepTranscriber().transcribe([AudioWindow(0, pcm)], language="en")
    return [(segment.start_ms, segment.end_ms) for segment in window.segments]


@pytest.mark.parametrize("check", TRANSCRIBER_CHECKS, ids=lambda check: check.__name__)
def test_beep_transcriber_is_a_transcriber(check: TranscriberCheck):
    check(BeepTranscriber(), beeps(3000, (0, 200), (1000, 1200), (2700, 3000)))


def left_unheard(until_ms: int | None, batch_windows: int = 1) -> ScriptedTranscriber:
    segment = TranscriptSegment(start_ms=0, end_ms=900, text="one")
    result = RecognisedWindow(segments=(segment,), heard_until_ms=until_ms)
    scripted = ScriptedTranscriber([result])
    scripted.preferred_batch_windows = batch_windows
    return scripted


def test_hearing_may_stop_after_the_last_segment():
    for until_ms in (None, 900, 1999):
        what_is_left_unheard_is_told(left_unheard(until_ms), beeps(2000))
    what_is_left_unheard_is_told(left_unheard(None, batch_windows=4), beeps(2000))


@pytest.mark.parametrize(("until_ms", "batch_windows"), [(899, 1), (2000, 1), (900, 2)])
def test_hearing_that_stops_elsewhere_is_no_transcriber(until_ms: int, batch_windows: int):
    with pytest.raises(AssertionError):
        what_is_left_unheard_is_told(left_unheard(until_ms, batch_windows), beeps(2000))


class HastyTranscriber(BeepTranscriber):
    """Looks for a stop inside a window, too, and throws the window away."""

    def transcribe(self, windows, *, language, cancel=None):
        recognised = super().transcribe(windows, language=language, cancel=cancel)
        if cancel is not None:
            cancel.raise_if_cancelled()
        return recognised


def test_a_window_thrown_away_is_no_transcriber():
    with pytest.raises(Cancelled):
        a_stop_lets_the_running_window_finish(HastyTranscriber(), beeps(1000, (0, 200)))


@pytest.mark.parametrize("tone_hz", [100.0, 440.0, 800.0, 1000.0, 2000.0, 4000.0])
def test_beeps_are_heard_where_they_are(tone_hz):
    pcm = beeps(5000, (500, 800), (3210, 3600), tone_hz=tone_hz)
    assert heard(pcm) == [(500, 800), (3210, 3600)]


def test_soft_sound_is_not_heard():
    assert heard(memoryview(array("f", [0.04, -0.04] * 16_000))) == []


def test_script_is_followed_in_order_and_counted():
    segment = TranscriptSegment(start_ms=0, end_ms=10, text="one")
    first = RecognisedWindow(segments=(segment,))
    scripted = ScriptedTranscriber([first])
    window = AudioWindow(16_000, beeps(100))
    assert scripted.transcribe([window], language="ko") == [first]
    assert scripted.transcribe([window], language="en")[0].segments == ()
    assert (scripted.calls, scripted.languages) == (2, ["ko", "en"])
    assert scripted.windows == [(16_000, 17_600)] * 2


def test_script_may_look_at_the_window():
    def by_time(window: AudioWindow) -> RecognisedWindow:
        text = f"at {window.start_ms}"
        return RecognisedWindow(segments=(TranscriptSegment(start_ms=0, end_ms=1, text=text),))

    scripted = ScriptedTranscriber(by_time)
    (result,) = scripted.transcribe([AudioWindow(32_000, beeps(100))], language="en")
    assert result.segments[0].text == "at 2000"


def test_a_script_of_languages_may_look_at_the_window():
    def by_time(window: AudioWindow) -> HeardLanguages:
        return HeardLanguages(probabilities={"ko" if window.start_ms else "ja": 1.0})

    scripted = ScriptedTranscriber([], language_script=by_time)
    windows = [AudioWindow(0, beeps(100)), AudioWindow(16_000, beeps(100))]
    heard = scripted.detect_languages(windows, among=("ja", "ko"))
    assert [each.best for each in heard] == [("ja", 1.0), ("ko", 1.0)]
    assert ScriptedTranscriber([]).detect_languages(windows[:1], among=("zh", "ko")) == [
        HeardLanguages(probabilities={"zh": 1.0})
    ]


class ForgetfulTranscriber(BeepTranscriber):
    """Tells languages that are not allowed."""

    def detect_languages(self, windows, *, among, cancel=None):
        return super().detect_languages(windows, among=(), cancel=cancel)


class WanderingTranscriber(BeepTranscriber):
    """Tells another language each time."""

    detected = 0

    def detect_languages(self, windows, *, among, cancel=None):
        self.detected += 1
        share = round(1 / (1 + self.detected), 4)
        return [HeardLanguages(probabilities={"en": 1 - share, "ko": share}) for _ in windows]


@pytest.mark.parametrize(
    ("transcriber", "check"),
    [
        (ForgetfulTranscriber(), languages_are_told_apart),
        (WanderingTranscriber(), languages_are_the_same_each_time),
    ],
)
def test_languages_that_nobody_can_rely_on_are_no_transcriber(
    transcriber: BeepTranscriber, check: TranscriberCheck
):
    with pytest.raises(AssertionError):
        check(transcriber, beeps(3000, (0, 200)))


def test_script_fails_at_the_given_call_only():
    scripted = ScriptedTranscriber([], fail_at_call=2)
    window = AudioWindow(0, beeps(100))
    scripted.transcribe([window], language="en")
    with pytest.raises(EngineFailed):
        scripted.transcribe([window], language="en")
    scripted.transcribe([window], language="en")
