"""The fast way gives what the slow one gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_text import morphemes
from kb_text.analysis import folded_pieces, plain_text, tokens_of_pieces, tokens_of_plain
from kb_text.folding import fold
from kb_text.plain import kinds_without, plain_of

ALPHABET = (
    "abzAZ09 \n\t-_.,!?'\"+#C++ c#‐\u00ad"
    "가각한글배포오류ㄱㅏㅎ\u1112\u1161\u11ab회의"
    "中文合同的了予算会議でガｶﾞか゚が。！？々ー"
    "éÉñß\u0301\u0327İıﬃΣς²½Ⅷ①٣߀ไทยမြန်မာ"
    "🙂👩\u200d💻\ufe0f\u2060\ufeff🇰🇷€™ｱＡ１㉠㌔ﾡ\u0085\u2028\u3000\r\0"
)
# One character that joins makes a text go the slow way, so long texts need an alphabet without.
PLAIN_ALPHABET = "".join(char for char in ALPHABET if plain_of(char) is not None)
SENTENCES = st.sampled_from(
    [
        "배포오류를 논의했다. ",
        "会議で予算を",
        "供应商合同。",
        "c++ ",
        "price-\nbased ",
        "사람이 왔다\n",
    ]
)
TEXT = (
    st.text(st.sampled_from(ALPHABET), max_size=60)
    | st.text(st.sampled_from(PLAIN_ALPHABET), max_size=200)
    | st.lists(st.sampled_from(PLAIN_ALPHABET) | SENTENCES, max_size=40).map("".join)
    | st.text(max_size=30)
)
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


@given(st.text(st.sampled_from(PLAIN_ALPHABET), max_size=200))
def test_characters_that_fold_one_to_one_do_so_side_by_side(text: str) -> None:
    plain = plain_of(text)
    assert plain is not None
    assert kinds_without(text, ()) == plain.kinds
    pieces = list(fold(text))
    assert [piece[0] for piece in pieces] == list(plain.folded)
    assert [piece[2] for piece in pieces] == list(range(len(text)))


@given(TEXT, st.booleans())
def test_the_words_of_any_text_are_in_the_same_order_both_ways(text: str, is_query: bool) -> None:
    fast = morphemes.morphemes_of(text, plain_text(text), is_query=is_query)
    assert fast == morphemes.morphemes_of(text, None, is_query=is_query)


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


SENTENCES_OF_FORMS = (
    "그를 불렀다. 서둘러 올라왔다. 내일은 움직여 보자. "
    "友達に逢いました。東京に行きます。합의. 合同供应商。"
)
FORMS = ("부르다", "서두르다", "올라오다", "움직이다", "会う", "行く", "合同", "내일", "東京")


@pytest.mark.parametrize("word", FORMS)
def test_a_word_is_found_in_any_form_where_only_it_is_wanted(word: str) -> None:
    text = SENTENCES_OF_FORMS
    everything = [token for token in morphemes.morpheme_tokens(text) if token.token == word]
    some = morphemes.morpheme_tokens(text, wanted=frozenset({word}))
    assert [token for token in some if token.token == word] == everything
