import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_text import find_matches, parse_query


def terms_of(query: str) -> list[tuple[tuple[str, ...], bool]]:
    return [(term.tokens, term.prefix) for term in parse_query(query).terms]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("covid-19", [(("covid", "19"), False)]),
        ("C++", [(("c", "c++"), False)]),
        ("AND", [(("and",), False)]),
        ('"abc', [(("abc",), False)]),
        ("(x", [(("x",), False)]),
        ("NEAR(", [(("near",), False)]),
        ("report NOT", [(("report",), False), (("not",), False)]),
        ("-report", [(("report",), False)]),
        ("*", []),
        ("  \t\n", []),
        ("배포오류", [(("배포", "포오", "오류"), False)]),
        ("배", [(("배",), True)]),
        ("GPT모델", [(("gpt", "모델"), False)]),
        ("GPT모", [(("gpt", "모"), True)]),
        ("모델GPT", [(("모델", "델", "gpt"), False)]),
        ('"foo bar" baz', [(("foo", "bar"), False), (("baz",), False)]),
        ("“배포 오류”", [(("배포", "포", "오류"), False)]),
        ("5'10\" tall", [(("5", "10"), False), (("tall",), False)]),
        ("word Word WORD", [(("word",), False)]),
        ("a\ud800b", [(("a",), False), (("b",), False)]),
    ],
)
def test_a_query_gives_these_terms(query: str, terms: list[tuple[tuple[str, ...], bool]]) -> None:
    assert terms_of(query) == terms


def test_a_term_keeps_the_words_of_the_person() -> None:
    assert [term.text for term in parse_query('Covid-19 "Foo  bar"').terms] == [
        "Covid-19",
        '"Foo  bar"',
    ]


def test_a_decomposed_query_is_the_same_query() -> None:
    assert terms_of(unicodedata.normalize("NFD", "배포 が")) == terms_of("배포 が")


@given(st.text(), st.text(), st.text(min_size=1))
def test_a_word_is_found_in_any_text_that_holds_it_between_spaces(
    before: str, after: str, word: str
) -> None:
    for term in parse_query(word).terms:
        text = unicodedata.normalize("NFC", f"{before} {term.text} {after}")
        assert find_matches(text, parse_query(term.text))


CJK = st.text(alphabet="배포오류를関于供应商会議で予算", min_size=1, max_size=6)


@given(CJK, CJK, CJK)
def test_a_part_of_a_cjk_run_is_found_inside_it(before: str, part: str, after: str) -> None:
    matches = find_matches(before + part + after, parse_query(part))
    assert (len(before), len(before) + len(part)) in {(m.char_start, m.char_end) for m in matches}
