"""Blocks of the whole text, its numbered sentences, and the cutting without a model."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from kb_chunk_llm.topic_blocks import blocks, sentences
from kb_chunk_llm.topic_rules import rule_ranges
from kb_chunk_llm.topic_text import WholeText
from kb_core import CanonicalDocument, LineSpan, SourceUnit, TranscriptSegment, estimate_tokens
from kb_core.boundaries import TextRange
from kb_testing.strategies import audio_document, audio_documents

Row = tuple[int, int, str, str | None]
"""start_ms, end_ms, text, speaker."""


def whole_text(*rows: Row) -> WholeText:
    segments = [
        TranscriptSegment(start_ms=start_ms, end_ms=end_ms, text=text, speaker=speaker)
        for start_ms, end_ms, text, speaker in rows
    ]
    return WholeText(audio_document(segments).source_units())


def said(*texts: str) -> WholeText:
    return whole_text(*((1000 * at, 1000 * at + 1000, text, None) for at, text in enumerate(texts)))


def written(text: str, *, line_count: int | None = None) -> WholeText:
    """Return a text without times that begins on line 7."""
    last = 6 + (line_count or len(text.splitlines()))
    span = LineSpan(start=7, end=last)
    unit = SourceUnit(unit_id="b:0", block_id="b", text=text, span=span, kind="segment")
    return WholeText([unit])


def shown(whole: WholeText, ranges: list[TextRange]) -> list[str]:
    return [whole.text[start:end].strip() for start, end in ranges]


def all_of(whole: WholeText) -> TextRange:
    return TextRange(0, len(whole.text))


def test_a_short_text_is_one_block() -> None:
    whole = said("회의를 시작할게요.", "We deploy on Thursday.")
    assert blocks(whole, 5000) == [(0, len(whole.text))]


def test_a_transcript_without_text_has_no_block() -> None:
    assert blocks(said(), 5000) == []


def test_blocks_end_with_sentences_in_every_language() -> None:
    for sentence in ("今天讲强化学习。", "真的吗？", "好！", "오늘은 배웁니다.", "Is it so?"):
        whole = said(*[sentence] * 60)
        found = blocks(whole, 100)
        assert len(found) > 1
        assert all(text.endswith(sentence) for text in shown(whole, found))


def test_a_sentence_longer_than_a_block_is_cut_where_a_line_ends() -> None:
    whole = said("가나 다라" * 12 + "\n" + "마바 사아" * 12)
    assert shown(whole, blocks(whole, 100)) == ["가나 다라" * 12, "마바 사아" * 12]


def test_a_sentence_longer_than_a_block_is_cut_where_a_segment_ends() -> None:
    whole = said("강화 학습 " * 10, "을 배웁니다 " * 10)
    assert blocks(whole, 100)[0].char_end == len("강화 학습 " * 10) + 1


def test_a_sentence_of_one_line_is_cut_between_clauses_then_words_then_graphemes() -> None:
    clauses, words, nothing = "字" * 70 + "，" + "字" * 70, "ab " * 50, "👩‍👩‍👧" * 50
    assert shown(said(clauses), blocks(said(clauses), 100))[0] == "字" * 70 + "，"
    assert shown(said(words), blocks(said(words), 100))[0] == ("ab " * 33).strip()
    assert shown(said(nothing), blocks(said(nothing), 100))[0] == "👩‍👩‍👧" * 20


def test_a_grapheme_longer_than_a_block_is_not_let_through() -> None:
    whole = said("a" + "\u0489" * 250)
    assert [end - start for start, end in blocks(whole, 100)] == [100, 100, 51]


def test_a_sentence_may_go_on_in_the_next_segment() -> None:
    whole = said("오늘은 강화", "학습을 배웁니다. 다음은", "Q-learning입니다.")
    assert shown(whole, sentences(whole, all_of(whole))) == [
        "오늘은 강화 학습을 배웁니다.",
        "다음은 Q-learning입니다.",
    ]


def test_a_wrapped_line_is_no_sentence() -> None:
    whole = said("행동이\n무엇인지를 학습합니다.")
    assert len(sentences(whole, all_of(whole))) == 1


def test_a_long_pause_and_another_speaker_end_a_sentence_without_a_mark() -> None:
    whole = whole_text(
        (0, 1000, "so", None), (1000, 2000, "well", None), (4000, 5000, "next", None),
        (5000, 6000, "yes", "S1"),
    )  # fmt: skip
    assert shown(whole, sentences(whole, all_of(whole))) == ["so well", "next", "yes"]


def test_speech_without_punctuation_is_cut_between_segments() -> None:
    whole = said(*["word " * 20] * 12)
    found = sentences(whole, all_of(whole))
    assert len(found) > 1
    assert all(end - start <= 300 for start, end in found)
    assert {text.count("word") % 20 for text in shown(whole, found)} == {0}


def test_rules_cut_after_a_long_pause_rather_than_where_the_budget_ends() -> None:
    rows: list[Row] = [(1000 * at, 1000 * at + 900, "A sentence here.", None) for at in range(10)]
    rows[6:] = [(start + 5000, end + 5000, text, who) for start, end, text, who in rows[6:]]
    whole = whole_text(*rows)
    found = list(rule_ranges(whole, all_of(whole), 34))
    assert shown(whole, found) == [
        " ".join(["A sentence here."] * 6),
        " ".join(["A sentence here."] * 4),
    ]


def test_rules_cut_where_the_speaker_changes_rather_than_where_the_budget_ends() -> None:
    rows = [
        (1000 * at, 1000 * at + 900, "문장입니다.", "S1" if at < 5 else "S2") for at in range(9)
    ]
    whole = whole_text(*rows)
    first = next(rule_ranges(whole, all_of(whole), 30))
    assert whole.text[slice(*first)] == " ".join(["문장입니다."] * 5)


def test_rules_take_the_later_of_two_pauses() -> None:
    starts_ms = [1000 * at + 5000 * ((at > 4) + (at > 5)) for at in range(10)]
    whole = whole_text(*((ms, ms + 900, "A sentence here.", None) for ms in starts_ms))
    first = next(rule_ranges(whole, all_of(whole), 34))
    assert whole.text[slice(*first)] == " ".join(["A sentence here."] * 6)


def test_rules_take_no_place_before_half_of_what_fits() -> None:
    rows: list[Row] = [(0, 900, "A sentence here.", None)]
    rows += [(9000 + 1000 * at, 9900 + 1000 * at, "A sentence here.", None) for at in range(9)]
    whole = whole_text(*rows)
    first = next(rule_ranges(whole, all_of(whole), 34))
    assert whole.text[slice(*first)] == " ".join(["A sentence here."] * 8)


def test_rules_cut_where_a_sentence_begins_with_its_segment_rather_than_inside_of_one() -> None:
    whole = said("One two three.", "Four five six. Seven eight.", "Nine ten.")
    found = list(rule_ranges(whole, all_of(whole), 7))
    assert shown(whole, found) == ["One two three.", "Four five six. Seven eight.", "Nine ten."]


def test_rules_cut_where_a_sentence_begins_rather_than_in_the_middle_of_one() -> None:
    whole = said("word " * 39 + "end. Next " + "word " * 30, "word " * 40)
    first = next(rule_ranges(whole, all_of(whole), 89))
    assert whole.text[slice(*first)] == "word " * 39 + "end."


def test_white_space_alone_is_neither_block_nor_sentence() -> None:
    whole = said("\n\n \nIt is so." + " " * 700 + "It rains." + " " * 700, "Yes.", " \n\n No.")
    assert all(shown(whole, blocks(whole, 100)))
    assert shown(whole, sentences(whole, all_of(whole))) == [
        "It is so.",
        "It rains.",
        "Yes.",
        "No.",
    ]


def test_white_space_at_the_end_of_a_stretch_belongs_to_its_last_sentence() -> None:
    whole = whole_text((0, 1000, "so", None), (5000, 6000, "   next", None))
    assert sentences(whole, TextRange(0, 5)) == [(0, 5)]


def test_a_segment_of_which_a_stretch_holds_nothing_is_no_part_of_it() -> None:
    whole = said("a", "\u0301b")
    assert [part.unit_id for part in whole.parts(TextRange(1, 4))] == [whole.units[1].unit_id]


def test_white_space_that_bears_a_mark_is_kept_whole() -> None:
    whole = said("a. \u0301b")
    assert whole.visible(2, 5) == (2, 5)
    assert whole.visible(1, 3) == (1, 2)


def test_a_moment_is_a_time_and_without_times_a_line() -> None:
    assert whole_text((3_723_000, 3_724_000, "Hello.", None)).moment_at(2) == "01:02:03"
    assert written("Hello.").moment_at(2) == "L7"


def test_a_part_of_a_written_segment_has_the_lines_that_it_stands_on() -> None:
    whole = written("One.\nTwo.\nThree.")
    (part,) = whole.parts(TextRange(5, 16))
    assert (whole.text[5:16], part.span) == ("Two.\nThree.", LineSpan(start=8, end=9))


def test_a_part_of_a_segment_whose_lines_were_joined_has_all_of_its_lines() -> None:
    whole = written("One. Two.\nThree.", line_count=3)
    assert whole.parts(TextRange(5, 9))[0].span == LineSpan(start=7, end=9)


@settings(max_examples=60, deadline=None)
@given(document=audio_documents(), max_chars=st.integers(10, 300))
def test_blocks_hold_all_that_is_visible_once_and_are_never_too_long(
    document: CanonicalDocument, max_chars: int
) -> None:
    whole = WholeText(document.source_units())
    found = blocks(whole, max_chars)
    assert all(0 < end - start <= max_chars for start, end in found)
    _assert_all_is_held_once(whole, found)
    for block in found:
        numbered = sentences(whole, block)
        assert (numbered[0].char_start, numbered[-1].char_end) == block
        assert all(one.char_end == next_one.char_start for one, next_one in pairwise(numbered))
        assert all(shown(whole, numbered))


@settings(max_examples=60, deadline=None)
@given(document=audio_documents(), target_tokens=st.integers(1, 60))
def test_rules_hold_all_that_is_visible_once_and_keep_the_budget(
    document: CanonicalDocument, target_tokens: int
) -> None:
    whole = WholeText(document.source_units())
    found = list(rule_ranges(whole, all_of(whole), target_tokens)) if whole.units else []
    _assert_all_is_held_once(whole, found)
    for text in shown(whole, found):
        assert estimate_tokens(text) <= target_tokens or text == "👩‍👩‍👧"


def _assert_all_is_held_once(whole: WholeText, ranges: list[TextRange]) -> None:
    held = [at for start, end in ranges for at in range(start, end)]
    assert held == sorted(set(held))
    rest = set(range(len(whole.text))) - set(held)
    assert all(whole.text[at].isspace() for at in rest)
