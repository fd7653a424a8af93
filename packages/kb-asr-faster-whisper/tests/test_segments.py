import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_asr_faster_whisper.segments import MOST_MS, cut_segments
from kb_asr_faster_whisper.words import HeardWord, spelled


def spoken(text: str, *, word_ms: int = 300, apart: bool = True) -> list[HeardWord]:
    parts = text.split() if apart else list(text)
    return [
        HeardWord(part, apart, place * word_ms, (place + 1) * word_ms)
        for place, part in enumerate(parts)
    ]


def texts(words: list[HeardWord]) -> list[str]:
    return [spelled(segment) for segment in cut_segments(words)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rained.", "We stayed at home!", "Did you?"],
        ['He said: "Stop."', "Then he left."],
        ["Ask Dr. No in the U.S. today.", "He knows."],
        ["The rate is 3.14 percent.", "It grew."],
        ["그는 걸어갔다.", "나는 남았다."],
    ],
)
def test_segments_end_with_sentences(sentences):
    assert texts(spoken(" ".join(sentences))) == sentences


def test_sentences_without_spaces_are_cut_as_well():
    cut = texts(spoken("雨が降った。家にいた？", apart=False))
    assert "".join(cut) == "雨が降った。家にいた？"
    assert cut[0] == "雨が降った。"


def test_long_sentence_is_halved_at_the_clause_nearest_to_the_middle():
    words = spoken("a, b c d e f g, h i j k l", word_ms=1500)
    assert texts(words) == ["a, b c d e f g,", "h i j k l"]


def test_long_text_without_a_mark_is_halved_after_its_longest_word_near_the_middle():
    words = spoken("天地玄黃宇宙洪荒日月盈昃", word_ms=1100, apart=False)
    for word in words[5:]:
        word.start_ms += 800 * (word is not words[5])
        word.end_ms += 800
    assert texts(words) == ["天地玄黃宇宙", "洪荒日月盈昃"]


@given(
    st.lists(
        st.tuples(st.text(alphabet="aA,.。が", min_size=1, max_size=4), st.integers(0, 4000)),
        max_size=30,
    )
)
def test_segments_in_a_row_are_the_words_and_none_is_long_without_need(drawn):
    words = []
    now_ms = 0
    for text, duration_ms in drawn:
        words.append(HeardWord(text, True, now_ms, now_ms + duration_ms))
        now_ms += duration_ms
    segments = cut_segments(words)
    assert [word for segment in segments for word in segment] == words
    for segment in segments:
        assert segment
        assert len(segment) == 1 or segment[-1].end_ms - segment[0].start_ms <= MOST_MS
