"""A recording becomes a document: once, whole, and from the cache as far as it goes."""

import wave

import numpy as np
import pytest

from kb_config import Settings
from kb_core import (
    CancelToken,
    DocumentChoices,
    RawAsset,
    SpeakerTurn,
    StepWarning,
    TranscriptSegment,
    Word,
    canonical_json,
)
from kb_core.errors import Cancelled, ConfigError, EngineFailed, NoAudioStream
from kb_core.ports.diarizer import Diarization
from kb_core.ports.extractor import ClipReader, Extractor, ExtractorServices, ExtractRuntime
from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_parse_audio import create_extractor
from kb_parse_audio.extractor import AudioExtractor, AudioOptions
from kb_testing.fake_transcriber import BeepTranscriber, ScriptedTranscriber
from kb_testing.fake_voice_activity import EnergyDetector

RATE_HZ = 16_000


@pytest.fixture(scope="module")
def long_path(tmp_path_factory):
    """110 s of noise that pauses for 2 s now and then: four windows or more in two languages."""
    rng = np.random.default_rng(4)
    sound = 0.1 * rng.standard_normal(110 * RATE_HZ)
    sound *= np.arange(len(sound)) % (11 * RATE_HZ) > 2 * RATE_HZ
    path = tmp_path_factory.mktemp("long") / "talk.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE_HZ, 0, "NONE", ""))
        file.writeframes(np.rint(np.clip(sound, -1, 1) * 32_767).astype("<i2").tobytes())
    return path


@pytest.fixture
def long_asset(long_path, make_asset) -> RawAsset:
    return make_asset(long_path, "meetings/talk 1.v2.wav")


def word_for(window_start_ms, at_ms):
    """Return a word that names a window and a place; it must not look like one in a loop."""
    return f"{(window_start_ms * 31 + at_ms) * 2_654_435_761 % 2**32:08x}"


def by_place(window, until_ms=None):
    """Hear a word each second that names its window and its place."""
    words = tuple(
        Word(start_ms=at, end_ms=at + 900, text=word_for(window.start_ms, at), confidence=0.9)
        for at in range(0, (until_ms or window.duration_ms) - 900, 1000)
    )
    segment = TranscriptSegment(
        start_ms=0,
        end_ms=words[-1].end_ms,
        text=" ".join(word.text for word in words),
        words=words,
        confidence=0.9,
        language="en",
    )
    return RecognisedWindow(segments=(segment,), language="en")


def forgetful(window):
    """Pass over what is said after the first seconds of a long window."""
    return by_place(window, until_ms=6000 if window.duration_ms > 20_000 else None)


def english_then_korean(window):
    language = "en" if window.start_sample < 60 * RATE_HZ else "ko"
    return HeardLanguages(probabilities={language: 0.9})


class Watched(ScriptedTranscriber):
    """Keeps where it was asked for languages."""

    def __init__(self, script=by_place, batch_windows=1, **fields):
        super().__init__(script, **{"language_script": english_then_korean, **fields})
        self.preferred_batch_windows = batch_windows
        self.asked = []

    def detect_languages(self, windows, *, among, cancel=None):
        self.asked += [(window.start_sample, window.end_sample) for window in windows]
        return super().detect_languages(windows, among=among, cancel=cancel)


class HalfAndHalf:
    """A diarizer: one person in the first minute, another one after it."""

    name = "halves"
    version = "halves-v1"

    def stream(self):
        return self

    def hear(self, block):
        assert len(block.mono) <= RATE_HZ

    def finish(self, cancel=None):
        turns = (
            SpeakerTurn(start_ms=0, end_ms=60_000, speaker="S1"),
            SpeakerTurn(start_ms=60_000, end_ms=110_000, speaker="S2"),
        )
        return Diarization(turns=turns, warnings=(StepWarning(code="halved", message="in two"),))


def extractor_of(transcriber, options=None):
    return AudioExtractor(
        lambda: transcriber,
        options or AudioOptions(),
        detector=EnergyDetector(),
        diarizers=[HalfAndHalf()],
    )


def run(asset, transcriber, cache, options=None, **runtime_fields):
    runtime = ExtractRuntime(transcripts=cache, **runtime_fields)
    return extractor_of(transcriber, options).extract(asset, runtime), runtime


def codes(runtime):
    return [warning.code for warning in runtime.warnings]


def test_a_recording_becomes_a_document(long_asset, cache):
    transcriber = Watched()
    document, runtime = run(long_asset, transcriber, cache)
    assert document.title == "talk 1.v2"
    assert document.audio.duration_ms == 110_000
    assert runtime.warnings == ()
    assert len(transcriber.windows) >= 4
    words = [word for unit in document.source_units() for word in unit.text.split()]
    assert words == [
        word_for(start // 16, at)
        for start, end in transcriber.windows
        for at in range(0, (end - start) // 16 - 900, 1000)
    ]
    times_ms = [(unit.span.start_ms, unit.span.end_ms) for unit in document.source_units()]
    assert times_ms == sorted(times_ms)
    for start, _ in transcriber.windows:
        assert any(start // 16 <= begin_ms <= start // 16 + 500 for begin_ms, _ in times_ms)
    assert sorted(set(transcriber.languages)) == ["en", "ko"]
    assert [start for start, _ in cache.kept] == [start for start, _ in transcriber.windows]
    assert cache.kept_languages == transcriber.asked
    assert len(cache.finished) == 1


def test_the_ports_are_satisfied():
    extractor = create_extractor(Settings(), ExtractorServices(transcriber=Watched))
    assert isinstance(extractor, Extractor)
    assert isinstance(extractor, ClipReader)
    assert extractor.accepts("audio/mpeg")
    assert extractor.accepts("video/mp4")
    assert not extractor.accepts("pdf")


@pytest.mark.parametrize("script", [by_place, forgetful])
@pytest.mark.parametrize(
    ("batch_windows", "fail_at_call"), [(1, 1), (1, 2), (1, 4), (3, 1), (3, 2)]
)
def test_a_killed_run_goes_on_and_gives_the_same_bytes(
    long_asset, cache, script, batch_windows, fail_at_call
):
    straight = Watched(script, batch_windows)
    whole, _ = run(long_asset, straight, type(cache)())
    killed = Watched(script, batch_windows, fail_at_call=fail_at_call)
    with pytest.raises(EngineFailed):
        run(long_asset, killed, cache)
    assert cache.finished == []
    assert [start for start, _ in cache.kept] == [start for start, _ in killed.windows]
    reused_ms = max((end for _, end in cache.kept), default=0) // 16
    resumed = Watched(script, batch_windows)
    reports = []
    document, _ = run(long_asset, resumed, cache, progress=reports.append)
    assert canonical_json(document) == canonical_json(whole)
    assert sorted(killed.windows + resumed.windows) == sorted(straight.windows)
    assert sorted(killed.asked + resumed.asked) == sorted(straight.asked)
    assert reports[-1].reused_ms == reused_ms
    assert reports[-1].done_ms == max(end for _, end in cache.kept) // 16


def test_what_the_recogniser_passed_over_is_heard_once_more(long_asset, cache):
    plain, careless = Watched(), Watched(forgetful)
    run(long_asset, plain, type(cache)())
    document, _ = run(long_asset, careless, cache)
    again = [window for window in careless.windows if window not in plain.windows]
    assert again
    assert set(plain.windows) < set(careless.windows)
    segments = document.audio.transcript.segments
    for start, _ in again:
        assert any(each.text.startswith(word_for(start // 16, 0)) for each in segments)
    starts_ms = [each.start_ms for each in segments]
    assert starts_ms == sorted(starts_ms)
    assert not any(flag.code == "time_repaired" for each in segments for flag in each.flags)


def test_what_the_recogniser_left_unheard_is_in_the_next_window(long_asset, cache):
    def leaves_some(window):
        until_ms = 12_000 if window.duration_ms > 15_000 else None
        return by_place(window, until_ms).model_copy(update={"heard_until_ms": until_ms})

    straight = Watched(leaves_some)
    whole, _ = run(long_asset, straight, type(cache)())
    assert len(straight.windows) > 6
    killed = Watched(leaves_some, fail_at_call=3)
    with pytest.raises(EngineFailed):
        run(long_asset, killed, cache)
    resumed = Watched(leaves_some)
    document, _ = run(long_asset, resumed, cache)
    assert canonical_json(document) == canonical_json(whole)
    assert killed.windows + resumed.windows == straight.windows


def test_a_stop_keeps_what_is_finished(long_asset, cache):
    token = CancelToken()

    def stop_after_two(progress):
        if len(cache.kept) == 2:
            token.cancel()

    with pytest.raises(Cancelled):
        run(long_asset, Watched(), cache, cancel=token, progress=stop_after_two)
    assert len(cache.kept) == 2
    assert cache.finished == []


def test_a_finished_transcript_needs_no_file_and_no_recogniser(long_asset, cache):
    first, _ = run(long_asset, Watched(), cache)
    gone = long_asset.model_copy(update={"source_path": "/nowhere/at/all.wav"})
    transcriber = Watched()
    reports = []
    again, _ = run(gone, transcriber, cache, progress=reports.append)
    assert (transcriber.calls, transcriber.asked) == (0, [])
    assert canonical_json(again) == canonical_json(first)
    assert len(cache.finished) == 1
    assert [(each.done_ms, each.reused_ms) for each in reports] == [(110_000, 110_000)]


def test_a_moved_file_keeps_its_content_version(long_asset, cache):
    first, _ = run(long_asset, Watched(), cache)
    moved = long_asset.model_copy(update={"workspace_path": "archive/other.wav"})
    second, _ = run(moved, Watched(), cache)
    assert second.doc_version == first.doc_version
    assert second.doc_id != first.doc_id


def test_speakers_that_are_wanted_later_cost_no_recognition(long_asset, cache):
    plain, _ = run(long_asset, Watched(), cache)
    transcriber = Watched()
    document, runtime = run(
        long_asset, transcriber, cache, choices=DocumentChoices(speakers="halves")
    )
    assert (transcriber.calls, transcriber.asked) == (0, [])
    assert codes(runtime) == ["halved"]
    assert document.metadata.warnings == ("in two",)
    segments = document.audio.transcript.segments
    assert {segment.speaker for segment in segments} == {"S1", "S2"}
    assert all(each.speaker == ("S1" if each.end_ms < 60_000 else "S2") for each in segments)
    assert document.audio.transcript.text == plain.audio.transcript.text
    assert document.doc_version != plain.doc_version


@pytest.mark.parametrize("rules", ["TIMING_RULES", "MISSED_RULES", "SUSPECT_RULES"])
def test_a_new_rule_after_recognition_makes_another_transcript_and_hears_nothing_again(
    long_asset, cache, monkeypatch, rules
):
    before, _ = run(long_asset, Watched(), cache)
    monkeypatch.setattr(f"kb_parse_audio.extractor.{rules}", "better")
    transcriber = Watched()
    after, _ = run(long_asset, transcriber, cache)
    assert transcriber.calls == 0
    versions = [each.audio.transcript.transcript_version for each in (before, after)]
    assert versions[0] != versions[1]
    assert after.audio.transcript.segments == before.audio.transcript.segments


def test_what_decides_the_text_is_part_of_the_version():
    def version(options=None, choices=None, **fields):
        extractor = extractor_of(Watched(**fields), options)
        return extractor.versions(choices or DocumentChoices()).transcript_version

    def languages(*codes):
        return AudioOptions(languages=codes)

    versions = [
        version(),
        version(languages("ko")),
        version(languages("ko", "en")),
        version(AudioOptions(speakers="halves")),
        version(model_version="1" * 64),
        version(batch_windows=4),
    ]
    assert len(set(versions)) == len(versions)
    assert version(languages("en", "ko")) == version(languages("ko", "en"))
    assert version(AudioOptions(keep_suspect=True)) == version()
    assert version(languages("ja"), DocumentChoices(languages=("ko",))) == version(languages("ko"))
    assert version(choices=DocumentChoices(speakers="halves")) == versions[3]


def test_choices_come_before_settings(long_asset, cache):
    options = AudioOptions(languages=("en",), speakers="halves", keep_suspect=False)
    choices = DocumentChoices(languages=("zh",), speakers="none", keep_suspect=True)
    transcriber = Watched()
    document, _ = run(long_asset, transcriber, cache, options, choices=choices)
    assert set(transcriber.languages) == {"zh"}
    assert transcriber.asked == []
    assert {segment.speaker for segment in document.audio.transcript.segments} == {None}
    assert document.metadata.keeps_suspects
    unchosen, _ = run(long_asset, transcriber, cache, options)
    assert transcriber.languages[-1] == "en"
    assert {segment.speaker for segment in unchosen.audio.transcript.segments} == {"S1", "S2"}
    assert not unchosen.metadata.keeps_suspects


def test_a_version_is_that_of_the_document_that_is_made(long_asset, cache):
    choices = DocumentChoices(languages=("ko",), keep_suspect=True)
    document, _ = run(long_asset, Watched(), cache, choices=choices)
    versions = extractor_of(Watched()).versions(choices)
    assert document.audio.transcript.transcript_version == versions.transcript_version
    assert document.parser_version == versions.parser_version
    assert versions.keeps_suspects is True


def test_an_unknown_way_of_telling_speakers_apart_is_refused(long_asset, cache):
    choices = DocumentChoices(speakers="by smell")
    with pytest.raises(ConfigError, match="by smell") as caught:
        extractor_of(Watched()).versions(choices)
    assert "halves" in caught.value.hint
    assert "none" in caught.value.hint
    transcriber = Watched()
    with pytest.raises(ConfigError):
        run(long_asset, transcriber, cache, choices=choices)
    assert transcriber.calls == 0


def test_suspects_are_kept_in_the_transcript_and_count_only_on_request(long_asset, cache):
    def mumbles(window):
        result = by_place(window)
        loop = result.segments[0].model_copy(update={"text": "and then " * 40, "words": ()})
        return result.model_copy(update={"segments": (loop,)})

    document, _ = run(long_asset, Watched(mumbles), cache)
    segments = document.audio.transcript.segments
    assert len(segments) >= 4
    assert all(segment.suppressed for segment in segments)
    assert document.source_units() == ()
    kept, _ = run(long_asset, Watched(), cache, AudioOptions(keep_suspect=True))
    assert len(kept.source_units()) == len(segments)
    assert kept.audio.transcript == document.audio.transcript
    assert kept.doc_version != document.doc_version


def test_where_nobody_speaks_there_is_no_text(media, make_asset, cache):
    path = media.encode("s.wav", media.beeps(3), container="wav", codec="pcm_s16le")
    transcriber = Watched()
    for _ in range(2):
        document, runtime = run(make_asset(path), transcriber, cache)
        assert document.source_units() == ()
        assert document.audio.transcript.segments == ()
        assert document.lang is None
        assert document.audio.duration_ms == 3000
        assert codes(runtime) == ["no_speech"]
    assert (transcriber.calls, transcriber.asked) == (0, [])


def test_an_hour_of_silence_costs_no_recognition(media, make_asset, cache):
    silence = np.zeros(3600 * RATE_HZ, "<i2")
    silence[1800 * RATE_HZ] = 30_000
    path = media.wav("hour.wav", silence.tobytes())
    transcriber = Watched()
    document, runtime = run(make_asset(path), transcriber, cache)
    assert (transcriber.calls, transcriber.asked, codes(runtime)) == (0, [], ["no_speech"])
    assert document.audio.duration_ms == 3_600_000


def test_warnings_are_the_same_from_the_file_and_from_the_cache(media, make_asset, cache):
    pieces = [(0, media.beeps(5, [1])), (20, media.beeps(3, [0]))]
    path = media.encode("gap.mkv", pieces, container="matroska", codec="pcm_s16le")
    asset = make_asset(path)
    first, fresh = run(asset, BeepTranscriber(), cache)
    second, reused = run(asset, BeepTranscriber(), cache)
    assert codes(fresh) == ["gap"]
    assert fresh.warnings[0].unit == "00:00:05.000"
    assert fresh.warnings == reused.warnings
    assert first.metadata.warnings == (fresh.warnings[0].message,)
    assert canonical_json(first) == canonical_json(second)


def test_beeps_keep_their_times_across_long_silences(media, make_asset, cache):
    at_s = [1.23, 31, 299.5, 300.4, 595, 599.8]
    path = media.encode("long.flac", media.beeps(600, at_s), container="flac", codec="flac")
    transcriber = BeepTranscriber()
    document, _ = run(make_asset(path), transcriber, cache)
    assert document.audio.duration_ms == 600_000
    assert transcriber.calls == 1
    segments = document.audio.transcript.segments
    assert [each.start_ms for each in segments] == pytest.approx([s * 1000 for s in at_s], abs=10)
    ends_ms = [s * 1000 + 200 for s in at_s]
    assert [each.end_ms for each in segments] == pytest.approx(ends_ms, abs=10)


def test_errors_name_the_file_as_the_user_knows_it(media, make_asset, cache):
    asset = make_asset(media.silent_video("mute.mp4"), "clips/mute.mp4")
    with pytest.raises(NoAudioStream, match=r"^clips/mute\.mp4: no audio stream$"):
        run(asset, Watched(), cache)
    assert cache.finished == []
