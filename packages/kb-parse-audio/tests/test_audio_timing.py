"""Times of words and segments, held to where speech was found."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import SegmentFlag, TranscriptSegment, Word
from kb_core.ports.transcriber import RecognisedWindow
from kb_parse_audio.regions import Region
from kb_parse_audio.timing import DIVIDING_SILENCE_MS, NEAR_MS, TOUCH_MS, place_window
from kb_parse_audio.window_clock import WindowClock


def spans(*spans_ms):
    return [Region(start * 16, end * 16) for start, end in spans_ms]


def said(*words, text=None, **fields):
    """Return a segment of (start, end, text) words."""
    made = tuple(Word(start_ms=start, end_ms=end, text=word) for start, end, word in words)
    return TranscriptSegment(
        start_ms=made[0].start_ms,
        end_ms=max(word.end_ms for word in made),
        text=text or " ".join(word.text for word in made),
        words=made,
        **fields,
    )


def placed(segment, *speech_ms, pieces_ms=((0, 30_000),)):
    window = RecognisedWindow(segments=(segment,))
    found = place_window(window, WindowClock(spans(*pieces_ms)), spans(*speech_ms))
    for each in found:
        assert (each.start_ms, each.end_ms) == (each.segment.start_ms, each.segment.end_ms)
    return [each.segment for each in found]


def placed_words(segment, *speech_ms, **fields):
    return [
        (word.start_ms, word.end_ms)
        for part in placed(segment, *speech_ms, **fields)
        for word in part.words
    ]


SPEECH = (5000, 9000)


def test_words_in_speech_stay_where_they_are():
    assert placed_words(said((5000, 5400, "a"), (8000, 9000, "b")), SPEECH) == [
        (5000, 5400),
        (8000, 9000),
    ]


def test_a_word_that_begins_in_silence_begins_where_speech_does():
    assert placed_words(said((1000, 5400, "a")), SPEECH) == [(5000, 5400)]


def test_a_word_that_runs_into_silence_ends_where_speech_does():
    assert placed_words(said((8500, 20_000, "a")), SPEECH) == [(8500, 9000)]


def test_a_word_in_silence_goes_to_speech_that_is_near():
    assert placed_words(said((4600, 4800, "a")), SPEECH) == [(5000, 5200)]
    assert placed_words(said((9300, 9500, "a")), SPEECH) == [(8800, 9000)]
    assert placed_words(said((5250, 5300, "a")), (1000, 5000), (5400, 9000)) == [(5400, 5450)]
    assert placed_words(said((5100, 5150, "a")), (1000, 5000), (5400, 9000)) == [(4950, 5000)]


def test_a_word_in_silence_far_from_speech_stays():
    far = 5000 - NEAR_MS - 1000
    assert placed_words(said((far, far + 200, "a")), SPEECH) == [(far, far + 200)]
    assert placed_words(said((12_000, 12_200, "a")), SPEECH) == [(12_000, 12_200)]


def test_a_segment_begins_and_ends_with_its_words():
    segment = said((5100, 5400, "a"), (6000, 6400, "b"))
    segment = segment.model_copy(update={"start_ms": 0, "end_ms": 29_000})
    (part,) = placed(segment, SPEECH)
    assert (part.start_ms, part.end_ms) == (5100, 6400)


def test_a_segment_without_words_is_held_to_speech_itself():
    segment = TranscriptSegment(start_ms=1000, end_ms=29_000, text="a b")
    (part,) = placed(segment, SPEECH)
    assert (part.start_ms, part.end_ms, part.text) == (*SPEECH, "a b")


def test_a_segment_without_words_may_last_over_silences():
    segment = TranscriptSegment(start_ms=1000, end_ms=29_000, text="a b")
    (part,) = placed(segment, SPEECH, (12_000, 13_000), (20_000, 25_000))
    assert (part.start_ms, part.end_ms) == (5000, 25_000)


def test_a_word_does_not_last_over_a_silence():
    assert placed_words(said((8000, 12_500, "a")), SPEECH, (12_000, 14_000)) == [(8000, 9000)]


def test_a_word_that_only_touches_the_end_of_speech_belongs_to_what_follows():
    touching = 9000 - TOUCH_MS // 2
    next_speech = (9400, 14_000)
    assert placed_words(said((touching, 9800, "a")), SPEECH, next_speech) == [(9400, 9800)]
    assert placed_words(said((touching, 9350, "a")), SPEECH, next_speech) == [(touching, 9000)]


def test_a_segment_is_divided_at_a_long_silence_only():
    gap = DIVIDING_SILENCE_MS
    later = 2000 + gap
    segment = said((1000, 2000, "Hello"), (later, later + 500, "there."), language="en")
    first, second = placed(segment, (1000, 2000), (later, 20_000))
    assert [(each.text, each.language) for each in (first, second)] == [
        ("Hello", "en"),
        ("there.", "en"),
    ]
    assert (first.end_ms, second.start_ms) == (2000, later)
    sooner = said((1001, 2001, "Hello"), (later, later + 500, "there."))
    assert len(placed(sooner, (1000, 2001), (later, 20_000))) == 1


def test_speech_after_a_silence_that_was_left_out_has_its_own_time():
    pieces = ((0, 2500), (59_500, 65_000))
    segment = said((500, 1900, "before"), (3100, 3600, "after"))
    assert placed_words(segment, (400, 2000), (60_000, 64_000), pieces_ms=pieces) == [
        (500, 1900),
        (60_100, 60_600),
    ]


@pytest.mark.parametrize(
    ("word_ms", "expected"), [((1900, 3300), (60_000, 60_300)), ((1200, 2700), (1200, 2000))]
)
def test_a_word_over_left_out_silence_lies_where_more_of_it_is(word_ms, expected):
    pieces = ((0, 2500), (59_500, 65_000))
    (place,) = placed_words(said((*word_ms, "a")), (400, 2000), (60_000, 64_000), pieces_ms=pieces)
    assert place == expected


def test_flags_and_text_of_a_segment_stay():
    flag = SegmentFlag(code="bytes_repaired")
    segment = said((5000, 5100, "네,"), (5200, 5300, "좋아요."), text="네,좋아요.", flags=(flag,))
    (part,) = placed(segment, SPEECH)
    assert (part.text, part.flags) == ("네,좋아요.", (flag,))


def test_a_window_without_speech_or_text_is_no_error():
    assert place_window(RecognisedWindow(segments=()), WindowClock(spans((0, 9))), []) == []
    assert placed_words(said((100, 200, "a"))) == [(100, 200)]


@st.composite
def windows(draw):
    """Return a window's segments, pieces and regions."""
    steps = st.sampled_from([16, 160, 400, 900, 2100])
    pieces, regions, at_ms, length_ms = [], [], 0, 0
    for _ in range(draw(st.integers(1, 3))):
        start_ms = at_ms = at_ms + draw(st.sampled_from([0, 5000, 60_000]))
        for _ in range(draw(st.integers(1, 3))):
            speech_ms = at_ms + draw(steps)
            at_ms = speech_ms + draw(steps)
            regions.append((speech_ms, at_ms))
        at_ms += draw(steps)
        pieces.append((start_ms, at_ms))
        length_ms += at_ms - start_ms
    segments, earliest_ms = [], 0
    for _ in range(draw(st.integers(0, 4))):
        words = []
        for _ in range(draw(st.integers(0, 6))):
            start_ms = draw(st.integers(earliest_ms, length_ms))
            end_ms = draw(st.integers(start_ms, min(length_ms, start_ms + 1500)))
            words.append(
                (start_ms, end_ms, draw(st.sampled_from(["a", "no", "네,", "会議", "a."])))
            )
            earliest_ms = min(start_ms + draw(st.sampled_from([0, 100])), length_ms)
        if words:
            joint = draw(st.sampled_from(["", " "]))
            segments.append(said(*words, text=joint.join(word for _, _, word in words)))
            earliest_ms = max(earliest_ms, words[-1][0])
        else:
            end_ms = draw(st.integers(earliest_ms, length_ms))
            segments.append(TranscriptSegment(start_ms=earliest_ms, end_ms=end_ms, text="none"))
    return segments, pieces, regions


@given(windows())
def test_no_text_is_lost_and_all_times_are_legal(made):
    segments, pieces_ms, regions_ms = made
    window = RecognisedWindow(segments=tuple(segments))
    clock = WindowClock(spans(*pieces_ms))
    parts = [each.segment for each in place_window(window, clock, spans(*regions_ms))]
    assert letters(parts) == letters(segments)
    assert [word.text for part in parts for word in part.words] == [
        word.text for segment in segments for word in segment.words
    ]
    for part in parts:
        assert TranscriptSegment.model_validate(part.model_dump()) == part
        assert pieces_ms[0][0] <= part.start_ms <= part.end_ms <= pieces_ms[-1][1]
        for before, after in pairwise(part.words):
            assert before.start_ms <= after.start_ms
        if part.words:
            assert part.start_ms == part.words[0].start_ms
            assert part.end_ms == max(word.end_ms for word in part.words)


@given(windows())
def test_a_word_lies_in_speech_or_far_from_it(made):
    segments, pieces_ms, regions_ms = made
    window = RecognisedWindow(segments=tuple(segments))
    parts = place_window(window, WindowClock(spans(*pieces_ms)), spans(*regions_ms))
    for word in [word for part in parts for word in part.segment.words]:
        distances_ms = [
            max(start - word.end_ms, word.start_ms - end, 0) for start, end in regions_ms
        ]
        begins, ends = (
            any(start <= time_ms <= end for start, end in regions_ms)
            for time_ms in (word.start_ms, word.end_ms)
        )
        assert (begins and ends) or min(distances_ms) > NEAR_MS


def letters(segments):
    return "".join("".join(segment.text.split()) for segment in segments)
