"""The windows that a recogniser gets."""

import weakref
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_core.ports.transcriber import SAMPLE_RATE_HZ, SAMPLES_PER_MS
from kb_parse_audio.listened import listened
from kb_parse_audio.stretches import MAX_PAUSE_MS, SpeechReader
from kb_parse_audio.windows import (
    CUT_FROM_SAMPLES,
    MAX_SILENCE_SAMPLES,
    MAX_WINDOW_SAMPLES,
    PADDING_SAMPLES,
    WindowPlan,
)
from kb_testing.fake_voice_activity import EnergyDetector

FRAME = 512
FRAME_MS = FRAME // SAMPLES_PER_MS


class ScriptedEar:
    """Tells the language of stretches by their number; the last one of the script goes on."""

    def __init__(self, *languages, guessed="xx"):
        self._languages = languages or ("en",)
        self._guessed = guessed
        self._told = 0
        self.by_sample = {}

    def language_of(self, stretch, reader):
        assert len(reader.sound(stretch.start, stretch.end)) == stretch.end - stretch.start
        language = self._languages[min(self._told, len(self._languages) - 1)]
        self._told += 1
        self.by_sample[stretch.start] = language
        return language

    def guess(self, stretches, reader):
        assert all(len(reader.sound(each.start, each.end)) for each in stretches)
        return self._guessed


def reader_of(blocks, detector=None):
    detector = detector or EnergyDetector()
    return SpeechReader(listened(blocks, detector), detector.frame_samples)


def sound_of(length, spans):
    """Return silence with noise in the given spans, all in frames."""
    noise = np.random.default_rng(1).uniform(0.3, 0.6, length * FRAME).astype(np.float32)
    mask = np.zeros(length, np.float32)
    for start, end in spans:
        mask[start:end] = 1
    return noise * np.repeat(mask, FRAME)


def blocks_of(sound, size=SAMPLE_RATE_HZ):
    return [(start, sound[start : start + size]) for start in range(0, len(sound), size)]


def plan_of(sound, ear=None, size=SAMPLE_RATE_HZ):
    return WindowPlan(reader_of(blocks_of(sound, size)), ear or ScriptedEar())


def regions_in(sound):
    reader = reader_of(blocks_of(sound))
    return [region for stretch in reader for region in stretch.regions]


def in_frames(regions):
    return [(region.start // FRAME, region.end // FRAME) for region in regions]


def seconds(number):
    return round(number * 1000 / FRAME_MS)


def test_a_window_begins_and_ends_in_the_silence_around_its_speech():
    (window,) = plan_of(sound_of(seconds(10), [(seconds(4), seconds(6))]))
    ((start, end),) = in_frames(window.regions)
    assert (start, end) == (seconds(4), seconds(6))
    assert window.samples == (start * FRAME - PADDING_SAMPLES, end * FRAME + PADDING_SAMPLES)
    assert window.audio.start_sample == window.samples[0]
    assert window.language == "en"


def test_padding_is_at_most_half_of_the_silence_to_other_speech():
    spans = [(5, seconds(25)), (seconds(25) + 8, seconds(50)), (seconds(50) + 40, seconds(51) + 40)]
    sound = sound_of(seconds(51) + 44, spans)
    first, second, *_ = plan_of(sound)
    assert first.samples[0] == 5 * FRAME - 5 * FRAME // 2
    assert first.samples[1] == second.samples[0] == (seconds(25) + 4) * FRAME


def test_speech_at_the_edges_of_a_recording_has_no_padding_there():
    (window,) = plan_of(sound_of(100, [(0, 100)]))
    assert window.samples == (0, 100 * FRAME)


def test_silence_inside_a_window_is_kept_up_to_a_second():
    second_frames = MAX_SILENCE_SAMPLES // FRAME
    (short,) = plan_of(sound_of(400, [(50, 100), (100 + second_frames, 200)]))
    (long,) = plan_of(sound_of(900, [(50, 100), (700, 800)]))
    assert len(short.clock.pieces) == 1
    before, after = long.clock.pieces
    assert before.end - 100 * FRAME == 700 * FRAME - after.start == MAX_SILENCE_SAMPLES // 2
    assert len(long.audio.pcm) == 150 * FRAME + MAX_SILENCE_SAMPLES + 2 * PADDING_SAMPLES


def speech_with_pauses(spoken_s, pauses):
    spans, at = [], 20
    for pause in pauses:
        spans.append((at, at + seconds(spoken_s)))
        at = spans[-1][1] + pause
    return sound_of(at + 20, spans)


def test_the_cut_is_at_the_longest_silence_that_leaves_enough():
    pauses = [10, 20, 10, 10, 10, 10, 10, 16, 10, 10, 10, 10]
    first, *_ = plan_of(speech_with_pauses(3, pauses))
    assert len(first.regions) == 8


def test_of_equally_long_silences_the_cut_is_at_the_latest():
    first, *_ = plan_of(speech_with_pauses(3, [10] * 30))
    assert len(first.regions) == 8
    assert len(first.audio.pcm) <= MAX_WINDOW_SAMPLES


def test_no_speech_gives_no_window():
    assert list(plan_of(np.zeros(0, np.float32))) == []
    assert list(plan_of(np.zeros(100 * SAMPLE_RATE_HZ, np.float32))) == []


FOUR = [(20, 60), (100, 140), (180, 220), (260, 300)]


def test_a_change_of_language_ends_the_window():
    windows = list(plan_of(sound_of(400, FOUR), ScriptedEar("en", "ko", "ko", "en")))
    assert [(each.language, in_frames(each.regions)) for each in windows] == [
        ("en", FOUR[:1]),
        ("ko", FOUR[1:3]),
        ("en", FOUR[3:]),
    ]


def test_speech_in_no_known_language_is_taken_with_what_follows():
    windows = list(plan_of(sound_of(400, FOUR), ScriptedEar(None, None, "ko")))
    assert [(each.language, in_frames(each.regions)) for each in windows] == [("ko", FOUR)]


def test_speech_that_never_shows_its_language_is_guessed():
    (window,) = plan_of(sound_of(400, FOUR), ScriptedEar(None, guessed="ja"))
    assert (window.language, in_frames(window.regions)) == ("ja", FOUR)


@st.composite
def recordings(draw):
    """Return the length of a recording and spans of speech, in frames."""
    spans, at = [], 0
    for _ in range(draw(st.integers(1, 12))):
        start = at + draw(st.sampled_from([6, 12, 13, 14, 31, 32, 40, 150, 600]))
        at = start + draw(st.sampled_from([3, 11, 50, 120, 300, 1200]))
        spans.append((start, at))
    return at + draw(st.integers(0, 60)), spans


LANGUAGES = st.lists(st.sampled_from(["en", "en", "ko", None]), min_size=1, max_size=6)


def assert_sound_window(window, sound):
    start, end = window.samples
    assert window.audio.start_sample == start
    assert start % SAMPLES_PER_MS == 0
    assert 0 < len(window.audio.pcm) <= MAX_WINDOW_SAMPLES
    pieces = window.clock.pieces
    edges = [edge for piece in pieces for edge in (piece.start, piece.end)]
    assert edges == sorted(edges)
    assert edges[0] >= 0
    assert edges[-1] <= len(sound)
    kept = np.concatenate([sound[piece.start : piece.end] for piece in pieces])
    assert np.array_equal(np.asarray(window.audio.pcm), kept)
    for region in window.regions:
        assert any(piece.start <= region.start < region.end <= piece.end for piece in pieces)
    for before, after in pairwise(window.regions):
        inside = [piece for piece in pieces if piece.end > before.end and piece.start < after.start]
        kept_silence = sum(
            min(piece.end, after.start) - max(piece.start, before.end) for piece in inside
        )
        assert kept_silence == min(after.start - before.end, MAX_SILENCE_SAMPLES)
    assert window.regions[0].start - start <= PADDING_SAMPLES
    assert end - window.regions[-1].end <= PADDING_SAMPLES


@settings(max_examples=30, deadline=None)
@given(recordings(), LANGUAGES, st.sampled_from([5000, 8192]))
def test_windows_hold_all_speech_once_and_in_order(recording, languages, size):
    sound = sound_of(*recording)
    ear = ScriptedEar(*languages)
    windows = list(plan_of(sound, ear))
    for window in windows:
        assert_sound_window(window, sound)
    taken = [(region, window.language) for window in windows for region in window.regions]
    assert [region for region, _ in taken] == regions_in(sound)
    for before, after in pairwise(windows):
        assert before.samples[1] <= after.samples[0]
    for region, language in taken:
        decided = ear.by_sample.get(region.start)
        assert decided is None or decided == language
    other = list(plan_of(sound, ScriptedEar(*languages), size))
    assert [(each.clock.pieces, each.regions, each.language) for each in other] == [
        (each.clock.pieces, each.regions, each.language) for each in windows
    ]


@settings(max_examples=30, deadline=None)
@given(recordings())
def test_a_window_is_filled_before_the_next_is_begun(recording):
    windows = list(plan_of(sound_of(*recording)))
    for before, after in pairwise(windows):
        pieces = [*before.clock.pieces, *after.clock.pieces]
        first_after = after.regions[0]
        silence = min(first_after.start - before.regions[-1].end, MAX_SILENCE_SAMPLES)
        with_next = sum(piece.samples for piece in pieces[: len(before.clock.pieces)])
        with_next += silence + first_after.samples
        assert len(before.audio.pcm) >= CUT_FROM_SAMPLES - 2 * PADDING_SAMPLES or (
            with_next + 2 * PADDING_SAMPLES > MAX_WINDOW_SAMPLES
        )


@settings(max_examples=30, deadline=None)
@given(recordings(), st.lists(st.integers(1, 29_999), min_size=1, max_size=4))
def test_what_was_not_heard_and_nothing_else_is_in_the_next_windows(recording, stops_ms):
    sound = sound_of(*recording)
    plan = plan_of(sound)
    heard, stops = [], list(stops_ms)
    position = 0
    for window in plan:
        assert_sound_window(window, sound)
        assert window.samples[0] >= position
        position = window.samples[1]
        if stops and stops[0] < window.audio.duration_ms:
            stop_ms = stops.pop(0)
            position = window.clock.to_sample(stop_ms)
            plan.go_on_from(window, stop_ms)
        heard.extend(
            (region.start, min(region.end, position))
            for region in window.regions
            if region.start < position
        )
    speaking = np.zeros(len(sound), np.int8)
    for start, end in heard:
        speaking[start:end] += 1
    expected = np.zeros(len(sound), np.int8)
    for region in regions_in(sound):
        expected[region.start : region.end] += 1
    assert np.array_equal(speaking, expected)


def test_hearing_goes_on_at_the_very_sample():
    plan = plan_of(sound_of(seconds(20), [(seconds(1), seconds(15))]))
    first, second = None, None
    for window in plan:
        if first is None:
            first = window
            plan.go_on_from(window, 5000)
        else:
            second = window
    assert second.samples[0] == first.samples[0] + 5000 * SAMPLES_PER_MS
    assert second.regions[0].start == second.samples[0]
    assert second.regions[0].end == first.regions[0].end


@pytest.mark.parametrize("languages", [("en",), ("en", "ko"), (None,)], ids=str)
def test_hours_of_sound_are_forgotten_while_windows_are_made(languages):
    pause_s = MAX_PAUSE_MS // 1000 + 1
    held, most = [], 0

    def hour():
        loud = sound_of(32, [(0, 32)])[:SAMPLE_RATE_HZ]
        for second in range(3600):
            silent = second % (3 + pause_s) >= 3 or second % 900 > 600
            block = loud * np.float32(not silent)
            held.append(weakref.ref(block))
            yield second * SAMPLE_RATE_HZ, block
            del block

    reader = reader_of(hour(), EnergyDetector(frame_samples=1600))
    spoken = 0
    for window in WindowPlan(reader, ScriptedEar(*languages)):
        held = [each for each in held if each() is not None]
        most = max(most, len(held))
        spoken += len(window.regions)
    assert spoken > 600
    assert most < 100
