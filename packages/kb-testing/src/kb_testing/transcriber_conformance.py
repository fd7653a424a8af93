"""What every `Transcriber` must do, fake or real.

Run each of `TRANSCRIBER_CHECKS` with a transcriber and a few seconds of sound in which it hears at
least one thing:

    @pytest.mark.parametrize("check", TRANSCRIBER_CHECKS)
    def test_mine_is_a_transcriber(check):
        check(make_mine(), speech_pcm)
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable

import pytest

from kb_core.errors import Cancelled
from kb_core.ports.transcriber import (
    SAMPLE_RATE_HZ,
    SAMPLES_PER_MS,
    AudioWindow,
    RecognisedWindow,
    Transcriber,
)
from kb_core.runtime import CancelToken

TranscriberCheck = Callable[[Transcriber, memoryview], None]
_LANGUAGE = "en"


def speech_is_heard(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """Something is heard, and every segment has text without spaces around it."""
    recognised = _recognise(transcriber, speech_pcm)
    assert recognised.segments
    for segment in recognised.segments:
        assert segment.text
        assert segment.text == segment.text.strip()


def times_are_legal(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """Segments lie inside the window, in order; words lie inside their segment, in order."""
    _assert_legal(_recognise(transcriber, speech_pcm), _duration_ms(speech_pcm))


def times_do_not_depend_on_the_window_start(
    transcriber: Transcriber, speech_pcm: memoryview
) -> None:
    """Times are relative to the window, wherever it begins in the recording."""
    later = AudioWindow(start_sample=3600 * SAMPLE_RATE_HZ, pcm=speech_pcm)
    (recognised,) = transcriber.transcribe([later], language=_LANGUAGE)
    assert recognised == _recognise(transcriber, speech_pcm)


def same_sound_gives_the_same_result(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """Two calls on the same sound give equal results, with other sound between them."""
    first = _recognise(transcriber, speech_pcm)
    _recognise(transcriber, speech_pcm[: len(speech_pcm) // 2])
    assert _recognise(transcriber, speech_pcm) == first


def several_windows_equal_one_by_one(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """No window knows of another one, and results come in the order of the windows."""
    half = len(speech_pcm) // 2 // SAMPLES_PER_MS * SAMPLES_PER_MS
    windows = [
        AudioWindow(start_sample=0, pcm=speech_pcm[:half]),
        AudioWindow(start_sample=half, pcm=speech_pcm[half:]),
    ]
    together = transcriber.transcribe(windows, language=_LANGUAGE)
    apart = [transcriber.transcribe([each], language=_LANGUAGE)[0] for each in windows]
    assert together == apart


def a_short_window_keeps_its_length(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """Whatever the engine pads, no time lies beyond the window's real end."""
    for duration_ms in (30, 800):
        short = speech_pcm[: duration_ms * SAMPLES_PER_MS]
        _assert_legal(_recognise(transcriber, short), duration_ms)


def silence_is_legal(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """Digital silence is no error."""
    silence = memoryview(array("f", bytes(4 * 2 * SAMPLE_RATE_HZ)))
    _assert_legal(_recognise(transcriber, silence), 2000)


def an_empty_window_has_no_text(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """A window without a sample gives a result without a segment."""
    assert _recognise(transcriber, speech_pcm[:0]).segments == ()


def no_windows_give_no_results(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """An empty call is no error."""
    assert transcriber.transcribe([], language=_LANGUAGE) == []
    assert transcriber.detect_languages([], among=()) == []


def a_language_is_reported(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """Windows and segments tell the language that they were recognised in."""
    recognised = _recognise(transcriber, speech_pcm)
    assert recognised.language == _LANGUAGE
    assert {segment.language for segment in recognised.segments} == {_LANGUAGE}


def languages_are_told_apart(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """Probabilities of the allowed languages only, which add up to 1; English is heard."""
    window = AudioWindow(start_sample=0, pcm=speech_pcm)
    (free,) = transcriber.detect_languages([window], among=())
    assert free.best is not None
    assert free.best[0] == _LANGUAGE
    (bound,) = transcriber.detect_languages([window], among=("ko", _LANGUAGE))
    assert set(bound.probabilities) <= {"ko", _LANGUAGE}
    assert abs(sum(bound.probabilities.values()) - 1) < 0.001
    (only,) = transcriber.detect_languages([window], among=("ko",))
    assert only.probabilities == {"ko": 1.0}


def languages_are_the_same_each_time(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """Neither the place of a window, nor others beside it, nor work before it matter."""
    window = AudioWindow(start_sample=0, pcm=speech_pcm[: 4 * SAMPLE_RATE_HZ])
    later = AudioWindow(start_sample=3600 * SAMPLE_RATE_HZ, pcm=window.pcm)
    short = AudioWindow(start_sample=0, pcm=speech_pcm[:SAMPLE_RATE_HZ])
    (alone,) = transcriber.detect_languages([window], among=())
    _recognise(transcriber, speech_pcm)
    beside = transcriber.detect_languages([short, later], among=())
    assert beside[1] == alone
    before = _recognise(transcriber, speech_pcm)
    transcriber.detect_languages([short], among=())
    assert _recognise(transcriber, speech_pcm) == before


def the_identity_is_stable_and_plain(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """The identity does not change with use and survives JSON."""
    before = transcriber.identity
    _recognise(transcriber, speech_pcm)
    assert transcriber.identity == before
    assert json.loads(json.dumps(before.decoding)) == before.decoding
    assert len(before.model_version) == 64


def a_cancelled_call_stops(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """A token that is set stops the call, and the next call works again."""
    cancel = CancelToken()
    cancel.cancel()
    window = AudioWindow(start_sample=0, pcm=speech_pcm)
    with pytest.raises(Cancelled):
        transcriber.transcribe([window], language=_LANGUAGE, cancel=cancel)
    assert _recognise(transcriber, speech_pcm).segments


def a_stop_lets_the_running_window_finish(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """A token that is set while a window is recognised is seen before the next one only."""
    first = AudioWindow(start_sample=0, pcm=speech_pcm)
    whole = transcriber.transcribe([first], language=_LANGUAGE)
    stopped = transcriber.transcribe([first], language=_LANGUAGE, cancel=_SetAfterOneLook())
    assert stopped == whole
    second = AudioWindow(start_sample=first.end_sample, pcm=speech_pcm)
    with pytest.raises(Cancelled):
        transcriber.transcribe([first, second], language=_LANGUAGE, cancel=_SetAfterOneLook())


def what_is_left_unheard_is_told(transcriber: Transcriber, speech_pcm: memoryview) -> None:
    """Hearing stops inside the window, after every segment, and only in windows one by one."""
    recognised = _recognise(transcriber, speech_pcm)
    until_ms = recognised.heard_until_ms
    if until_ms is not None:
        assert transcriber.preferred_batch_windows == 1
        assert 0 < until_ms < _duration_ms(speech_pcm)
        assert all(segment.end_ms <= until_ms for segment in recognised.segments)


TRANSCRIBER_CHECKS: tuple[TranscriberCheck, ...] = (
    speech_is_heard,
    times_are_legal,
    times_do_not_depend_on_the_window_start,
    same_sound_gives_the_same_result,
    several_windows_equal_one_by_one,
    a_short_window_keeps_its_length,
    silence_is_legal,
    an_empty_window_has_no_text,
    no_windows_give_no_results,
    a_language_is_reported,
    languages_are_told_apart,
    languages_are_the_same_each_time,
    the_identity_is_stable_and_plain,
    a_cancelled_call_stops,
    a_stop_lets_the_running_window_finish,
    what_is_left_unheard_is_told,
)


class _SetAfterOneLook(CancelToken):
    """Says once that no stop was asked for, and from then on that one was."""

    @property
    def cancelled(self) -> bool:
        was_set = super().cancelled
        self.cancel()
        return was_set


def _recognise(transcriber: Transcriber, pcm: memoryview) -> RecognisedWindow:
    window = AudioWindow(start_sample=0, pcm=pcm)
    (recognised,) = transcriber.transcribe([window], language=_LANGUAGE)
    return recognised


def _duration_ms(pcm: memoryview) -> int:
    return len(pcm) // SAMPLES_PER_MS


def _assert_legal(recognised: RecognisedWindow, duration_ms: int) -> None:
    earliest_ms = 0
    for segment in recognised.segments:
        assert earliest_ms <= segment.start_ms <= segment.end_ms <= duration_ms
        earliest_ms = segment.start_ms
        earliest_word_ms = segment.start_ms
        for word in segment.words:
            assert earliest_word_ms <= word.start_ms <= word.end_ms <= segment.end_ms
            earliest_word_ms = word.start_ms
