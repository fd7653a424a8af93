import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import PageSpan, PassageUnit, TimeSpan
from kb_core.query import SearchQuery
from kb_text import Excerpt, excerpt, parse_query


def units_of(texts: list[str]) -> tuple[str, list[PassageUnit]]:
    units, start = [], 0
    for number, text in enumerate(texts):
        span = TimeSpan(start_ms=number * 1000, end_ms=number * 1000 + 900)
        end = start + len(text)
        units.append(PassageUnit(unit_id=f"b:{number}", char_start=start, char_end=end, span=span))
        start = end + 1
    return " ".join(texts), units


def excerpt_of(texts: list[str], query: str) -> Excerpt:
    text, units = units_of(texts)
    return excerpt(text, units, parse_query(query))


def marked(found: Excerpt) -> list[str]:
    return [found.snippet[h.char_start : h.char_end] for h in found.highlights]


FILLER = "nothing of interest was said in this rather long stretch of the talk " * 4
LONG = ("as said before " * 14).strip()


def test_a_short_text_is_shown_whole_with_its_matches() -> None:
    found = excerpt_of(["어제 회의에서", "배포오류를 논의했다"], "오류")
    assert found.snippet == "어제 회의에서 배포오류를 논의했다"
    assert marked(found) == ["오류"]
    assert (found.unit_start, found.unit_end) == (0, 2)


@pytest.mark.parametrize("query", ["배", "포", "를"])
def test_a_single_character_is_marked_alone(query: str) -> None:
    assert marked(excerpt_of(["배포를 했다"], query)) == [query]


@pytest.mark.parametrize(
    ("text", "query", "marks"),
    [
        ("배포 오류가 났다", "배포오류", ["배포", "오류"]),
        ("the meetings were late", "meeting", ["meetings"]),
        ("사람이 왔다", "오다", ["왔"]),
        (
            "어제 배포에서 오류가 났다",
            "배포에서 나온 오류를 어떻게 고치나요",
            ["배포에서", "오류"],
        ),
        ("讨论了很多合同", "供应商合同的讨论", ["讨论", "合同"]),
        ("포오", "배포오류", ["포오"]),
    ],
)
def test_other_forms_are_marked_where_the_words_are_not(
    text: str, query: str, marks: list[str]
) -> None:
    assert marked(excerpt_of([text], query)) == marks


def test_what_stands_there_as_it_was_written_wins_over_another_form() -> None:
    found = excerpt_of(["budgets", FILLER, "budget"], "budget meeting")
    assert (found.unit_start, found.unit_end) == (2, 3)


def test_pairs_of_characters_are_marked_only_where_no_word_is() -> None:
    assert marked(excerpt_of(["사람에게서 예산을 받았다"], "친구에게서 예산이 왔나")) == ["예산"]


def test_stop_words_do_not_choose_the_excerpt_and_are_not_marked() -> None:
    found = excerpt_of(["what is the", FILLER, "budget of the year"], "what is the budget")
    assert marked(found) == ["budget"]
    assert (found.unit_start, found.unit_end) == (2, 3)
    assert marked(excerpt_of(["what is the matter"], "what is the budget")) == []


@pytest.mark.parametrize("query", ["AND", "this and that", 'budget "and that"'])
def test_stop_words_are_marked_when_they_are_meant(query: str) -> None:
    assert "and" in " ".join(marked(excerpt_of(["this and that"], query)))


def test_overlapping_matches_are_one_highlight() -> None:
    assert marked(excerpt_of(["배포오류"], "배포오 포오류")) == ["배포오류"]


def test_a_phrase_over_two_units_cites_both() -> None:
    found = excerpt_of([f"{LONG} two", f"three {LONG}", LONG], '"two three"')
    assert (found.unit_start, found.unit_end) == (0, 2)
    assert found.snippet == f"{LONG} two three {LONG}…"


def test_a_phrase_over_a_unit_that_is_too_long_cites_what_is_shown() -> None:
    found = excerpt_of([LONG, FILLER * 2 + "two", "three", LONG], '"two three"')
    assert (found.unit_start, found.unit_end) == (1, 3)
    assert found.snippet.endswith("two three…")
    assert len(found.snippet) <= 242


def test_more_distinct_terms_win_over_more_matches() -> None:
    found = excerpt_of(["budget budget budget", FILLER, "budget friday"], "budget friday")
    assert (found.unit_start, found.unit_end) == (2, 3)


def test_more_matches_win_over_a_shorter_run() -> None:
    found = excerpt_of(["budget", FILLER, "the budget of the budget"], "budget")
    assert (found.unit_start, found.unit_end) == (2, 3)


def test_a_shorter_run_wins_over_an_earlier_one() -> None:
    found = excerpt_of(["the budget of today", FILLER, "budget"], "budget")
    assert (found.unit_start, found.unit_end) == (2, 3)


def test_the_earliest_of_equals_wins() -> None:
    found = excerpt_of(["budget", FILLER, "budget", FILLER, "budget"], "budget")
    assert (found.unit_start, found.unit_end) == (0, 1)


def test_a_run_ends_where_no_whole_neighbour_fits() -> None:
    found = excerpt_of([FILLER, "budget", "and", "friday", FILLER], "budget friday")
    assert (found.unit_start, found.unit_end) == (1, 4)
    assert found.snippet == "…budget and friday…"


def test_a_run_grows_to_both_sides_as_long_as_it_fits() -> None:
    found = excerpt_of([LONG, "yes", "the budget", "no", LONG], "budget")
    assert (found.unit_start, found.unit_end) == (1, 5)
    assert found.snippet == f"…yes the budget no {LONG}"


def test_a_run_does_not_grow_over_a_change_of_speaker() -> None:
    text, units = units_of(["one", "two", "three", "four"])
    speakers = ["A", "B", "B", None]
    units = [
        unit.model_copy(update={"speaker": speaker})
        for unit, speaker in zip(units, speakers, strict=True)
    ]
    assert excerpt(text, units, parse_query("two")).snippet == "…two three…"
    assert excerpt(text, units, parse_query("four")).snippet == "…four"


def test_a_run_keeps_to_one_page() -> None:
    text, units = units_of(["one", "two", "three", "four"])
    pages = [PageSpan(page=page) for page in (1, 2, 2, 3)]
    units = [
        unit.model_copy(update={"span": page}) for unit, page in zip(units, pages, strict=True)
    ]
    assert excerpt(text, units, parse_query("three")).snippet == "…two three…"
    assert excerpt(text, units, parse_query("one four")).snippet == "one…"


def test_units_that_share_a_place_are_cited_together() -> None:
    text, units = units_of(["one", "two"])
    units = [
        unit.model_copy(update={"char_start": 0, "char_end": len(text), "speaker": str(number)})
        for number, unit in enumerate(units)
    ]
    for query in ("two", "nothing"):
        found = excerpt(text, units, parse_query(query))
        assert (found.unit_start, found.unit_end, found.snippet) == (0, 2, "one two")


def test_a_long_unit_is_cut_between_words_around_the_match() -> None:
    found = excerpt_of(["before", f"{FILLER}the budget {FILLER}", "after"], "budget")
    assert found.snippet.startswith("…")
    assert found.snippet.endswith("…")
    assert marked(found) == ["budget"]
    assert len(found.snippet) <= 242
    assert set(found.snippet.strip("…").split()) <= set(f"{FILLER} the budget".split())
    assert (found.unit_start, found.unit_end) == (1, 2)


def test_a_match_deep_in_one_long_unit_is_shown() -> None:
    found = excerpt_of(
        [FILLER * 3 + "budget one " + FILLER + "budget friday " + FILLER], "friday budget"
    )
    assert marked(found) == ["budget", "friday"]


def test_nothing_is_cut_inside_a_grapheme() -> None:
    family = "👨‍👩‍👧"
    found = excerpt_of([family * 300], family)
    inner = found.snippet.strip("…")
    assert inner == family * (len(inner) // len(family))


def test_without_a_match_the_beginning_is_shown_and_cited() -> None:
    text, units = units_of(["one", "two", FILLER, FILLER])
    found = excerpt(text, units, SearchQuery())
    assert (found.unit_start, found.unit_end) == (0, 2)
    assert found.highlights == ()
    assert found.snippet == "one two…"


WORDS = st.lists(
    st.sampled_from(["budget", "friday", "배포오류", "x" * 90, "İzmir", "and", "👍"]), min_size=1
)


@given(st.lists(WORDS.map(" ".join), min_size=1, max_size=12))
def test_snippet_and_highlights_agree_with_the_text(texts: list[str]) -> None:
    text, units = units_of(texts)
    found = excerpt(text, units, parse_query("budget 오류 İzmir 👍"))
    inner = found.snippet.removeprefix("…").removesuffix("…")
    assert inner in text
    assert len(found.snippet) <= 242
    shown = units[found.unit_start : found.unit_end]
    if all(unit.char_end - unit.char_start <= 240 for unit in shown):
        assert inner == text[shown[0].char_start : shown[-1].char_end]
    else:
        assert len(shown) == 1
        assert inner in text[shown[0].char_start : shown[0].char_end]
    assert set(marked(found)) <= {"budget", "오류", "İzmir", "👍"}
    if any(word in text for word in ("budget", "오류", "İzmir", "👍")):
        assert found.highlights
