"""Text that was probably not said, and text that was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import TranscriptSegment
from kb_parse_audio.speech_track import SpeechTrack
from kb_parse_audio.suspects import flag_suspects

FRAME_MS = 10
CLEAR, UNCLEAR, NONE = 1.0, 0.7, 0.0
SENTENCE = "We deploy on Thursday morning."


def track_of(*parts):
    """Return the probabilities of (milliseconds, probability) in a row."""
    track = SpeechTrack(FRAME_MS * 16)
    for length_ms, probability in parts:
        track.add([probability] * (length_ms // FRAME_MS))
        track.sample_count += length_ms * 16
    return track


def said(text=SENTENCE, start_ms=1000, end_ms=3000, confidence=0.8):
    return TranscriptSegment(start_ms=start_ms, end_ms=end_ms, text=text, confidence=confidence)


def doubt(segment, *parts):
    """Return why the segment is suspected, None when it is not."""
    (judged,) = flag_suspects([segment], track_of(*parts))
    assert judged.model_copy(update={"flags": ()}) == segment
    assert judged.suppressed == bool(judged.flags)
    return " ".join(flag.detail for flag in judged.flags) or None


def test_text_where_nobody_speaks_is_suspected_however_sure_it_is():
    for confidence in (0.1, 1.0, None):
        assert "nobody speaks" in doubt(said(confidence=confidence), (5000, NONE))
        assert "nobody speaks" in doubt(said(start_ms=8000, end_ms=9000), (5000, CLEAR))


def test_text_of_no_length_has_to_lie_in_speech():
    at_2000 = said("Yes.", 2000, 2000)
    assert doubt(at_2000, (5000, CLEAR)) is None
    assert "nobody speaks" in doubt(at_2000, (1000, CLEAR), (3000, NONE))


def test_voices_that_are_no_clear_speech_need_a_sure_recogniser():
    singing = (5000, UNCLEAR)
    assert "clear speech in 0%" in doubt(said(confidence=0.6), singing)
    assert doubt(said(confidence=0.99), singing) is None


def test_a_guess_needs_speech_that_is_clear_throughout():
    mixed = [(1000, CLEAR), (1000, UNCLEAR)] * 3
    assert "confidence 0.10" in doubt(said(confidence=0.1), *mixed)
    assert doubt(said(confidence=0.8), *mixed) is None
    assert doubt(said(confidence=0.1), (5000, CLEAR)) is None


def test_more_text_than_a_mouth_can_speak_is_suspected():
    text = (
        "We deploy on Thursday morning, unless the nightly batch shows the spike that Minsu found "
        "last week; in that case somebody from the platform group calls me before nine."
    )
    assert "characters in 500 ms" in doubt(said(text, 1000, 1500), (5000, CLEAR))
    assert doubt(said(text, 0, 30_000), (30_000, CLEAR)) is None


@pytest.mark.parametrize(
    "text", ["the same again, " * 20, "네 " * 60, "ありがとうございました。" * 12]
)
def test_a_loop_in_the_text_is_suspected(text):
    assert "repeats itself" in doubt(said(text, 0, 30_000), (30_000, CLEAR))


@pytest.mark.parametrize(
    "text",
    [
        "No, no, no.",
        "Yes.",
        "하하하하",
        "Thank you for watching.",
        "The quick brown fox jumps over the lazy dog while the other one sleeps in the sun.",
        "오늘 회의에서는 지난주에 논의했던 캐시 문제와 새로운 배포 일정을 함께 확인하겠습니다.",
        "今日は天気がとても良いので、午後から公園を散歩してから図書館に行く予定です。",
    ],
)
def test_clear_speech_is_never_suspected(text):
    for confidence in (0.05, 0.5, 1.0, None):
        assert doubt(said(text, 1000, 7000, confidence), (8000, CLEAR)) is None


def in_a_row(*texts):
    return [said(text, 2000 * place, 2000 * place + 1500) for place, text in enumerate(texts)]


def flags_of(segments):
    judged = flag_suspects(segments, track_of((2000 * len(segments) + 1000, CLEAR)))
    assert [each.text for each in judged] == [each.text for each in segments]
    return [tuple(flag.code for flag in each.flags) for each in judged]


def test_the_same_text_forty_times_is_kept_once():
    assert flags_of(in_a_row(*[SENTENCE] * 40)) == [(), *[("repeated",)] * 39]


def test_case_spaces_and_marks_make_no_other_text():
    assert flags_of(in_a_row("Bye bye!", "bye-bye", "Bye, bye.", "ＢＹＥ　bye")) == [
        (),
        *[("repeated",)] * 3,
    ]


def test_a_sentence_said_twice_is_kept_twice():
    assert flags_of(in_a_row(SENTENCE, SENTENCE, "Good.", SENTENCE)) == [()] * 4


def test_only_texts_in_a_row_count_as_repeated():
    assert flags_of(in_a_row(*["Yes.", "And then?"] * 20)) == [()] * 40


def test_a_repeated_text_where_nobody_speaks_has_both_flags():
    segments = in_a_row(*[SENTENCE] * 6)
    judged = flag_suspects(segments, track_of((20_000, NONE)))
    assert [flag.code for flag in judged[0].flags] == ["suspected_hallucination"]
    assert {flag.code for flag in judged[5].flags} == {"repeated", "suspected_hallucination"}


@given(
    st.lists(
        st.tuples(
            st.sampled_from([SENTENCE, "Yes.", "", "네", "♪♪♪", "a " * 90]),
            st.integers(0, 9000),
            st.sampled_from([0, 10, 1500, 9000]),
            st.sampled_from([None, 0.0, 0.5, 1.0]),
        ),
        max_size=12,
    ),
    st.lists(st.tuples(st.sampled_from([0, 10, 3000]), st.sampled_from([NONE, UNCLEAR, CLEAR]))),
)
def test_nothing_is_taken_away_and_judging_twice_adds_nothing(rows, parts):
    segments = [
        said(text, start_ms, start_ms + length_ms, confidence)
        for text, start_ms, length_ms, confidence in sorted(rows, key=lambda row: row[1])
    ]
    track = track_of(*parts)
    judged = flag_suspects(segments, track)
    assert [each.model_copy(update={"flags": ()}) for each in judged] == segments
    assert flag_suspects(judged, track) == judged
