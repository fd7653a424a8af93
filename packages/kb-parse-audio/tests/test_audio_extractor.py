import numpy as np
import pytest

from kb_config import Settings
from kb_core import CancelToken, RawAsset, SegmentFlag, TranscriptSegment, Word, canonical_json
from kb_core.errors import Cancelled, EngineFailed, NoAudioStream
from kb_core.ports.extractor import ClipReader, Extractor, ExtractorServices, ExtractRuntime
from kb_core.ports.transcriber import RecognisedWindow, TranscriberIdentity
from kb_parse_audio import create_extractor
from kb_parse_audio.assemble import make_transcript
from kb_parse_audio.extractor import AudioExtractor
from kb_parse_audio.language import LanguageChoice

RATE_HZ = 16_000


@pytest.fixture
def long_asset(media, make_asset) -> RawAsset:
    """100 s of noise with pauses: four windows."""
    rng = np.random.default_rng(4)
    sound = 0.1 * rng.standard_normal(100 * RATE_HZ)
    sound *= np.arange(len(sound)) % (7 * RATE_HZ) > RATE_HZ // 2
    path = media.encode("talk.wav", sound, container="wav", codec="pcm_s16le")
    return make_asset(path, "meetings/talk 1.v2.wav")


def run(asset, transcriber, cache, language=None, **runtime_fields):
    runtime = ExtractRuntime(transcripts=cache, **runtime_fields)
    return AudioExtractor(lambda: transcriber, language).extract(asset, runtime), runtime


def test_a_recording_becomes_a_document(long_asset, scripted, cache):
    transcriber = scripted()
    document, _ = run(long_asset, transcriber, cache)
    assert document.title == "talk 1.v2"
    assert document.lang == "ko"
    assert document.audio.duration_ms == 100_000
    units = document.source_units()
    assert len(units) == len(transcriber.heard) == 4
    for unit, (start, end) in zip(units, transcriber.heard, strict=True):
        assert (unit.span.start_ms, unit.span.end_ms) == (start // 16, end // 16)
        assert unit.text.startswith(f"{start // 16} ")
    assert cache.kept == transcriber.heard
    assert len(cache.finished) == 1


def test_the_ports_are_satisfied(scripted):
    extractor = create_extractor(Settings(), ExtractorServices(transcriber=scripted))
    assert isinstance(extractor, Extractor)
    assert isinstance(extractor, ClipReader)
    assert extractor.accepts("audio/mpeg")
    assert extractor.accepts("video/mp4")
    assert not extractor.accepts("pdf")


def test_the_language_setting_is_part_of_the_version(scripted):
    versions = {
        create_extractor(
            Settings(asr={"language": language}), ExtractorServices(transcriber=scripted)
        )
        .versions()
        .transcript_version
        for language in ("auto", "ko", "en")
    }
    assert len(versions) == 3


@pytest.mark.parametrize("batch_windows", [1, 3])
@pytest.mark.parametrize("fail_at", [0, 1, 2, 3])
def test_a_killed_run_goes_on_and_gives_the_same_bytes(
    long_asset, scripted, cache, batch_windows, fail_at
):
    whole, _ = run(long_asset, scripted(), type(cache)())
    killed = scripted(batch_windows=1, fail_at=fail_at, error=EngineFailed("killed"))
    with pytest.raises(EngineFailed):
        run(long_asset, killed, cache)
    assert cache.finished == []
    assert len(cache.kept) == fail_at
    resumed = scripted(batch_windows=batch_windows)
    reports = []
    document, _ = run(long_asset, resumed, cache, progress=reports.append)
    assert canonical_json(document) == canonical_json(whole)
    assert not set(killed.heard) & set(resumed.heard)
    assert len(killed.heard) + len(resumed.heard) == 4
    assert (reports[-1].done_ms, reports[-1].total_ms) == (100_000, 100_000)
    assert reports[-1].reused_ms == sum(end - start for start, end in killed.heard) // 16


def test_a_language_found_before_the_kill_is_kept_after_it(long_asset, scripted, cache):
    starts = [start for start, _ in _heard(long_asset, scripted, cache)]
    languages = {
        starts[0]: ("en", 0.3),
        starts[1]: ("ja", 0.9),
        starts[2]: ("zh", 0.9),
        starts[3]: ("zh", 0.9),
    }
    script = {"languages": languages}
    straight = scripted(**script)
    whole, _ = run(long_asset, straight, type(cache)())
    assert straight.asked == [None, None, "ja", "ja"]
    batched = scripted(**script, batch_windows=4)
    run(long_asset, batched, type(cache)())
    assert batched.asked == straight.asked
    killed = scripted(**script, fail_at=2, error=EngineFailed("killed"))
    with pytest.raises(EngineFailed):
        run(long_asset, killed, cache)
    resumed = scripted(**script, batch_windows=4)
    document, _ = run(long_asset, resumed, cache)
    assert resumed.asked == ["ja", "ja"]
    assert canonical_json(document) == canonical_json(whole)


def _heard(asset, scripted, cache):
    transcriber = scripted()
    run(asset, transcriber, type(cache)())
    return transcriber.heard


def test_what_the_recogniser_left_unheard_is_in_the_next_window(long_asset, scripted, cache):
    script = {"stops_at_ms": {0: 20_000}}
    straight = scripted(**script)
    whole, _ = run(long_asset, straight, type(cache)())
    assert [start for start, _ in straight.heard][:2] == [0, 20 * RATE_HZ]
    assert straight.heard[-1][1] == 100 * RATE_HZ
    killed = scripted(**script, fail_at=2, error=EngineFailed("killed"))
    with pytest.raises(EngineFailed):
        run(long_asset, killed, cache)
    reports = []
    resumed = scripted(**script)
    document, _ = run(long_asset, resumed, cache, progress=reports.append)
    assert canonical_json(document) == canonical_json(whole)
    assert killed.heard + resumed.heard == straight.heard
    assert reports[-1].done_ms == 100_000


def test_a_batch_must_be_heard_to_its_end(long_asset, scripted, cache):
    careless = scripted(batch_windows=4, stops_at_ms={0: 20_000})
    with pytest.raises(EngineFailed, match="not heard to its end"):
        run(long_asset, careless, cache, language="ko")


def test_a_language_set_by_the_user_wins(long_asset, scripted, cache):
    transcriber = scripted()
    document, _ = run(long_asset, transcriber, cache, language="zh")
    assert transcriber.asked == ["zh"] * 4
    assert document.lang == "zh"


def test_a_window_without_text_decides_no_language():
    silent = RecognisedWindow(segments=(), language="en", language_confidence=0.99)
    assert LanguageChoice(None).after(silent).language is None
    said = RecognisedWindow(
        segments=(TranscriptSegment(start_ms=0, end_ms=1, text="네"),), language="ko"
    )
    assert LanguageChoice(None).after(said).language == "ko"
    assert LanguageChoice("en").after(said).language == "en"


def test_a_finished_transcript_needs_no_file(long_asset, scripted, cache):
    first, _ = run(long_asset, scripted(), cache)
    gone = long_asset.model_copy(update={"source_path": "/nowhere/at/all.wav"})
    transcriber = scripted()
    again, _ = run(gone, transcriber, cache)
    assert transcriber.heard == []
    assert canonical_json(again) == canonical_json(first)


def test_a_moved_file_keeps_its_content_version(long_asset, scripted, cache):
    first, _ = run(long_asset, scripted(), cache)
    moved = long_asset.model_copy(update={"workspace_path": "archive/other.wav"})
    second, _ = run(moved, scripted(), cache)
    assert second.doc_version == first.doc_version
    assert second.doc_id != first.doc_id


def test_warnings_are_the_same_from_the_file_and_from_the_cache(media, make_asset, scripted, cache):
    pieces = [(0, media.beeps(5, [1])), (20, media.beeps(3, [0]))]
    path = media.encode("gap.mkv", pieces, container="matroska", codec="pcm_s16le")
    asset = make_asset(path)
    first, fresh = run(asset, scripted(), cache)
    second, reused = run(asset, scripted(), cache)
    assert [warning.code for warning in fresh.warnings] == ["gap"]
    assert fresh.warnings[0].unit == "00:00:05.000"
    assert fresh.warnings == reused.warnings
    assert first.metadata.warnings == (fresh.warnings[0].message,)
    assert canonical_json(first) == canonical_json(second)


def test_a_stop_keeps_what_is_finished(long_asset, scripted, cache):
    token = CancelToken()

    def stop_after_two(progress):
        if len(cache.kept) == 2:
            token.cancel()

    with pytest.raises(Cancelled):
        run(long_asset, scripted(), cache, cancel=token, progress=stop_after_two)
    assert len(cache.kept) == 2


def test_digital_silence_is_not_sent_to_the_recogniser(media, make_asset, scripted, cache):
    path = media.encode("s.wav", media.beeps(70, [65]), container="wav", codec="pcm_s16le")
    transcriber = scripted()
    document, _ = run(make_asset(path), transcriber, cache)
    assert transcriber.heard == [(60 * RATE_HZ, 70 * RATE_HZ)]
    assert [unit.span.start_ms for unit in document.source_units()] == [60_000]


def test_nothing_said_is_a_document_without_text(media, make_asset, scripted, cache):
    path = media.encode("s.wav", media.beeps(3), container="wav", codec="pcm_s16le")
    document, _ = run(make_asset(path), scripted(), cache)
    assert document.source_units() == ()
    assert document.lang is None
    assert document.audio.duration_ms == 3_000


def test_a_short_word_ends_with_its_file(media, make_asset, scripted, cache):
    path = media.encode("w.wav", media.beeps(0.8, [0.1]), container="wav", codec="pcm_s16le")
    document, _ = run(make_asset(path), scripted(), cache)
    assert [unit.span.end_ms for unit in document.source_units()] == [800]


def test_errors_name_the_file_as_the_user_knows_it(media, make_asset, scripted, cache):
    asset = make_asset(media.silent_video("mute.mp4"), "clips/mute.mp4")
    with pytest.raises(NoAudioStream, match=r"^clips/mute\.mp4: no audio stream$"):
        run(asset, scripted(), cache)
    assert cache.finished == []


def test_beeps_keep_their_times_across_many_windows(media, make_asset, scripted, cache, onsets):
    path = media.encode(
        "long.flac", media.beeps(600, [31, 299.5, 595]), container="flac", codec="flac"
    )
    transcriber = scripted()
    document, _ = run(make_asset(path), transcriber, cache)
    assert document.audio.duration_ms == 600_000
    assert [start // RATE_HZ for start, _ in transcriber.heard] == [30, 270, 570]


def test_words_and_languages_move_with_their_window():
    segment = TranscriptSegment(
        start_ms=100,
        end_ms=900,
        text="네",
        words=(Word(start_ms=100, end_ms=900, text="네"),),
        flags=(SegmentFlag(code="bytes_repaired"),),
    )
    window = RecognisedWindow(segments=(segment,), language="ko")
    identity = _identity()
    transcript = make_transcript(
        [(0, window), (30_000, window)],
        duration_ms=30_500,
        identity=identity,
        transcript_version="v",
    )
    first, second = transcript.segments
    assert (first.words[0].start_ms, first.language) == (100, "ko")
    assert (second.start_ms, second.end_ms) == (30_100, 30_500)
    assert (second.words[0].start_ms, second.words[0].end_ms) == (30_100, 30_500)
    assert [flag.code for flag in first.flags] == ["bytes_repaired"]
    assert [flag.code for flag in second.flags] == ["bytes_repaired", "time_repaired"]


def _identity():
    return TranscriberIdentity(
        engine="e", engine_version="1", model_id="m", model_version="0" * 16, decoding={}
    )


def test_the_language_of_a_recording_is_the_one_spoken_longest():
    def window(code, end_ms):
        segment = TranscriptSegment(start_ms=0, end_ms=end_ms, text="x")
        return RecognisedWindow(segments=(segment,), language=code)

    def language(*windows):
        return make_transcript(
            [(place * 1000, item) for place, item in enumerate(windows)],
            duration_ms=10_000,
            identity=_identity(),
            transcript_version="v",
        ).language

    assert language(window("ko", 300), window("en", 500), window("ko", 300)) == "ko"
    assert language(window("ko", 500), window("en", 500)) == "en"
