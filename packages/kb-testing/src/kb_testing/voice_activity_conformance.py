"""What every `VoiceActivityDetector` must do, fake or real.

Run each of `VOICE_ACTIVITY_CHECKS` with a detector and some seconds of sound, most of which it must
take for speech:

    @pytest.mark.parametrize("check", VOICE_ACTIVITY_CHECKS)
    def test_mine_detects_speech(check):
        check(MyDetector(), speech_pcm)
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from kb_core.ports.transcriber import SAMPLE_RATE_HZ
from kb_core.ports.voice_activity import VoiceActivityDetector

VoiceActivityCheck = Callable[[VoiceActivityDetector, memoryview], None]
_SILENCE_S = 3


def there_is_one_probability_a_frame(
    detector: VoiceActivityDetector, speech_pcm: memoryview
) -> None:
    """As many numbers as frames, all of them in 0..1."""
    pcm = _whole_frames(detector, speech_pcm)
    probabilities = _heard(detector, pcm)
    assert len(probabilities) == len(pcm) // detector.frame_samples
    assert all(0.0 <= each <= 1.0 for each in probabilities)


def no_frames_give_no_probabilities(
    detector: VoiceActivityDetector, speech_pcm: memoryview
) -> None:
    """An empty call is no error and changes nothing."""
    stream = detector.stream()
    assert list(stream.probabilities(_copy(speech_pcm[:0]))) == []
    pcm = _whole_frames(detector, speech_pcm)
    assert list(stream.probabilities(pcm)) == _heard(detector, pcm)


def the_number_of_frames_a_call_does_not_matter(
    detector: VoiceActivityDetector, speech_pcm: memoryview
) -> None:
    """Sound may come frame by frame or all at once."""
    pcm = _whole_frames(detector, speech_pcm)
    together = _heard(detector, pcm)
    for frames in (1, 7, 31):
        assert _heard(detector, pcm, frames_a_call=frames) == together


def the_same_sound_gives_the_same_probabilities(
    detector: VoiceActivityDetector, speech_pcm: memoryview
) -> None:
    """A new stream has heard nothing yet, whatever others heard before it."""
    pcm = _whole_frames(detector, speech_pcm)
    first = _heard(detector, pcm)
    _heard(detector, _silence(detector))
    assert _heard(detector, pcm) == first


def streams_know_nothing_of_each_other(
    detector: VoiceActivityDetector, speech_pcm: memoryview
) -> None:
    """Two recordings that are heard in turns give what each gives alone."""
    pcm = _whole_frames(detector, speech_pcm)
    one, other = detector.stream(), detector.stream()
    heard_by_one: list[float] = []
    heard_by_other: list[float] = []
    for frame in _split(pcm, detector.frame_samples):
        heard_by_one.extend(one.probabilities(frame))
        heard_by_other.extend(other.probabilities(_copy(frame[::-1])))
    assert heard_by_one == _heard(detector, pcm)
    backwards = b"".join(frame[::-1].tobytes() for frame in _split(pcm, detector.frame_samples))
    assert heard_by_other == _heard(detector, memoryview(array("f", backwards)))


def the_sound_is_left_as_it_is(detector: VoiceActivityDetector, speech_pcm: memoryview) -> None:
    """The caller's buffer is read only."""
    pcm = _whole_frames(detector, speech_pcm)
    before = pcm.tobytes()
    _heard(detector, pcm)
    assert pcm.tobytes() == before


def silence_is_no_speech(detector: VoiceActivityDetector, speech_pcm: memoryview) -> None:
    """In digital silence no frame is more probably speech than not; mostly that is quite clear."""
    probabilities = _heard(detector, _silence(detector))
    assert max(probabilities) < 0.5
    assert sum(each < 0.2 for each in probabilities) > 0.9 * len(probabilities)


def speech_is_speech(detector: VoiceActivityDetector, speech_pcm: memoryview) -> None:
    """Most frames of speech are more probably speech than not."""
    probabilities = _heard(detector, _whole_frames(detector, speech_pcm))
    assert sum(each > 0.5 for each in probabilities) > 0.5 * len(probabilities)


def speech_after_silence_is_speech(detector: VoiceActivityDetector, speech_pcm: memoryview) -> None:
    """A long silence makes no detector deaf, and what follows speech is silent again."""
    silence = _silence(detector)
    speech = _whole_frames(detector, speech_pcm)
    stream = detector.stream()
    stream.probabilities(silence)
    probabilities = list(stream.probabilities(speech))
    assert sum(each > 0.5 for each in probabilities) > 0.5 * len(probabilities)
    assert list(stream.probabilities(silence))[-1] < 0.5


def the_identity_is_stable(detector: VoiceActivityDetector, speech_pcm: memoryview) -> None:
    """Neither name nor frame length changes with use."""
    before = detector.identity, detector.frame_samples
    assert detector.identity.strip()
    _heard(detector, _whole_frames(detector, speech_pcm))
    assert (detector.identity, detector.frame_samples) == before


VOICE_ACTIVITY_CHECKS: tuple[VoiceActivityCheck, ...] = (
    there_is_one_probability_a_frame,
    no_frames_give_no_probabilities,
    the_number_of_frames_a_call_does_not_matter,
    the_same_sound_gives_the_same_probabilities,
    streams_know_nothing_of_each_other,
    the_sound_is_left_as_it_is,
    silence_is_no_speech,
    speech_is_speech,
    speech_after_silence_is_speech,
    the_identity_is_stable,
)


def _copy(pcm: memoryview) -> memoryview:
    return memoryview(array("f", pcm.tobytes()))


def _whole_frames(detector: VoiceActivityDetector, pcm: memoryview) -> memoryview:
    return _copy(pcm[: len(pcm) // detector.frame_samples * detector.frame_samples])


def _silence(detector: VoiceActivityDetector) -> memoryview:
    frame_count = _SILENCE_S * SAMPLE_RATE_HZ // detector.frame_samples
    return memoryview(array("f", bytes(4 * frame_count * detector.frame_samples)))


def _split(pcm: memoryview, samples: int) -> list[memoryview]:
    return [pcm[start : start + samples] for start in range(0, len(pcm), samples)]


def _heard(
    detector: VoiceActivityDetector, pcm: memoryview, *, frames_a_call: int | None = None
) -> Sequence[float]:
    stream = detector.stream()
    samples = len(pcm) if frames_a_call is None else frames_a_call * detector.frame_samples
    return [each for part in _split(pcm, samples) for each in stream.probabilities(part)]
