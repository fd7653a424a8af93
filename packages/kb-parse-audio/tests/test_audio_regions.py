"""Where speech begins and ends, frame by frame."""

from hypothesis import given
from hypothesis import strategies as st

from kb_core.ports.transcriber import SAMPLES_PER_MS
from kb_parse_audio.regions import (
    BEGIN_PROBABILITY,
    END_PROBABILITY,
    MIN_SILENCE_MS,
    MIN_SPEECH_MS,
    Region,
    RegionTracker,
)

FRAME = 10 * SAMPLES_PER_MS
SURE, NONE = 1.0, 0.0
DOUBTFUL = (BEGIN_PROBABILITY + END_PROBABILITY) / 2
ENOUGH_SPEECH = [SURE] * (MIN_SPEECH_MS // 10)
ENDING_SILENCE = [NONE] * (MIN_SILENCE_MS // 10)


def regions_of(*parts, end_sample=None):
    probabilities = [each for part in parts for each in part]
    tracker = RegionTracker(FRAME)
    found = list(tracker.hear(probabilities))
    found += tracker.finish(len(probabilities) * FRAME if end_sample is None else end_sample)
    assert tracker.open_since is None
    return [(region.start // FRAME, region.end // FRAME) for region in found]


def test_doubtful_frames_open_nothing_and_close_nothing():
    spoken = [DOUBTFUL, *ENOUGH_SPEECH, *[DOUBTFUL] * 100, SURE, DOUBTFUL]
    assert regions_of(spoken, ENDING_SILENCE, [DOUBTFUL] * 100) == [(1, len(spoken))]


def test_a_pause_ends_speech_only_when_it_is_long_enough():
    pause = [NONE] * (MIN_SILENCE_MS // 10)
    one = len(ENOUGH_SPEECH)
    assert regions_of(ENOUGH_SPEECH, pause[1:], ENOUGH_SPEECH) == [(0, 2 * one + len(pause) - 1)]
    assert regions_of(ENOUGH_SPEECH, pause, ENOUGH_SPEECH) == [
        (0, one),
        (one + len(pause), 2 * one + len(pause)),
    ]


def test_a_click_is_no_speech_wherever_it_is():
    click = ENOUGH_SPEECH[1:]
    assert regions_of(click, ENDING_SILENCE, click, ENDING_SILENCE, click) == []
    assert regions_of(ENOUGH_SPEECH) == [(0, len(ENOUGH_SPEECH))]


def test_speech_ends_with_the_recording_at_the_latest():
    end_sample = 50 * FRAME - 7
    tracker = RegionTracker(FRAME)
    assert list(tracker.hear([SURE] * 50)) == []
    assert list(tracker.finish(end_sample)) == [Region(0, end_sample)]
    assert list(tracker.finish(end_sample)) == []


def test_speech_that_is_cut_goes_on_where_it_was_cut():
    tracker = RegionTracker(FRAME)
    list(tracker.hear([SURE] * 100))
    assert tracker.cut(0, 70 * FRAME) == Region(0, 70 * FRAME)
    assert tracker.open_since == 70 * FRAME
    assert list(tracker.hear(ENDING_SILENCE)) == [Region(70 * FRAME, 100 * FRAME)]


def test_speech_that_is_cut_in_its_last_pause_is_over():
    tracker = RegionTracker(FRAME)
    list(tracker.hear([*[SURE] * 100, *ENDING_SILENCE[1:]]))
    assert tracker.cut(0, 105 * FRAME) == Region(0, 105 * FRAME)
    assert [*tracker.hear(ENDING_SILENCE), *tracker.finish(10**6)] == []


def test_the_time_of_a_region_holds_all_of_its_samples():
    region = Region(5 * SAMPLES_PER_MS + 1, 9 * SAMPLES_PER_MS + 1)
    assert (region.start_ms, region.end_ms) == (5, 10)
    assert region.samples == 4 * SAMPLES_PER_MS


PROBABILITIES = st.lists(
    st.tuples(st.sampled_from([NONE, DOUBTFUL, SURE]), st.integers(1, 30)), max_size=30
).map(lambda runs: [probability for probability, count in runs for _ in range(count)])


@given(PROBABILITIES, st.lists(st.integers(0, 100)))
def test_regions_are_what_the_two_thresholds_say(probabilities, cuts):
    found = regions_of(probabilities)
    tracker = RegionTracker(FRAME)
    in_parts, position = [], 0
    for end in [*sorted(cuts), len(probabilities)]:
        in_parts += tracker.hear(probabilities[position:end])
        position = max(position, end)
    in_parts += tracker.finish(len(probabilities) * FRAME)
    assert [(each.start // FRAME, each.end // FRAME) for each in in_parts] == found

    quiet = "".join("." if each < END_PROBABILITY else "x" for each in probabilities)
    ending = "." * len(ENDING_SILENCE)
    before = 0
    for start, end in found:
        assert before <= start
        assert end - start >= len(ENOUGH_SPEECH)
        assert probabilities[start] >= BEGIN_PROBABILITY
        assert probabilities[end - 1] >= END_PROBABILITY
        assert ending not in quiet[start:end]
        assert quiet[end:].startswith(ending) or set(quiet[end:]) <= {"."}
        before = end + len(ending)
    inside = {frame for start, end in found for frame in range(start, end)}
    for frame in range(len(probabilities) - len(ENOUGH_SPEECH)):
        if probabilities[frame : frame + len(ENOUGH_SPEECH)] == ENOUGH_SPEECH:
            assert frame in inside
