"""Words, meaning, filters, groups and merged moments."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_core import SearchHit, TimeSpan
from kb_search import PassageRetriever
from kb_testing.documents import make_note, make_recording
from kb_testing.retriever_conformance import RETRIEVER_CHECKS

MakeRetriever = Callable[..., PassageRetriever]
BUDGET = make_note("notes/2026-04-27.md", ["the budget is late", "coffee and cake"])
TALK = make_recording(
    "talks/monday.m4a",
    [(0, 4000, "the budget is fine", "Kim Minsu"), (5000, 9000, "we need coffee", "Lee")],
    segments_per_chunk=1,
)


def texts(hits: list[SearchHit]) -> list[str]:
    return [hit.passage.chunk.text for hit in hits]


@pytest.mark.parametrize("name", RETRIEVER_CHECKS)
def test_search_by_words_conforms(name: str, make_retriever: MakeRetriever) -> None:
    RETRIEVER_CHECKS[name](make_retriever)


@given(st.text(), st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)))
@settings(max_examples=50)
def test_any_query_over_any_text_gives_hits_and_no_error(query: str, paragraphs: list[str]) -> None:
    from kb_search import PassageRetriever
    from kb_testing.memory_store import MemoryStore
    from kb_text import index_text, morpheme_text

    store = MemoryStore(
        lambda text: index_text(text).split(), lambda text: morpheme_text(text).split()
    )
    store.put_document(make_note("a.md", paragraphs))
    for hit in PassageRetriever(store, store, mode="lexical").search(query, limit=5):
        assert hit.snippet


def test_words_and_meaning_find_more_than_words(make_retriever: MakeRetriever) -> None:
    documents = [make_note("a.md", ["budget talk", "talk of money", "snow in winter"])]
    words = make_retriever(documents, "lexical").search("budget", limit=10)
    both = make_retriever(documents, "hybrid").search("budget", limit=10)
    assert texts(words) == ["budget talk"]
    assert texts(both)[0] == "budget talk"
    assert set(texts(both)) >= set(texts(words))
    assert both[0].score_kind == "fused"
    assert [each.leg for each in both[0].legs] == ["exact", "pairs", "morphemes", "meaning"]
    assert [each.rank for each in both[0].legs] == [1, 1, 1, 1]


def test_one_ranking_alone_says_what_its_score_is(make_retriever: MakeRetriever) -> None:
    for mode, kind in (("pairs", "bm25"), ("morphemes", "bm25"), ("vector", "cosine")):
        hit = make_retriever([BUDGET], mode).search("budget", limit=1)[0]
        assert hit.score_kind == kind
        assert hit.score == hit.legs[0].score
    assert make_retriever([BUDGET], "lexical", "rrf").search("cake", limit=1)[0].score_kind == "rrf"


def test_a_compound_is_found_by_its_parts_and_the_other_way_round(
    make_retriever: MakeRetriever,
) -> None:
    documents = [make_note("a.md", ["어제 배포 오류가 있었다", "어제 배포오류를 고쳤다", "날씨"])]
    retriever = make_retriever(documents)
    for query in ("배포오류", "배포 오류"):
        assert len(retriever.search(query, limit=10)) == 2
        assert retriever.search(query, limit=10)[0].highlights


def test_a_word_within_another_one_comes_last(make_retriever: MakeRetriever) -> None:
    notes = ["회의사항을 정리했다 회의사항", "의사가 약을 주었다"]
    hits = make_retriever([make_note("a.md", notes)]).search("의사", limit=10)
    assert texts(hits)[0] == notes[1]


def test_phrases_are_required_and_exclusions_hold(make_retriever: MakeRetriever) -> None:
    documents = [make_note("a.md", ["late budget", "budget is late", "late train"])]
    for mode in ("lexical", "hybrid"):
        retriever = make_retriever(documents, mode)
        assert texts(retriever.search('"late budget"', limit=10)) == ["late budget"]
        assert "late train" not in texts(retriever.search("late -train", limit=10))
        assert texts(retriever.search('late -"is late" -train', limit=10)) == ["late budget"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("budget speaker:kim", ["the budget is fine"]),
        ("budget speaker:lee", []),
        ("budget -speaker:kim", ["the budget is late"]),
        ("budget path:talks", ["the budget is fine"]),
        ("budget -path:talks/*", ["the budget is late"]),
        ("budget type:md", ["the budget is late"]),
        ("budget type:recording", ["the budget is fine"]),
        ("budget after:2026-04-28", []),
        ("budget before:2026-04-28 type:md", ["the budget is late"]),
        ("budget tag:testing type:md", ["the budget is late"]),
        ("budget tag:nothing", []),
        ("speaker:kim", ["the budget is fine"]),
        ("path:notes", ["the budget is late", "coffee and cake"]),
        ("speaker:nobody", []),
    ],
)
def test_filters_narrow_the_search(
    make_retriever: MakeRetriever, query: str, found: list[str]
) -> None:
    hits = make_retriever([BUDGET, TALK]).search(query, limit=10)
    assert texts(hits) == found


def test_a_filter_counts_before_the_limit(make_retriever: MakeRetriever) -> None:
    many = [make_note(f"{number}.md", ["budget budget budget"]) for number in range(300)]
    retriever = make_retriever([*many, TALK])
    assert texts(retriever.search("budget speaker:kim", limit=1)) == ["the budget is fine"]


def test_filters_alone_list_what_passes_without_a_score(make_retriever: MakeRetriever) -> None:
    (first, second) = make_retriever([BUDGET, TALK]).search("path:notes", limit=10)
    assert (first.score, first.score_kind, first.rank) == (0.0, "none", 1)
    assert second.passage.chunk.index == 1


def test_neighbouring_moments_of_one_speaker_become_one(make_retriever: MakeRetriever) -> None:
    rows = [
        (0, 4000, "the budget is late", "A"),
        (4500, 9000, "a budget of nothing", "A"),
        (9000, 14000, "budget says another", "B"),
        (60_000, 62_000, "budget at the end", "A"),
    ]
    recording = make_recording("talk.wav", rows, segments_per_chunk=1)
    hits = make_retriever([recording]).search("budget", limit=10)
    spans = {hit.citation.span: hit for hit in hits}
    merged = spans[TimeSpan(start_ms=0, end_ms=9000)]
    assert merged.citation.speaker == "A"
    assert merged.snippet == "the budget is late a budget of nothing"
    marks = [merged.snippet[mark.char_start : mark.char_end] for mark in merged.highlights]
    assert marks == ["budget", "budget"]
    assert len(merged.merged_chunk_ids) == 1
    assert set(spans) == {
        TimeSpan(start_ms=0, end_ms=9000),
        TimeSpan(start_ms=9000, end_ms=14_000),
        TimeSpan(start_ms=60_000, end_ms=62_000),
    }
    assert [hit.rank for hit in hits] == [1, 2, 3]


def test_a_merged_moment_is_no_longer_than_a_minute(make_retriever: MakeRetriever) -> None:
    rows = [(n * 14_000, n * 14_000 + 14_000, f"budget {n}", None) for n in range(10)]
    recording = make_recording("talk.wav", rows, segments_per_chunk=1)
    hits = make_retriever([recording]).search("budget", limit=10)
    for hit in hits:
        assert isinstance(hit.citation.span, TimeSpan)
        assert hit.citation.span.end_ms - hit.citation.span.start_ms <= 60_000
    assert 3 <= len(hits) <= 5


def test_what_lies_between_two_moments_keeps_them_apart(make_retriever: MakeRetriever) -> None:
    rows = [
        (0, 4000, "budget one", None),
        (4000, 9000, "something else entirely", None),
        (9000, 14_000, "budget two", None),
    ]
    recording = make_recording("talk.wav", rows, segments_per_chunk=1)
    hits = make_retriever([recording]).search("budget", limit=10)
    assert [hit.merged_chunk_ids for hit in hits] == [(), ()]


def test_hits_are_grouped_by_document_on_request(make_retriever: MakeRetriever) -> None:
    documents = [
        make_note("a.md", ["budget", "budget again and again", "the budget once more, at length"]),
        make_note("b.md", ["budget and a few words"]),
        make_note("c.md", ["a budget in a sentence that is much longer than all of the others"]),
    ]
    retriever = make_retriever(documents)
    hits = retriever.search("budget", limit=2, per_document=2)
    paths = [hit.passage.doc_path for hit in hits]
    assert paths == sorted(paths, key=paths.index)
    assert len(set(paths)) == 2
    assert paths.count("a.md") == 2
    assert [hit.rank for hit in hits] == [1, 2, 3]


@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_the_order_of_ingest_changes_nothing(make_retriever: MakeRetriever, mode: str) -> None:
    documents = [make_note(f"{n}.md", ["equal words here", f"words {n % 3}"]) for n in range(20)]
    one = make_retriever(documents, mode).search("equal words 1", limit=50)
    other = make_retriever(documents[::-1], mode).search("equal words 1", limit=50)
    assert one == other
    assert one == make_retriever(documents, mode).search("equal words 1", limit=50)
