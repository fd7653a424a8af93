import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kb_core.query import LexicalLeg
from kb_testing.retriever_conformance import WITHOUT_SPACES
from kb_text import (
    INDEXED_PUNCTUATION,
    analyze,
    find_matches,
    morpheme_text,
    morpheme_tokens,
    parse_query,
)
from kb_text.analyser import Analyse, LazyAnalyser
from kb_text.japanese import JAPANESE

HAS_JAPANESE = JAPANESE.get() is not None
needs_japanese = pytest.mark.skipif(not HAS_JAPANESE, reason="the extra `ja` is not installed")


def words_of(text: str) -> list[str]:
    return [token.token for token in morpheme_tokens(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("배포오류를 논의했다", ["배포", "오류", "논의"]),
        ("배포 오류를 논의했다", ["배포", "오류", "논의"]),
        ("의사가 왔다", ["의사", "오다"]),
        ("회의사항", ["회의", "사항"]),
        ("데이터베이스", ["데이터베이스", "데이터", "베이스"]),
        ("GPT모델로 빨리", ["gpt", "모델", "빨리"]),
        ("2026년", ["2026", "년"]),
        ("ㅋㅋㅋ", []),
        ("关于供应商合同", ["关于", "供应商", "供应", "合同"]),
        ("合\n同", ["合同"]),
        ("running tests, RUN TEST", ["run", "test", "run", "test"]),
        ("résumés", ["résumés"]),
        ("C++17 don't", ["c++", "c", "17", "don", "t"]),
        ("exam-\nple", ["exampl", "exam", "ple"]),
        ("좋아👍 5€", ["좋다", "👍", "5", "€"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("배포 合同 budgets", ["배포", "合同", "budget"]),
        ("* ( \" ' - ...", []),
    ],
)
def test_text_gives_these_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@needs_japanese
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("予算を確認した", ["予算", "確認", "為る"]),
        ("ｻｰﾊﾞｰへ行きました", ["サーバー", "行く"]),
        ("東京に会う人と逢う人", ["東京", "会う", "人", "会う", "人"]),
    ],
)
def test_japanese_words_are_in_dictionary_form(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@needs_japanese
def test_han_without_kana_is_japanese_among_japanese_sentences() -> None:
    assert words_of("国家公務員。それは何ですか。") != words_of("国家公務員。")
    assert words_of("国家公務員。")[0] == "国家"
    chinese = "关于供应商合同的讨论已经结束。" * 3
    assert words_of(f"{chinese}サーバー。")[:-1] == words_of(chinese)


@needs_japanese
def test_a_query_of_han_alone_has_the_words_of_both_languages() -> None:
    asked = {token.token for token in morpheme_tokens("国家公務員", is_query=True)}
    in_chinese = set(words_of("国家公務員"))
    in_japanese = set(words_of("国家公務員の")) - {"の"}
    assert in_chinese != in_japanese
    assert asked == in_chinese | in_japanese


def test_an_analyser_that_cannot_be_loaded_leaves_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> Analyse:
        raise ImportError("no wheel for this machine")

    for language in ("KOREAN", "CHINESE", "JAPANESE"):
        name = f"_{language}"
        found = getattr(sys.modules["kb_text.morphemes"], name)
        monkeypatch.setattr(
            f"kb_text.morphemes.{name}", found._replace(analyser=LazyAnalyser(load))
        )
    text = "배포오류 合同 予算を tests"
    pairs = [token.token for token in analyze(text)]
    assert words_of(text) == [*pairs[:-1], "test"]


def test_an_analyser_is_loaded_once_by_many_threads() -> None:
    loads: list[int] = []

    def load() -> Analyse:
        loads.append(1)
        return lambda text: []

    analyser = LazyAnalyser(load)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: analyser.get(), range(64)))
    assert len(loads) == 1
    assert len(set(map(id, found))) == 1


def test_many_threads_find_the_same_words() -> None:
    texts = [f"배포오류 {n}번 논의했다. 关于供应商。予算を確認した running" for n in range(200)]
    expected = [morpheme_text(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(morpheme_text, texts)) == expected


def test_importing_loads_no_analyser() -> None:
    program = (
        "import sys, kb_text; kb_text.analyze('배포 合同 予算を tests');"
        "print([n for n in ('mecab', 'rjieba', 'fugashi', 'Stemmer') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


TRICKY = st.text(
    alphabet="배포오류회의사왔다가ᄒ\u1161ㄴ合同供应商的予算確々をしタｶﾞか\u309a𠮷aZß"
    "+#.!。 \n\r\t\0\u3000👍5€ไท"
)
TEXTS = st.text() | TRICKY


@given(TEXTS)
@example("가" * 2500)
@example("丁" * 2500)
@example("ア" * 2500)
def test_words_stand_in_order_inside_the_text(text: str) -> None:
    tokens = morpheme_tokens(text)
    for token in tokens:
        assert 0 <= token.char_start < token.char_end <= len(text)
        assert token.char_start < token.head_end <= token.char_end
    places = [(token.char_start, -token.char_end) for token in tokens]
    assert places == sorted(places)


@given(TEXTS)
def test_words_hold_no_separator(text: str) -> None:
    assert morpheme_text(text).split(" ") == (words_of(text) or [""])
    for word in words_of(text):
        ascii_signs = {c for c in word if c.isascii() and not c.isalnum()}
        assert ascii_signs <= set(INDEXED_PUNCTUATION)
        assert word == unicodedata.normalize("NFC", word) != ""


@given(TEXTS)
def test_decomposed_text_has_the_words_of_composed_text(text: str) -> None:
    assert words_of(unicodedata.normalize("NFD", text)) == words_of(
        unicodedata.normalize("NFC", text)
    )


NOUNS = st.sampled_from(["배포", "오류", "회의", "예산", "合同", "供应商", "budget"])
GAPS = st.text(alphabet=" \n\t.!", min_size=1, max_size=400)


@given(st.lists(st.tuples(GAPS, NOUNS), min_size=1, max_size=6))
def test_a_noun_stands_where_it_is_written(parts: list[tuple[str, str]]) -> None:
    text = "".join(gap + noun for gap, noun in parts)
    written = {noun for _, noun in parts}
    marked = [text[t.char_start : t.char_end] for t in morpheme_tokens(text)]
    assert [mark for mark in marked if mark in written] == [noun for _, noun in parts]
    assert set(marked) - written <= {"供应"}


def test_a_fused_form_has_the_place_of_the_whole() -> None:
    text = "그 사람이 왔다"
    (_, came) = morpheme_tokens(text)
    assert (came.token, text[came.char_start : came.char_end]) == ("오다", "왔")


@pytest.mark.parametrize(("word", "row"), WITHOUT_SPACES.items())
def test_a_word_is_found_in_its_row_by_either_leg(word: str, row: str) -> None:
    query = parse_query(word)
    pairs = find_matches(row, query.exact)
    words = find_matches(row, query.morphemes, leg="morphemes")
    assert [row[match.char_start : match.char_end] for match in pairs] == [word]
    assert word in [row[match.char_start : match.char_end] for match in words]


@pytest.mark.parametrize(("query", "text"), [("배포오류", "배포 오류"), ("배포 오류", "배포오류")])
def test_a_compound_is_found_however_it_is_spaced(query: str, text: str) -> None:
    terms = parse_query(query).morphemes
    found = find_matches(text, terms, leg="morphemes")
    assert {match.term for match in found} == set(range(len(terms.terms)))


def test_a_word_is_not_found_across_the_border_of_two_others() -> None:
    doctor = parse_query("의사")
    assert find_matches("회의사항", doctor.exact)
    assert not find_matches("회의사항", doctor.morphemes, leg="morphemes")
    assert find_matches("그는 의사였다", doctor.morphemes, leg="morphemes")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_character_with_a_mark_is_not_found_without_it(form: Literal["NFC", "NFD"]) -> None:
    text = unicodedata.normalize(form, "ガイドが必要です")
    for leg in get_args(LexicalLeg):
        for query, is_there in (("ガイド", True), ("が", leg == "pairs"), ("か", False)):
            asked = parse_query(unicodedata.normalize("NFD" if form == "NFC" else "NFC", query))
            terms = asked.exact if leg == "pairs" else asked.morphemes
            assert bool(find_matches(text, terms, leg=leg)) == is_there
