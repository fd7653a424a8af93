"""Dividing a segment at its words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import SegmentFlag, TranscriptSegment, Word, split_at_words
from kb_core.wording import mean_confidence


def spoken(text, *words, **fields):
    """Return a segment from 0 to 9000 ms whose words begin every second."""
    return TranscriptSegment(
        start_ms=0,
        end_ms=9000,
        text=text,
        words=tuple(
            Word(start_ms=1000 * place, end_ms=1000 * place + 800, text=word)
            for place, word in enumerate(words)
        ),
        **fields,
    )


def texts(parts):
    return [part.text for part in parts]


def test_parts_begin_at_the_given_words():
    segment = spoken("One two. Three, four!", "One", "two.", "Three,", "four!")
    parts = split_at_words(segment, [3, 2])
    assert texts(parts) == ["One two.", "Three,", "four!"]
    assert [(part.start_ms, part.end_ms) for part in parts] == [
        (0, 1800),
        (2000, 2800),
        (3000, 9000),
    ]
    assert [len(part.words) for part in parts] == [2, 1, 1]


def test_text_without_spaces_gets_none():
    segment = spoken("会議を始めます。はい。", "会議を", "始めます。", "はい。")
    assert texts(split_at_words(segment, [2])) == ["会議を始めます。", "はい。"]


def test_what_stands_between_words_stays_with_the_word_before():
    segment = spoken("- (One) — two -", "One", "two")
    assert texts(split_at_words(segment, [1])) == ["- (One) —", "two -"]


def test_the_same_word_twice_is_found_in_its_order():
    segment = spoken("no, no no", "no", "no", "no")
    assert texts(split_at_words(segment, [1, 2])) == ["no,", "no", "no"]


def test_nothing_is_divided_before_a_word_that_is_not_in_the_text():
    segment = spoken("One three four", "One", "two", "three", "", "four")
    assert texts(split_at_words(segment, [1])) == ["One three four"]
    assert texts(split_at_words(segment, [3])) == ["One three four"]
    parts = split_at_words(segment, [1, 2, 3, 4])
    assert texts(parts) == ["One", "three", "four"]
    assert [[word.text for word in part.words] for part in parts] == [
        ["One", "two"],
        ["three", ""],
        ["four"],
    ]


@pytest.mark.parametrize("places", [[], [0], [2, 3, 99], [-1]])
def test_places_that_divide_nothing_leave_the_segment_itself(places):
    segment = spoken("One two", "One", "two")
    assert split_at_words(segment, places) == (segment,)
    without_words = TranscriptSegment(start_ms=0, end_ms=1, text="One two")
    assert split_at_words(without_words, places) == (without_words,)


def test_flags_speaker_and_language_are_those_of_the_whole():
    flags = (SegmentFlag(code="time_repaired", detail="was 1-2 ms"),)
    segment = spoken("a b", "a", "b", flags=flags, speaker="S1", language="en", confidence=0.5)
    for part in split_at_words(segment, [1]):
        assert (part.flags, part.speaker, part.language) == (flags, "S1", "en")
        assert part.confidence == 0.5


def test_a_part_is_as_sure_as_its_words():
    words = tuple(
        Word(start_ms=0, end_ms=1, text=text, confidence=confidence)
        for text, confidence in (("a", 0.9), ("b", 0.4), ("c", 0.9))
    )
    segment = TranscriptSegment(start_ms=0, end_ms=1, text="a b c", words=words, confidence=0.7)
    first, second = split_at_words(segment, [1])
    assert (first.confidence, second.confidence) == (0.9, 0.6)


def test_confidence_of_nothing_is_unknown_and_of_an_impossible_word_is_defined():
    assert mean_confidence([]) is None
    assert mean_confidence([None, None]) is None
    assert mean_confidence([None, 0.25, 1.0]) == 0.5
    assert 0 <= mean_confidence([0.0, 1.0]) <= 0.01


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "a.", "no", "네,", "会議", "👩‍👩‍👧", "zzz"]),
            st.booleans(),
            st.sampled_from(["", " ", " — "]),
            st.integers(0, 900),
            st.integers(0, 900),
        ),
        max_size=9,
    ),
    st.lists(st.integers(-2, 12)),
)
def test_no_character_no_word_and_no_time_is_lost(rows, places):
    words, text, at_ms = [], "", 100
    for word, is_in_text, joint, step_ms, length_ms in rows:
        at_ms += step_ms
        words.append(Word(start_ms=at_ms, end_ms=at_ms + length_ms, text=word))
        text += (word if is_in_text else "") + joint
    end_ms = max((word.end_ms for word in words), default=at_ms) + 50
    segment = TranscriptSegment(start_ms=50, end_ms=end_ms, text=text.strip(), words=tuple(words))
    parts = split_at_words(segment, places)
    assert "".join("".join(texts(parts)).split()) == "".join(segment.text.split())
    assert tuple(word for part in parts for word in part.words) == segment.words
    assert (parts[0].start_ms, parts[-1].end_ms) == (50, end_ms)
    assert [part.start_ms for part in parts] == sorted(part.start_ms for part in parts)
    for part in parts:
        assert TranscriptSegment.model_validate(part.model_dump()) == part
        assert all(part.start_ms <= word.start_ms for word in part.words)
        assert all(word.end_ms <= part.end_ms for word in part.words)
    assert [again for part in parts for again in split_at_words(part, [])] == list(parts)
