"""The normaliser forgets spelling and keeps words."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kb_eval import characters_of, normalise, words_of
from kb_eval.normalise import is_mostly_unspaced


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("And so, my fellow Americans:", ["and", "so", "my", "fellow", "americans"]),
        ("Don’t feed’st thy 'light's'!", ["dont", "feedst", "thy", "lights"]),
        ("ill-disposed, 국가/언어", ["ill", "disposed", "국가", "언어"]),
        ("ＦＵＬＬ ｗｉｄｔｈ Straße", ["full", "width", "strasse"]),
        ("zero\u200bwidth soft\u00adhyphen", ["zerowidth", "softhyphen"]),
        ("$25.50 ♪ 50%", ["25", "50", "50"]),
        ("API를 테스트", ["api를", "테스트"]),
        ("403 路公共 swapo", ["403", "路", "公", "共", "swapo"]),
        ("データ・ベース", ["デ", "ー", "タ", "ベ", "ー", "ス"]),
        ("…", []),
    ],
)
def test_words_are_what_stays_of_a_spelling(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_characters_leave_out_spaces_in_every_language() -> None:
    assert characters_of("I am. 한 옆으로") == list("iam한옆으로")


@given(st.text())
@example("ᄀ'ᅡ")
@example("a'’b’ 'İ")
def test_normalising_again_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
    assert "".join(words_of(text)) == "".join(characters_of(text))


@pytest.mark.parametrize(
    ("text", "mostly"), [("换一首歌", True), ("데이터", False), ("open 首歌", False), ("", False)]
)
def test_a_script_without_spaces_is_told_by_its_characters(text: str, mostly: bool) -> None:
    assert is_mostly_unspaced(text) is mostly
