"""The probability of speech over a whole recording."""

import pytest

from kb_parse_audio.speech_track import SpeechTrack

FRAME_MS = 32


def track_of(*probabilities):
    track = SpeechTrack(FRAME_MS * 16)
    track.add(probabilities)
    track.sample_count = len(probabilities) * FRAME_MS * 16
    return track


def test_a_range_has_the_frames_that_it_touches():
    track = track_of(0, 0.25, 0.5, 0.75, 1)
    assert track.duration_ms == 5 * FRAME_MS
    for start_ms, end_ms, expected in (
        (0, 1, [0]),
        (FRAME_MS - 1, FRAME_MS, [0]),
        (FRAME_MS - 1, FRAME_MS + 1, [0, 0.25]),
        (2 * FRAME_MS, 4 * FRAME_MS, [0.5, 0.75]),
        (-500, 1, [0]),
        (4 * FRAME_MS, 9999, [1]),
        (9000, 9999, []),
        (-2, -1, []),
    ):
        assert track.between(start_ms, end_ms) == pytest.approx(expected, abs=1 / 255)


def test_frames_may_come_in_parts():
    parts = track_of(0.1, 0.9)
    parts.add([0.5])
    parts.add([])
    assert parts.between(0, 999) == pytest.approx([0.1, 0.9, 0.5], abs=1 / 255)
