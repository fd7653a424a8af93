"""Speech that a recogniser passed over."""

from hypothesis import given
from hypothesis import strategies as st

from kb_core import TranscriptSegment, Word
from kb_parse_audio.missed import LONGEST_WORD_MS, MARGIN_MS, MIN_MISSED_MS, missed_speech
from kb_parse_audio.regions import Region


def spans(*spans_ms):
    return [Region(start * 16, end * 16) for start, end in spans_ms]


def said(*words_ms):
    words = tuple(Word(start_ms=start, end_ms=end, text="a") for start, end in words_ms)
    return TranscriptSegment(start_ms=0, end_ms=60_000, text="a " * len(words), words=words)


def missed(regions_ms, *segments):
    found = missed_speech(spans(*regions_ms), segments)
    return [(region.start_ms, region.end_ms) for region in found]


SPEECH = [(10_000, 20_000)]


def test_speech_without_a_word_is_missed():
    assert missed(SPEECH) == SPEECH
    assert missed(SPEECH, said((1000, 2000), (25_000, 26_000))) == SPEECH


def test_speech_is_missed_before_between_and_after_words():
    found = missed(SPEECH, said((13_000, 13_500), (17_000, 17_500)))
    assert found == [
        (10_000, 13_000 - MARGIN_MS),
        (13_500 + MARGIN_MS, 17_000 - MARGIN_MS),
        (17_500 + MARGIN_MS, 20_000),
    ]


def test_a_short_gap_between_words_is_nothing_missed():
    step = MIN_MISSED_MS + 2 * MARGIN_MS - 1
    words = [(at, at) for at in range(10_000, 20_000, step)]
    assert missed(SPEECH, said(*words)) == []


def test_a_word_that_lasts_impossibly_long_hides_nothing():
    found = missed(SPEECH, said((10_000, 20_000)))
    assert found == [(10_000 + LONGEST_WORD_MS + MARGIN_MS, 20_000)]


def test_text_without_words_lies_over_all_of_its_time():
    segment = TranscriptSegment(start_ms=9000, end_ms=21_000, text="a b c")
    assert missed(SPEECH, segment) == []


def test_no_speech_is_not_missed():
    assert missed([], said((0, 100))) == []


SPANS = st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 6000)), max_size=6)


@given(SPANS, SPANS)
def test_what_is_missed_lies_in_speech_apart_from_every_word(speech, words):
    regions, at_ms = [], 0
    for gap_ms, length_ms in speech:
        regions.append((at_ms + gap_ms + 1, at_ms + gap_ms + 1 + length_ms))
        at_ms = regions[-1][1]
    made = [(start * 7, start * 7 + length) for start, length in words]
    found = missed(regions, *([said(*made)] if made else []))
    edges = [edge for span in found for edge in span]
    assert edges == sorted(edges)
    for start_ms, end_ms in found:
        assert end_ms - start_ms >= MIN_MISSED_MS
        assert any(begin <= start_ms < end_ms <= end for begin, end in regions)
        for word_start_ms, word_end_ms in made:
            word_end_ms = min(word_end_ms, word_start_ms + LONGEST_WORD_MS)
            assert word_end_ms <= start_ms or end_ms <= word_start_ms
