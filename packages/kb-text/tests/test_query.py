import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import QueryTerm
from kb_core.query import SearchQuery
from kb_testing.retriever_conformance import LITERALS
from kb_text import find_matches, parse_query

Terms = list[tuple[tuple[str, ...], bool]]


def shape_of(terms: tuple[QueryTerm, ...]) -> Terms:
    return [(term.tokens, term.prefix) for term in terms]


def terms_of(query: str) -> Terms:
    return shape_of(parse_query(query).exact.terms)


def words_of(terms: tuple[QueryTerm, ...]) -> list[str]:
    return [" ".join(term.tokens) for term in terms]


def wishes_of(query: str) -> list[str]:
    return [f"{'-' * f.excluded}{f.field}={f.value}" for f in parse_query(query).fields]


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
        ("a:b", [(("a", "b"), False)]),
        ("foo:bar", [(("foo", "bar"), False)]),
        ("- report --json", [(("report",), False), (("json",), False)]),
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
def test_a_query_gives_these_terms(query: str, terms: Terms) -> None:
    assert terms_of(query) == terms


@pytest.mark.parametrize("query", LITERALS)
def test_a_literal_is_all_text(query: str) -> None:
    found = parse_query(query)
    assert found.text == query
    assert (found.required, found.excluded, found.fields) == ((), (), ())
    assert found.exact.terms
    assert find_matches(LITERALS[query], found.exact)


def test_a_term_keeps_the_words_of_the_person() -> None:
    assert [term.text for term in parse_query('Covid-19 "Foo  bar"').exact.terms] == [
        "Covid-19",
        '"Foo  bar"',
    ]


@pytest.mark.parametrize(
    "query", ['"배포 오류" 논의', "“배포 오류” 논의", "「배포 오류」 논의", "『배포 오류』 논의"]
)
def test_a_phrase_in_any_quotes_is_required_and_takes_part_in_the_rest(query: str) -> None:
    found = parse_query(query)
    assert words_of(found.required) == ["배포 포 오류"]
    assert words_of(found.exact.terms) == ["배포 포 오류", "논의"]
    assert words_of(found.loose.terms) == ["배포", "포", "오류", "논의"]
    assert words_of(found.morphemes.terms) == ["배포", "오류", "논의"]
    assert found.text == query


def test_a_single_word_in_quotes_is_required() -> None:
    assert words_of(parse_query('"budget" plan').required) == ["budget"]


@pytest.mark.parametrize("query", ['""', '"*"', '-""', "「」"])
def test_quotes_around_nothing_are_ignored(query: str) -> None:
    assert parse_query(query) == SearchQuery()
    assert parse_query(f"{query} word") == parse_query("word")


def test_a_minus_excludes_words_and_phrases() -> None:
    found = parse_query('budget -draft plan -"old  numbers" －covid-19')
    assert words_of(found.excluded) == ["draft", "old numbers", "covid 19"]
    assert words_of(found.exact.terms) == ["budget", "plan"]
    assert found.text == "budget plan"


def test_exclusions_alone_are_text() -> None:
    found = parse_query('-report -"send today"')
    assert found.text == '-report -"send today"'
    assert words_of(found.exact.terms) == ["report", "send today"]
    assert (found.required, found.excluded) == ((), ())


@pytest.mark.parametrize("filter_text", ["lang:ko", "-lang:ko", "after:2026"])
def test_exclusions_beside_a_filter_exclude(filter_text: str) -> None:
    found = parse_query(f"-report {filter_text}")
    assert words_of(found.excluded) == ["report"]
    assert found.text == ""


def test_every_filter_is_taken_out_of_the_text() -> None:
    query = (
        'Speaker:"Kim Minsu" -speaker:lee PATH:a/*.md lang：ko type:md tag:#x/y'
        " -module:dnd/scenes what now"
    )
    assert wishes_of(query) == [
        "speaker=Kim Minsu",
        "-speaker=lee",
        "path=a/*.md",
        "lang=ko",
        "type=md",
        "tag=#x/y",
        "-module=dnd/scenes",
    ]
    assert parse_query(query).text == "what now"


@pytest.mark.parametrize(
    "query",
    ["speaker:", "tag:#", 'path:""', "lang:?", "after:2026-13", "before:2026-02-30", "after:soon"],
)
def test_a_filter_that_says_nothing_is_text(query: str) -> None:
    found = parse_query(f"{query} word")
    assert found.text == f"{query} word"
    assert (found.fields, found.after, found.before) == ((), None, None)


def test_a_minus_before_what_is_no_filter_excludes_its_words() -> None:
    assert words_of(parse_query("x -speaker: -after:2026").excluded) == ["speaker", "after 2026"]


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2026", date(2026, 1, 1)),
        ("2026-04", date(2026, 4, 1)),
        ("2026/4/27", date(2026, 4, 27)),
        ("2026.04.27", date(2026, 4, 27)),
        ('"2026-04-27"', date(2026, 4, 27)),
    ],
)
def test_a_date_is_its_first_day(written: str, day: date) -> None:
    found = parse_query(f"after:{written} before:{written}")
    assert (found.after, found.before, found.text) == (day, day, "")


def test_several_dates_hold_together() -> None:
    found = parse_query("after:2026-03 after:2025 before:2027 before:2026-05")
    assert (found.after, found.before) == (date(2026, 3, 1), date(2026, 5, 1))


def test_loose_terms_are_single_tokens_with_the_open_end_kept() -> None:
    assert shape_of(parse_query("배포오류 GPT모 배포").loose.terms) == [
        (("배포",), False),
        (("포오",), False),
        (("오류",), False),
        (("gpt",), False),
        (("모",), True),
    ]


def test_a_word_with_a_symbol_does_not_become_the_word_alone() -> None:
    found = parse_query("c++")
    assert words_of(found.loose.terms) == words_of(found.morphemes.terms) == ["c++"]


def test_a_decomposed_query_is_the_same_query() -> None:
    query = "배포 が speaker:김 -회의"
    assert parse_query(unicodedata.normalize("NFD", query)) == parse_query(query)


SIGNS = ["-", '"', "“", "”", "「", "」", " ", "*", "\ud800", "\u3000"]
WORDS = [
    "speaker:",
    "path：",
    "after:",
    "before:2026",
    "2026-13",
    "tag:#",
    "배포",
    "word",
    "予算",
    "供应商",
    "c++",
]
OPERATORS = st.lists(st.sampled_from(SIGNS + WORDS), max_size=12).map("".join)


@given(st.text() | OPERATORS)
def test_any_text_is_a_query_and_always_the_same_one(text: str) -> None:
    found = parse_query(text)
    assert found == parse_query(text)
    assert set(found.required) <= set(found.exact.terms)
    assert all(len(term.tokens) == 1 for term in found.loose.terms + found.morphemes.terms)
    if found.excluded:
        assert found.exact.terms or found.fields or found.after or found.before


@given(st.text() | OPERATORS)
def test_no_word_is_lost(text: str) -> None:
    found = parse_query(text)
    says_something = found.exact.terms or found.fields or found.after or found.before
    assert says_something or not terms_of(text.translate(dict.fromkeys(map(ord, '-"'), " ")))


@given(st.text(), st.text(), st.text(min_size=1))
def test_a_word_is_found_in_any_text_that_holds_it_between_spaces(
    before: str, after: str, word: str
) -> None:
    for term in parse_query(word).exact.terms:
        text = unicodedata.normalize("NFC", f"{before} {term.text} {after}")
        assert find_matches(text, parse_query(term.text).exact)


CJK = st.text(alphabet="배포오류를关于供应商会议で予算", min_size=1, max_size=6)


@given(CJK, CJK, CJK)
def test_a_part_of_a_cjk_run_is_found_inside_it(before: str, part: str, after: str) -> None:
    matches = find_matches(before + part + after, parse_query(part).exact)
    assert (len(before), len(before) + len(part)) in {(m.char_start, m.char_end) for m in matches}
