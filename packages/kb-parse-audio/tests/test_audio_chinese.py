"""Chinese in one way of writing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import TranscriptSegment, Word
from kb_core.errors import ConfigError
from kb_parse_audio.chinese import AS_HEARD, in_script, script_rules


def segment(text, words=(), language="zh"):
    timed = tuple(
        Word(start_ms=place, end_ms=place + 1, text=word) for place, word in enumerate(words)
    )
    return TranscriptSegment(start_ms=0, end_ms=9, text=text, language=language, words=timed)


def test_mixed_characters_become_simplified_ones_in_text_and_words():
    mixed = segment("創建項目后,头髮", ["創", "建", "項", "目后,", "头", "髮"])
    written = in_script(mixed, "simplified")
    assert written.text == "创建项目后,头发"
    assert [word.text for word in written.words] == ["创", "建", "项", "目后,", "头", "发"]
    assert [word.start_ms for word in written.words] == [0, 1, 2, 3, 4, 5]


def test_phrases_decide_which_traditional_character_is_meant():
    written = in_script(segment("头发干燥,后面的皇后", ["头", "发", "干", "燥,"]), "traditional")
    assert written.text == "頭髮乾燥,後面的皇后"
    assert [word.text for word in written.words] == ["頭", "髮", "乾", "燥,"]


def test_other_languages_and_text_as_heard_stay():
    japanese = segment("発音の練習、國語", language="ja")
    assert in_script(japanese, "simplified") is japanese
    chinese = segment("國語")
    assert in_script(chinese, AS_HEARD) is chinese


@given(text=st.text(st.characters(min_codepoint=0x20, max_codepoint=0x9FFF), max_size=30))
def test_a_character_becomes_one_character_and_words_still_make_the_text(text):
    given_segment = segment(text.strip() or "一", [char for char in text if not char.isspace()])
    for script in ("simplified", "traditional"):
        written = in_script(given_segment, script)
        assert len(written.text) == len(given_segment.text)
        assert in_script(written, AS_HEARD) is written
        joined = "".join(word.text for word in written.words)
        assert len(joined) == sum(len(word.text) for word in given_segment.words)


def test_the_way_of_writing_is_part_of_the_version():
    assert len({script_rules(each) for each in ("simplified", "traditional", AS_HEARD)}) == 3
    with pytest.raises(ConfigError, match="cursive"):
        script_rules("cursive")
