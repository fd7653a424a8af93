"""What is recognised, what comes from the cache, and what is kept."""

from array import array

import pytest

from kb_core import CancelToken, TranscriptSegment, Word
from kb_core.errors import Cancelled, EngineFailed
from kb_core.ports.extractor import ExtractRuntime
from kb_core.ports.transcriber import AudioWindow, HeardLanguages, RecognisedWindow
from kb_parse_audio.listening import Listener
from kb_parse_audio.regions import Region
from kb_parse_audio.window_clock import WindowClock
from kb_parse_audio.windows import SpeechWindow
from kb_testing.fake_transcriber import ScriptedTranscriber

SECOND = 16_000


class Plan:
    """Windows of a second each, five seconds apart."""

    def __init__(self, languages):
        self._windows = [window_at(5 * place, code) for place, code in enumerate(languages)]
        self.gone_on = []

    def __iter__(self):
        return iter(self._windows)

    def go_on_from(self, window, window_ms):
        self.gone_on.append((window.samples[0] // SECOND, window_ms))


def window_at(start_s, language="en"):
    piece = Region(start_s * SECOND, (start_s + 1) * SECOND)
    audio = AudioWindow(piece.start, memoryview(array("f", bytes(4 * SECOND))))
    return SpeechWindow(audio, WindowClock([piece]), (piece,), language)


def by_place(window, until_ms=None):
    """Hear in each window when it begins."""
    segment = TranscriptSegment(start_ms=0, end_ms=500, text=f"at {window.start_ms // 1000} s")
    return RecognisedWindow(segments=(segment,), heard_until_ms=until_ms)


def word_at(start_ms, end_ms, text="word"):
    word = Word(start_ms=start_ms, end_ms=end_ms, text=text)
    return TranscriptSegment(start_ms=start_ms, end_ms=end_ms, text=text, words=(word,))


class BatchingTranscriber(ScriptedTranscriber):
    """Keeps the windows of each call, in seconds."""

    def __init__(self, script=by_place, *, batch_windows=1, **fields):
        super().__init__(script, **fields)
        self.preferred_batch_windows = batch_windows
        self.batches = []

    def transcribe(self, windows, *, language, cancel=None):
        self.batches.append([window.start_sample // SECOND for window in windows])
        return super().transcribe(windows, language=language, cancel=cancel)


def same_language(window):
    return window.language


def listen(languages, transcriber, cache, **runtime_fields):
    runtime = ExtractRuntime(transcripts=cache, **runtime_fields)
    listener = Listener("asset", "version", transcriber, runtime, total_ms=100_000)
    plan = Plan(languages)
    return listener.listen(plan, same_language), plan


def texts(heard):
    return [segment.text for each in heard for segment in each.result.segments]


def test_windows_are_recognised_in_batches_of_one_language(cache):
    transcriber = BatchingTranscriber(batch_windows=3)
    heard, _ = listen(["en"] * 4 + ["ko"] * 2 + ["en"], transcriber, cache)
    assert transcriber.batches == [[0, 5, 10], [15], [20, 25], [30]]
    assert transcriber.languages == ["en", "en", "ko", "en"]
    assert texts(heard) == [f"at {5 * place} s" for place in range(7)]
    assert [each.window.language for each in heard] == ["en"] * 4 + ["ko"] * 2 + ["en"]


def test_windows_in_the_cache_are_not_heard_again(cache):
    listen(["en"] * 2, BatchingTranscriber(), cache)
    reports = []
    transcriber = BatchingTranscriber(batch_windows=4)
    heard, _ = listen(["en"] * 4, transcriber, cache, progress=reports.append)
    assert transcriber.batches == [[10, 15]]
    assert texts(heard) == ["at 0 s", "at 5 s", "at 10 s", "at 15 s"]
    assert [(each.done_ms, each.reused_ms) for each in reports] == [
        (1000, 1000),
        (6000, 6000),
        (11_000, 6000),
        (16_000, 6000),
    ]
    assert {each.total_ms for each in reports} == {100_000}


def test_a_window_in_the_cache_between_others_keeps_its_place(cache):
    cache.put_window("asset", "version", (5 * SECOND, 6 * SECOND), by_place(window_at(5).audio))
    transcriber = BatchingTranscriber(batch_windows=4)
    heard, _ = listen(["en"] * 4, transcriber, cache)
    assert transcriber.batches == [[0, 10, 15]]
    assert texts(heard) == ["at 0 s", "at 5 s", "at 10 s", "at 15 s"]


def test_another_recording_or_version_has_nothing_in_the_cache(cache):
    listen(["en"], BatchingTranscriber(), cache)
    for key in (("other", "version"), ("asset", "other")):
        transcriber = BatchingTranscriber()
        runtime = ExtractRuntime(transcripts=cache)
        Listener(*key, transcriber, runtime, total_ms=None).listen(Plan(["en"]), same_language)
        assert transcriber.batches == [[0]]


def test_each_window_is_kept_before_the_next_is_begun(cache):
    failing = BatchingTranscriber(fail_at_call=3)
    with pytest.raises(EngineFailed):
        listen(["en"] * 4, failing, cache)
    assert [start // SECOND for start, _ in cache.kept] == [0, 5]


def test_a_stop_keeps_the_windows_that_are_finished(cache):
    token = CancelToken()

    def stop_at_6_s(progress):
        if progress.done_ms >= 6000:
            token.cancel()

    transcriber = BatchingTranscriber()
    with pytest.raises(Cancelled):
        listen(["en"] * 4, transcriber, cache, cancel=token, progress=stop_at_6_s)
    assert [start // SECOND for start, _ in cache.kept] == [0, 5]
    assert transcriber.calls == 2


def test_what_was_left_unheard_is_planned_again_from_the_engine_and_from_the_cache(cache):
    leaves_some = BatchingTranscriber(lambda window: by_place(window, until_ms=700))
    _, plan = listen(["en"] * 2, leaves_some, cache)
    assert plan.gone_on == [(0, 700), (5, 700)]
    _, again = listen(["en"] * 2, BatchingTranscriber(), cache)
    assert again.gone_on == plan.gone_on


@pytest.mark.parametrize("languages", [["en"] * 3, ["en"], ["en", "ko"]])
def test_an_engine_that_takes_batches_must_hear_them_to_their_end(languages, cache):
    careless = BatchingTranscriber(lambda window: by_place(window, until_ms=700), batch_windows=3)
    with pytest.raises(EngineFailed, match="not heard to its end"):
        listen(languages, careless, cache)
    assert cache.kept == []


@pytest.mark.parametrize("surplus", [-1, 1])
def test_there_must_be_one_result_a_window(surplus, cache):
    class Miscounting(BatchingTranscriber):
        def transcribe(self, windows, *, language, cancel=None):
            results = super().transcribe(windows, language=language, cancel=cancel)
            return (results * 2)[: len(windows) + surplus]

    with pytest.raises(EngineFailed, match=f"{3 + surplus} results .* 3 windows"):
        listen(["en"] * 3, Miscounting(batch_windows=3), cache)
    assert cache.kept == []


def test_languages_are_asked_for_once_and_kept(cache):
    heard = HeardLanguages(probabilities={"ko": 0.75, "en": 0.25})
    asked = []

    def hear(window):
        asked.append(window.start_sample)
        return heard

    window = window_at(5).audio
    for _ in range(2):
        transcriber = BatchingTranscriber(language_script=hear)
        runtime = ExtractRuntime(transcripts=cache)
        listener = Listener("asset", "version", transcriber, runtime, total_ms=None)
        assert listener.detect(window, ["ko", "en"]) == heard
    assert asked == [5 * SECOND]
    assert cache.kept_languages == [(5 * SECOND, 6 * SECOND)]


def test_a_stop_is_seen_before_a_language_is_asked_for(cache):
    token = CancelToken()
    token.cancel()
    runtime = ExtractRuntime(transcripts=cache, cancel=token)
    listener = Listener("asset", "version", BatchingTranscriber(), runtime, total_ms=None)
    with pytest.raises(Cancelled):
        listener.detect(window_at(0).audio, [])
    assert cache.kept_languages == []


def test_a_recording_longer_than_was_thought_is_never_done_by_more_than_all(cache):
    reports = []
    runtime = ExtractRuntime(transcripts=cache, progress=reports.append)
    listener = Listener("asset", "version", BatchingTranscriber(), runtime, total_ms=3000)
    listener.listen(Plan(["en"] * 2), same_language)
    assert [(each.done_ms, each.total_ms) for each in reports] == [(1000, 3000), (6000, 6000)]


def long_window(*regions_s, language="en"):
    """Return a window with these regions of speech and half a second around them."""
    regions = tuple(Region(start * SECOND, end * SECOND) for start, end in regions_s)
    pieces = [Region(each.start - SECOND // 2, each.end + SECOND // 2) for each in regions]
    sound = array("f", bytes(4 * sum(piece.samples for piece in pieces)))
    audio = AudioWindow(pieces[0].start, memoryview(sound))
    return SpeechWindow(audio, WindowClock(pieces), regions, language)


def listen_again(window, cache, transcriber, language_again=same_language):
    runtime = ExtractRuntime(transcripts=cache)
    listener = Listener("asset", "version", transcriber, runtime, total_ms=None)
    return listener.listen([window], language_again)


def first_second_only(window):
    """Hear a word in the first second, whatever the window holds."""
    return RecognisedWindow(segments=(word_at(500, 1400),))


def test_speech_without_text_is_heard_once_more_by_itself(cache):
    window = long_window((10, 12), (30, 36))
    transcriber = BatchingTranscriber(first_second_only)
    whole, part = listen_again(window, cache, transcriber)
    assert whole.window is window
    (region,) = part.window.regions
    assert (region.start, region.end) == (30 * SECOND, 36 * SECOND)
    start, end = part.window.samples
    assert window.clock.pieces[1].start <= start < region.start
    assert region.end < end <= window.clock.pieces[1].end
    assert transcriber.calls == 2
    again = BatchingTranscriber(first_second_only)
    assert [each.result for each in listen_again(window, cache, again)] == [
        whole.result,
        part.result,
    ]
    assert again.calls == 0


def test_speech_without_text_may_be_in_another_language(cache):
    transcriber = BatchingTranscriber(first_second_only)
    _, part = listen_again(
        long_window((10, 12), (30, 36)), cache, transcriber, language_again=lambda window: "ko"
    )
    assert transcriber.languages == ["en", "ko"]
    assert part.window.language == "ko"


def test_what_is_heard_the_second_time_does_not_replace_the_first(cache):
    window = long_window((10, 16))

    def other_language_for_all(part):
        assert part.regions == window.regions
        return "ko"

    transcriber = BatchingTranscriber(lambda window: RecognisedWindow(segments=()))
    whole, part = listen_again(window, cache, transcriber, other_language_for_all)
    assert [whole.window.language, part.window.language] == ["en", "ko"]
    assert transcriber.calls == 2
    kept = BatchingTranscriber()
    listen_again(window, cache, kept, other_language_for_all)
    assert kept.calls == 0


def test_speech_that_text_lies_over_is_heard_once(cache):
    def dense(window):
        words = range(0, window.duration_ms - 500, 600)
        return RecognisedWindow(segments=tuple(word_at(at, at + 400) for at in words))

    transcriber = BatchingTranscriber(dense)
    assert len(listen_again(long_window((10, 16), (30, 40)), cache, transcriber)) == 1
    assert transcriber.calls == 1


def test_speech_after_the_end_of_hearing_is_left_to_the_next_window(cache):
    plan = Plan([])
    plan._windows = [long_window((10, 12), (30, 36))]

    def stops(window):
        return first_second_only(window).model_copy(update={"heard_until_ms": 3000})

    runtime = ExtractRuntime(transcripts=cache)
    transcriber = BatchingTranscriber(stops)
    listener = Listener("asset", "version", transcriber, runtime, total_ms=None)
    assert len(listener.listen(plan, same_language)) == 1
    assert plan.gone_on == [(9, 3000)]
