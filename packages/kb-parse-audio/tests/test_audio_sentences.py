"""Words beside pauses are on the side of their sentence."""

from hypothesis import given
from hypothesis import strategies as st

from kb_core import TranscriptSegment, Word
from kb_core.ports.transcriber import RecognisedWindow
from kb_parse_audio.regions import Region
from kb_parse_audio.sentences import settle_sentences
from kb_parse_audio.window_clock import WindowClock

# Speech at 0-2 s and 3-6 s of the window.
CLOCK = WindowClock([Region(0, 16 * 7000)])
REGIONS = (Region(0, 16 * 2000), Region(16 * 3000, 16 * 6000))


def window(*words, segments=None):
    timed = [Word(start_ms=start, end_ms=end, text=text) for text, start, end in words]
    bounds = segments or [(0, len(timed))]
    return RecognisedWindow(
        segments=tuple(
            TranscriptSegment(
                start_ms=timed[first].start_ms,
                end_ms=timed[last - 1].end_ms,
                text=" ".join(word.text for word in timed[first:last]),
                words=tuple(timed[first:last]),
            )
            for first, last in bounds
        )
    )


def starts(heard):
    return [
        (word.text, word.start_ms, word.end_ms)
        for segment in heard.segments
        for word in segment.words
    ]


def settled(*words, segments=None):
    return starts(settle_sentences(window(*words, segments=segments), CLOCK, REGIONS))


def test_first_words_of_a_sentence_before_the_pause_go_after_it():
    assert settled(
        ("others.", 1200, 1700),
        ("The", 1700, 1900),
        ("Northern", 1900, 2300),
        ("isles", 3300, 4000),
    ) == [
        ("others.", 1200, 1700),
        ("The", 3000, 3000),
        ("Northern", 3000, 3000),
        ("isles", 3300, 4000),
    ]


def test_last_words_of_a_sentence_after_the_pause_go_before_it():
    assert settled(
        ("as", 900, 1500), ("he", 1500, 1900), ("was.", 2800, 3100), ("He", 3100, 3300)
    ) == [
        ("as", 900, 1500),
        ("he", 1500, 1900),
        ("was.", 2000, 2000),
        ("He", 3100, 3300),
    ]


def test_a_segment_begins_a_sentence_without_any_sign():
    words = (("dies", 900, 1500), ("My", 1500, 1900), ("fellow", 3000, 3500))
    assert settled(*words, segments=[(0, 1), (1, 3)])[1] == ("My", 3000, 3000)


def test_a_pause_at_punctuation_or_without_any_nearby_moves_nothing():
    for words in (
        [("Well,", 900, 1500), ("yes.", 3000, 3200), ("No", 3300, 3500)],
        [("one", 900, 1500), ("two", 1500, 1900), ("three", 3000, 3500)],
    ):
        assert settled(*words) == words


def test_a_far_sentence_is_another_pause():
    words = [("end.", 0, 200), ("Long", 200, 900), ("lasting", 900, 1900), ("talk", 3000, 3500)]
    assert settled(*words) == words


def test_two_pauses_are_not_at_one_place():
    regions = (*REGIONS[:1], Region(16 * 2800, 16 * 3400), Region(16 * 4000, 16 * 6000))
    heard = window(
        ("euros.", 1400, 2000),
        ("In", 2000, 2150),
        ("addition,", 2150, 3000),
        ("we", 3050, 3150),
        ("increased", 3200, 3900),
        ("it", 4000, 4200),
    )
    assert starts(settle_sentences(heard, CLOCK, regions))[1:4] == [
        ("In", 2800, 2800),
        ("addition,", 2800, 3000),
        ("we", 4000, 4000),
    ]


@given(
    texts=st.lists(st.sampled_from(["a", "b.", "c,", "d"]), min_size=1, max_size=12),
    steps=st.lists(st.integers(0, 900), min_size=24, max_size=24),
)
def test_text_and_order_are_kept(texts, steps):
    words, position = [], 0
    for place, text in enumerate(texts):
        start = position + steps[2 * place]
        position = start + steps[2 * place + 1]
        words.append((text, min(start, 7000), min(position, 7000)))
    after = settled(*words)
    assert [word[0] for word in after] == texts
    assert all(start <= end for _, start, end in after)
    assert [start for _, start, _ in after] == sorted(start for _, start, _ in after)
