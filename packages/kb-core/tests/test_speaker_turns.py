"""Words get the speaker who talks during them, and segments are divided without losing text."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from kb_core import SegmentFlag, SpeakerTurn, TranscriptSegment, Word, assign_speakers


def turns(*rows: tuple[int, int, str]) -> list[SpeakerTurn]:
    return [SpeakerTurn(start_ms=start, end_ms=end, speaker=who) for start, end, who in rows]


def spoken(
    text: str, *rows: tuple[int, int, str], confidence: float | None = None
) -> TranscriptSegment:
    words = tuple(
        Word(start_ms=start, end_ms=end, text=word, confidence=confidence)
        for start, end, word in rows
    )
    return TranscriptSegment(
        start_ms=words[0].start_ms, end_ms=words[-1].end_ms, text=text, words=words
    )


def told(segments: tuple[TranscriptSegment, ...]) -> list[tuple[str | None, str]]:
    return [(segment.speaker, segment.text) for segment in segments]


HELLO = spoken("Hello there. Hi!", (0, 400, "Hello"), (400, 900, "there."), (1000, 1400, "Hi!"))


def test_a_segment_is_divided_where_the_speaker_changes() -> None:
    parts = assign_speakers([HELLO], turns((0, 950, "S1"), (950, 1500, "S2")))
    assert told(parts) == [("S1", "Hello there."), ("S2", "Hi!")]
    assert [(part.start_ms, part.end_ms) for part in parts] == [(0, 900), (1000, 1400)]
    assert [len(part.words) for part in parts] == [2, 1]


def test_japanese_is_divided_without_inserting_spaces() -> None:
    segment = spoken(
        "会議を始めます。はい、どうぞ。",
        (0, 500, "会議を"), (500, 1200, "始めます。"),
        (1300, 1600, "はい、"), (1600, 2000, "どうぞ。"),
    )  # fmt: skip
    parts = assign_speakers([segment], turns((0, 1250, "S1"), (1250, 2000, "S2")))
    assert told(parts) == [("S1", "会議を始めます。"), ("S2", "はい、どうぞ。")]


def test_a_word_under_two_turns_goes_to_the_one_that_covers_most_of_it() -> None:
    edge_ms = 600
    (part,) = assign_speakers([spoken("yes", (0, 1000, "yes"))], turns(
        (0, edge_ms, "S1"), (edge_ms - 300, 1000, "S2")
    ))  # fmt: skip
    assert part.speaker == "S2"


def test_of_turns_that_cover_a_word_alike_the_earlier_one_has_it() -> None:
    both = turns((500, 2000, "A"), (0, 2000, "B"))
    assert told(assign_speakers([spoken("yes", (600, 1000, "yes"))], both)) == [("B", "yes")]


def test_a_word_under_no_turn_goes_with_the_nearest_one() -> None:
    apart = turns((0, 500, "S1"), (2600, 4000, "S2"))
    near = spoken("a b", (0, 500, "a"), (1900, 2200, "b"))
    assert told(assign_speakers([near], apart)) == [("S1", "a"), ("S2", "b")]


def test_a_word_far_from_every_turn_goes_with_the_word_before_it() -> None:
    apart = turns((0, 500, "S1"), (9000, 9500, "S2"))
    segment = spoken("a b c", (0, 500, "a"), (4000, 4400, "b"), (9000, 9400, "c"))
    assert told(assign_speakers([segment], apart)) == [("S1", "a b"), ("S2", "c")]


def test_a_segment_far_from_every_turn_has_no_speaker() -> None:
    assert told(assign_speakers([HELLO], turns((60_000, 61_000, "S1")))) == [
        (None, "Hello there. Hi!")
    ]


@pytest.mark.parametrize(("word_ms", "speakers"), [(250, ["S1"]), (350, ["S1", "S2", "S1"])])
def test_a_very_short_stretch_does_not_tear_a_sentence(word_ms: int, speakers: list[str]) -> None:
    end_ms = 1000 + word_ms
    segment = spoken(
        "We deploy right now.",
        (0, 500, "We"), (500, 1000, "deploy"), (1000, end_ms, "right"), (end_ms, 2000, "now."),
    )  # fmt: skip
    swapped = turns((0, 1000, "S1"), (1000, end_ms, "S2"), (end_ms, 2000, "S1"))
    parts = assign_speakers([segment], swapped)
    assert [part.speaker for part in parts] == speakers
    assert " ".join(part.text for part in parts) == segment.text


def test_a_segment_without_words_has_the_speaker_of_the_greatest_overlap() -> None:
    whole = TranscriptSegment(start_ms=0, end_ms=1000, text="Hello there.")
    late = TranscriptSegment(start_ms=5000, end_ms=6000, text="Bye.")
    two = turns((0, 400, "S1"), (400, 1000, "S2"))
    assert told(assign_speakers([whole, late], two)) == [("S2", "Hello there."), (None, "Bye.")]


def test_each_part_keeps_flags_and_language_and_has_its_own_confidence() -> None:
    flag = SegmentFlag(code="repeated")
    words = (
        Word(start_ms=0, end_ms=900, text="Sure?", confidence=0.4),
        Word(start_ms=1000, end_ms=1900, text="Sure!", confidence=0.9),
    )
    segment = TranscriptSegment(
        start_ms=0, end_ms=2000, text="Sure? Sure!", words=words, confidence=0.6,
        language="en", flags=(flag,),
    )  # fmt: skip
    first, second = assign_speakers([segment], turns((0, 950, "S1"), (950, 2000, "S2")))
    assert (first.confidence, second.confidence) == (0.4, 0.9)
    assert {part.language for part in (first, second)} == {"en"}
    assert first.flags == second.flags == (flag,)
    assert (first.end_ms, second.end_ms) == (900, 2000)


def test_parts_of_overlapping_segments_are_in_order_of_their_start() -> None:
    long = spoken("one two", (0, 500, "one"), (3000, 3500, "two"))
    inside = spoken("and", (1000, 1500, "and"))
    parts = assign_speakers([long, inside], turns((0, 600, "S1"), (900, 4000, "S2")))
    assert told(parts) == [("S1", "one"), ("S2", "and"), ("S2", "two")]


def test_a_turn_that_ends_before_it_starts_is_none() -> None:
    with pytest.raises(ValidationError, match="ends before its start"):
        SpeakerTurn(start_ms=2, end_ms=1, speaker="S1")


@st.composite
def segments_of_words(draw: st.DrawFn) -> list[TranscriptSegment]:
    """Legal segments that do not overlap, written with and without spaces."""
    texts = st.sampled_from(["yes", "네,", "会議", "を", "a", "a.", "👩‍👩‍👧", "Müller"])
    segments = []
    start_ms = 0
    for _ in range(draw(st.integers(0, 4))):
        steps = draw(st.lists(st.sampled_from([0, 50, 250, 400, 1500]), max_size=8))
        starts = list(accumulate(steps, initial=start_ms))[: len(steps)]
        lasts = draw(
            st.lists(st.sampled_from([0, 90, 300]), min_size=len(steps), max_size=len(steps))
        )
        words = tuple(
            Word(start_ms=start, end_ms=start + last, text=draw(texts))
            for start, last in zip(starts, lasts, strict=True)
        )
        text = "".join(word.text + draw(st.sampled_from(["", " "])) for word in words)
        end_ms = max((word.end_ms for word in words), default=start_ms + 700)
        segments.append(
            TranscriptSegment(
                start_ms=start_ms, end_ms=end_ms, text=text.strip() or "no words", words=words
            )
        )
        start_ms = end_ms + draw(st.sampled_from([0, 600, 5000]))
    return segments


SOME_TURNS = st.lists(
    st.tuples(
        st.integers(0, 60).map(lambda n: n * 130),
        st.sampled_from([0, 100, 350, 2000]),
        st.sampled_from(["S1", "S2", "S3"]),
    ),
    max_size=8,
).map(lambda rows: turns(*((start, start + length, who) for start, length, who in rows)))


@given(segments_of_words(), SOME_TURNS)
def test_text_and_words_are_kept_on_a_legal_timeline(
    segments: list[TranscriptSegment], some_turns: list[SpeakerTurn]
) -> None:
    parts = assign_speakers(segments, some_turns)
    assert letters(parts) == letters(segments)
    assert [word for part in parts for word in part.words] == [
        word for segment in segments for word in segment.words
    ]
    starts_ms = [part.start_ms for part in parts]
    assert starts_ms == sorted(starts_ms)
    for part in parts:
        assert TranscriptSegment.model_validate(part.model_dump()) == part
        assert letters([part]) == "".join(word.text for word in part.words) or not part.words
        assert all(part.start_ms <= word.start_ms for word in part.words)
        assert all(word.end_ms <= part.end_ms for word in part.words)


@given(segments_of_words(), SOME_TURNS)
def test_the_same_turns_twice_change_nothing_more(
    segments: list[TranscriptSegment], some_turns: list[SpeakerTurn]
) -> None:
    once = assign_speakers(segments, some_turns)
    assert assign_speakers(once, some_turns) == once
    assert assign_speakers(segments, some_turns[::-1]) == once


@given(segments_of_words())
def test_without_turns_nothing_changes(segments: list[TranscriptSegment]) -> None:
    assert assign_speakers(segments, []) == tuple(segments)


def letters(segments: list[TranscriptSegment] | tuple[TranscriptSegment, ...]) -> str:
    return "".join("".join(segment.text.split()) for segment in segments)
