"""Stretches of speech in sound, found while it is read."""

import weakref
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_core.ports.transcriber import SAMPLE_RATE_HZ, SAMPLES_PER_MS
from kb_parse_audio.listened import listened
from kb_parse_audio.regions import MIN_SILENCE_MS, Region
from kb_parse_audio.stretches import (
    CUT_FROM_SAMPLES,
    ENOUGH_SAMPLES,
    MAX_PAUSE_MS,
    MAX_REGION_SAMPLES,
    SpeechReader,
)
from kb_testing.fake_voice_activity import EnergyDetector

FRAME = 512


def reader_of(blocks, detector=None):
    detector = detector or EnergyDetector()
    return SpeechReader(listened(blocks, detector), detector.frame_samples)


def sound_of(length, spans, amplitude=0.3):
    """Return silence with noise in the given spans, all in frames."""
    sound = np.zeros(length * FRAME, np.float32)
    noise = np.random.default_rng(1).uniform(0.5, 1.5, len(sound)).astype(np.float32)
    for start, end in spans:
        sound[start * FRAME : end * FRAME] = amplitude * noise[start * FRAME : end * FRAME]
    return sound


def blocks_of(sound, size=SAMPLE_RATE_HZ):
    return [(start, sound[start : start + size]) for start in range(0, len(sound), size)]


def read(sound, size=SAMPLE_RATE_HZ, detector=None):
    reader = reader_of(blocks_of(sound, size), detector)
    return list(reader), reader


def frames(regions):
    return [(region.start / FRAME, region.end / FRAME) for region in regions]


def to_frames(milliseconds):
    return -(-milliseconds * SAMPLES_PER_MS // FRAME)


LONG_PAUSE = to_frames(MAX_PAUSE_MS) + 1
SHORT_PAUSE = to_frames(MIN_SILENCE_MS) + 1


def test_speech_is_found_to_the_frame():
    (stretch,), reader = read(sound_of(200, [(40, 70)]))
    assert frames(stretch.regions) == [(40, 70)]
    assert (stretch.start, stretch.end) == (40 * FRAME, 70 * FRAME)
    assert stretch.speech_ms == 30 * 32
    assert reader.track.duration_ms == 200 * 32
    assert set(reader.track.between(0, 40 * 32)) == {0}
    assert set(reader.track.between(40 * 32, 70 * 32)) == {1}


def test_regions_belong_together_until_a_long_pause():
    spans = [(10, 30), (30 + SHORT_PAUSE, 60), (60 + LONG_PAUSE, 100)]
    stretches, _ = read(sound_of(200, spans))
    assert [frames(each.regions) for each in stretches] == [spans[:2], spans[2:]]


def test_speech_at_both_ends_of_a_recording_is_found():
    stretches, reader = read(sound_of(100, [(0, 20), (80, 100)])[: 99 * FRAME + 100])
    assert frames(each.regions[0] for each in stretches) == [(0, 20), (80, 99 + 100 / FRAME)]
    assert reader.end == 99 * FRAME + 100


def test_a_recording_shorter_than_a_frame_is_heard():
    stretches, reader = read(np.zeros(100, np.float32))
    assert stretches == []
    assert len(reader.track.between(0, 1000)) == 1
    assert read(np.zeros(0, np.float32))[0] == []


def test_an_endless_speaker_is_cut_into_regions_that_touch():
    stretches, _ = read(sound_of(3200, [(100, 3000)]))
    regions = [region for stretch in stretches for region in stretch.regions]
    assert (regions[0].start, regions[-1].end) == (100 * FRAME, 3000 * FRAME)
    for region, following in pairwise(regions):
        assert region.end == following.start
        assert CUT_FROM_SAMPLES <= region.samples <= MAX_REGION_SAMPLES


def test_an_endless_speaker_is_cut_where_it_is_quietest():
    sound = sound_of(1200, [(0, 1200)])
    quiet = CUT_FROM_SAMPLES + SAMPLE_RATE_HZ
    sound[quiet : quiet + 3200] *= 0.5
    (first, *_), _ = read(sound)
    assert first.end == quiet + 1600


def test_a_stretch_is_closed_when_it_holds_enough():
    step = 100 + SHORT_PAUSE
    spans = [(place * step, place * step + 100) for place in range(12)]
    stretches, _ = read(sound_of(12 * step, spans))
    assert len(stretches) > 1
    for stretch in stretches[:-1]:
        assert stretch.end - stretch.start >= ENOUGH_SAMPLES
        assert stretch.regions[-1].start - stretch.start < ENOUGH_SAMPLES


def test_soft_speech_is_amplified_for_the_detector_and_given_as_it_is():
    sound = sound_of(300, [(100, 150)], amplitude=0.01)
    reader = reader_of(blocks_of(sound))
    reader.keep_from = 0
    (stretch,) = reader
    assert frames(stretch.regions) == [(100, 150)]
    heard = reader.sound(stretch.start, stretch.end)
    assert np.array_equal(heard, sound[stretch.start : stretch.end])


@st.composite
def speech(draw, longest=200):
    """Return a recording's length and spans of speech, in frames."""
    spans, at = [], 0
    for _ in range(draw(st.integers(0, 8))):
        start = at + draw(st.sampled_from([SHORT_PAUSE, LONG_PAUSE, 2 * LONG_PAUSE, 300]))
        at = start + draw(st.integers(3, longest))
        spans.append((start, at))
    return at + draw(st.integers(0, 100)), spans


@settings(max_examples=40, deadline=None)
@given(speech(), st.sampled_from([777, 4000, 8192, SAMPLE_RATE_HZ]))
def test_stretches_hold_all_speech_in_order_however_it_arrives(recording, size):
    length, spans = recording
    stretches, reader = read(sound_of(length, spans), size)
    assert frames(region for each in stretches for region in each.regions) == spans
    assert reader.end == length * FRAME
    for stretch in stretches:
        pauses = [after.start - before.end for before, after in pairwise(stretch.regions)]
        assert all(pause <= MAX_PAUSE_MS * SAMPLES_PER_MS for pause in pauses)
    loud = np.flatnonzero(reader.track.between(0, length * 32 + 1000))
    assert loud.tolist() == [frame for start, end in spans for frame in range(start, end)]


def test_sound_is_there_as_long_as_it_is_asked_for():
    sound = sound_of(4000, [(100, 200), (1000, 1100), (3000, 3100)])
    reader = reader_of(blocks_of(sound))
    stretches = iter(reader)
    first = next(stretches)
    reader.keep_from = first.start
    assert [each.start for each in stretches] == [1000 * FRAME, 3000 * FRAME]
    wanted = Region(first.start - SAMPLE_RATE_HZ // 2, first.end)
    assert np.array_equal(reader.sound(wanted.start, wanted.end), sound[wanted.start : wanted.end])


def test_hours_of_sound_are_forgotten_while_they_are_read():
    held = []

    def hours():
        loud, silent = sound_of(32, [(0, 32)])[:SAMPLE_RATE_HZ], np.zeros(SAMPLE_RATE_HZ)
        for second in range(3 * 3600):
            speaks = second % 600 < 100 or second % 2
            block = (loud if speaks else silent).astype(np.float32, copy=True)
            held.append(weakref.ref(block))
            yield second * SAMPLE_RATE_HZ, block
            del block

    reader = reader_of(hours(), EnergyDetector(frame_samples=1600))
    most = 0
    for _ in reader:
        held = [each for each in held if each() is not None]
        most = max(most, len(held))
    assert reader.track.duration_ms == 3 * 3600 * 1000
    assert 0 < most < 60
