import math
from array import array

import pytest

from kb_testing.fake_voice_activity import EnergyDetector
from kb_testing.voice_activity_conformance import (
    VOICE_ACTIVITY_CHECKS,
    VoiceActivityCheck,
    silence_is_no_speech,
    speech_after_silence_is_speech,
    the_number_of_frames_a_call_does_not_matter,
    the_sound_is_left_as_it_is,
)


def tone(sample_count: int, amplitude: float = 0.5, tone_hz: float = 1000.0) -> memoryview:
    step = 2 * math.pi * tone_hz / 16_000
    return memoryview(array("f", (amplitude * math.sin(step * n) for n in range(sample_count))))


@pytest.mark.parametrize("frame_samples", [160, 512, 1536])
@pytest.mark.parametrize("check", VOICE_ACTIVITY_CHECKS, ids=lambda check: check.__name__)
def test_energy_detector_is_a_detector(check: VoiceActivityCheck, frame_samples: int):
    check(EnergyDetector(frame_samples=frame_samples), tone(32_000))


@pytest.mark.parametrize("tone_hz", [100.0, 440.0, 800.0, 1000.0, 2000.0, 4000.0])
def test_frames_are_loud_exactly_where_the_beep_is(tone_hz):
    frames = [bytes(4 * 512), tone(512, tone_hz=tone_hz).tobytes()]
    pcm = memoryview(array("f", b"".join(frames[n] for n in (0, 1, 1, 0, 0, 1))))
    assert EnergyDetector().stream().probabilities(pcm) == [0, 1, 1, 0, 0, 1]


def test_the_threshold_is_one_of_root_mean_square():
    for amplitude, loud in ((0.9, 0.0), (1.1, 1.0)):
        pcm = tone(31 * 512, amplitude=amplitude * 0.1 * math.sqrt(2))
        detector = EnergyDetector(threshold_rms=0.1, frame_samples=len(pcm))
        assert detector.stream().probabilities(pcm) == [loud]


def test_what_decides_the_probabilities_is_in_the_identity():
    detectors = EnergyDetector(), EnergyDetector(threshold_rms=0.1), EnergyDetector(frame_samples=9)
    assert len({detector.identity for detector in detectors}) == 3


def test_half_a_frame_is_refused():
    with pytest.raises(ValueError, match="no frames"):
        EnergyDetector().stream().probabilities(tone(700))


class Misbehaving(EnergyDetector):
    """A detector whose streams answer what a function makes of the right answer."""

    def __init__(self, answer):
        super().__init__()
        self._answer = answer

    def stream(self):
        inner = super().stream()
        answer = self._answer

        class Stream:
            calls = 0

            def probabilities(self, pcm):
                self.calls += 1
                return answer(self.calls, pcm, inner.probabilities(pcm))

        return Stream()


def deaf_after_the_first_call(calls, pcm, right):
    return right if calls == 1 else [0.0] * len(right)


def scribble(calls, pcm, right):
    pcm[0] = 0.25
    return right


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (the_number_of_frames_a_call_does_not_matter, deaf_after_the_first_call),
        (speech_after_silence_is_speech, deaf_after_the_first_call),
        (silence_is_no_speech, lambda calls, pcm, right: [0.6] * len(right)),
        (the_sound_is_left_as_it_is, scribble),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_detector_that_breaks_a_rule_is_found_out(check, answer):
    with pytest.raises(AssertionError):
        check(Misbehaving(answer), tone(32_000))
