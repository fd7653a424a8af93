import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_text import INDEXED_PUNCTUATION, analyze, index_text


def tokens_of(text: str) -> list[str]:
    return [token.token for token in analyze(text)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("covid-19", ["covid", "19"]),
        ("don't don’t", ["don", "t", "don", "t"]),
        ("a:b a.b", ["a", "b", "a", "b"]),
        (".NET", ["net"]),
        ("C++ and C#", ["c", "c++", "and", "c", "c#"]),
        ("C++17", ["c", "c++", "17"]),
        ("C + +", ["c"]),
        ("배포오류", ["배포", "포오", "오류", "류"]),
        ("GPT모델", ["gpt", "모델", "델"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー", "ー"]),
        ("人々", ["人々", "々"]),
        ("ㅋㅋㅋ", ["ㅋㅋ", "ㅋㅋ", "ㅋ"]),
        ("2026년", ["2026", "년"]),
        ("좋아👍", ["좋아", "아", "👍"]),
        ("❤️", ["❤"]),
        ("5€", ["5", "€"]),
        ("m²", ["m", "²"]),
        ("한국어·中文", ["한국", "국어", "어", "中文", "文"]),
        ("Résumé", ["résumé"]),
        ("", []),
        ("* ( \" ' - ...", []),
    ],
)
def test_text_gives_these_tokens(text: str, tokens: list[str]) -> None:
    assert tokens_of(text) == tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("ＡＢＣ１２", "abc12"),
        ("İstanbul", "istanbul"),
        ("oﬃce", "office"),
        ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("5㎏", "5kg"),
        ("exam\u00adple", "example"),
        ("ﾡ", "ㄱ"),
        ("Ⅳ", "iv"),
    ],
)
def test_spellings_that_fold_together(one: str, other: str) -> None:
    assert tokens_of(one) == tokens_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("か", "が"), ("は", "ぱ"), ("café", "cafe"), ("か", "か゚")]
)
def test_marks_are_not_folded_away(one: str, other: str) -> None:
    assert tokens_of(one) != tokens_of(other)


def test_a_character_with_a_mark_of_its_own_does_not_begin_like_its_base() -> None:
    assert not any(token.startswith("か") for token in tokens_of("か゚き"))


def test_a_ligature_keeps_the_offsets_of_its_source() -> None:
    text = "İ oﬃce"
    assert [text[t.char_start : t.char_end] for t in analyze(text)] == ["İ", "oﬃce"]


def test_a_pair_knows_where_its_first_character_ends() -> None:
    pair = analyze("x 배포")[1]
    assert (pair.char_start, pair.head_end, pair.char_end) == (2, 3, 4)


@given(st.text())
def test_decomposed_text_has_the_tokens_of_composed_text(text: str) -> None:
    assert tokens_of(unicodedata.normalize("NFD", text)) == tokens_of(
        unicodedata.normalize("NFC", text)
    )


TRICKY = st.text(alphabet="aİßﬃ가각ｶﾞか\u3099\u309a\u0301👨\u200d👩🇰🇷+# .\r\n\u00adᄒ\u1161\u11ab①")


@given(st.text() | TRICKY)
def test_token_places_are_in_order_and_inside_the_text(text: str) -> None:
    tokens = analyze(text)
    for token in tokens:
        assert 0 <= token.char_start < token.head_end <= token.char_end <= len(text)
    # By their ends: a word that a hyphen divides comes after its two halves.
    ends = [token.char_end for token in tokens]
    assert ends == sorted(ends)


@given(st.text() | TRICKY)
def test_every_token_stands_alone_as_it_stands_in_the_text(text: str) -> None:
    for token in analyze(text):
        alone = tokens_of(text[token.char_start : token.char_end])
        assert token.token in alone


@given(st.text() | TRICKY)
def test_tokens_hold_no_separator(text: str) -> None:
    assert index_text(text).split(" ") == (tokens_of(text) or [""])
    for token in analyze(text):
        ascii_signs = {c for c in token.token if c.isascii() and not c.isalnum()}
        assert ascii_signs <= set(INDEXED_PUNCTUATION)
        assert token.token == token.token.translate({c: c + 32 for c in range(65, 91)})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("an exam-\nple here", ("example", "exam", "ple", "here")),
        ("price-\nbased", ("price", "based", "pricebased")),
        ("exam\u00ad\nple", ("example",)),
        ("o\ufb03ce", ("office",)),
        ("合\n同", ("合同",)),
        ("予\n算を", ("予算",)),
    ],
)
def test_a_word_over_a_line_end_is_found_whole(text: str, words: tuple[str, ...]) -> None:
    tokens = {token.token: token for token in analyze(text)}
    for word in words:
        assert word in tokens
        stands_at = text[tokens[word].char_start : tokens[word].char_end]
        letters = unicodedata.normalize("NFKC", "".join(filter(str.isalpha, stands_at)))
        assert letters == word


@pytest.mark.parametrize("text", ["a -\nb", "1-\n2", "exam-\n\nple", "exam- ple", "배포\n오류"])
def test_other_line_ends_join_nothing(text: str) -> None:
    apart = [token.token for token in analyze(text.replace("\n", " / "))]
    assert [token.token for token in analyze(text)] == apart
