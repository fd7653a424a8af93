"""The fast way gives what the slow one gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_text import morphemes
from kb_text.analysis import folded_pieces, plain_text, tokens_of_pieces, tokens_of_plain
from kb_text.plain import plain_of

ALPHABET = (
    "abzAZ09 \n\t-_.,!?'\"+#C++ c#‐\u00ad"
    "가각한글배포오류ㄱㅏㅎ\u1112\u1161\u11ab회의"
    "中文合同的了予算会議でガｶﾞか゚が。！？々ー"
    "éÉñß\u0301\u0327İıﬃΣς²½Ⅷ①٣߀ไทยမြန်မာ"
    "🙂👩\u200d💻\ufe0f\u2060\ufeff🇰🇷€™"
)
TEXT = st.text(st.sampled_from(ALPHABET), max_size=60) | st.text(max_size=30)
FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


def real_texts() -> list[str]:
    texts = []
    for path in sorted(FIXTURES.rglob("*")):
        if path.suffix in (".md", ".srt", ".vtt", ".txt"):
            texts += path.read_text(encoding="utf-8", errors="replace").split("\n\n")
    return texts


def check_both_ways(text: str) -> None:
    plain = plain_text(text)
    if plain is None:
        return
    assert len(plain.folded) == len(plain.kinds) == len(text)
    assert tokens_of_plain(text, plain) == tokens_of_pieces(text, folded_pieces(text))
    for is_query in (False, True):
        fast = morphemes._of_plain(text, plain, is_query, None)
        assert fast == morphemes._of_pieces(text, is_query, None)


@given(TEXT)
@settings(max_examples=400)
def test_any_text_gives_the_same_tokens_both_ways(text: str) -> None:
    check_both_ways(text)


def test_real_texts_give_the_same_tokens_both_ways() -> None:
    texts = real_texts()
    assert len(texts) > 100
    for text in texts:
        check_both_ways(text)


def test_a_sentence_without_an_end_is_cut_at_the_same_place_both_ways() -> None:
    check_both_ways("회의 사항을 정리했다 " * 200)
    check_both_ways("회의사항" * 700)
    check_both_ways("word " * 400 + "배포오류를 논의했다. " + "관련 " * 300)


@pytest.mark.parametrize("text", ["e\u0301", "ﬃ", "ß", "a\u00adb", "ｶﾞ", "\r\n", "a\0b"])
def test_what_does_not_fold_one_to_one_goes_the_slow_way(text: str) -> None:
    assert plain_of(text) is None


def test_sentences_that_cannot_hold_a_word_need_not_be_taken_apart() -> None:
    text = "예산을 확정했다.\n배포오류를 논의했다.\n사람이 왔다."
    wanted = frozenset({"배포"})
    found = {token.token for token in morphemes.morpheme_tokens(text, wanted=wanted)}
    assert {"배포", "오류"} <= found
    assert "확정" not in found or "예산" in found
    for word in ("예산", "오류", "움직이다", "오다"):
        everything = [token for token in morphemes.morpheme_tokens(text) if token.token == word]
        some = morphemes.morpheme_tokens(text, wanted=frozenset({word}))
        assert [token for token in some if token.token == word] == everything
