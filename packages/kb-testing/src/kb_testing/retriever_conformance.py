"""What every retriever must do, as checks that take a factory of retrievers over documents."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import partial

from kb_core import LineSpan, SearchHit, TimeSpan, parse_citation
from kb_core.ports.retriever import Retriever
from kb_core.ports.store import IngestedDocument
from kb_testing.documents import SegmentRow, make_note, make_recording

MakeRetriever = Callable[[Sequence[IngestedDocument]], Retriever]
RetrieverCheck = Callable[[MakeRetriever], None]

MEETING = make_recording(
    "meetings/monday.m4a",
    [
        (0, 4000, "good morning everyone", "S1"),
        (4000, 9500, "the budget for the deployment is late", "S2"),
        (9500, 14250, "we will talk about it on friday", "S2"),
        (20000, 26000, "and there is coffee", None),
    ],
    segments_per_chunk=4,
)

LITERALS = {
    "covid-19": "the covid-19 rules changed",
    "don't": "we don't know",
    "a:b": "the ratio a:b matters",
    "C++": "written in C++ and fast",
    "AND": "this and that",
    '"abc': "the abc of it",
    "(x": "f(x) is continuous",
    "NEAR(": "it is near the end",
    "report NOT": "the report is not done",
    "a.b": "open a.b please",
    "-report": "send the report today",
}
"""Queries, each with the text of a note that it must find."""

WITHOUT_SPACES = {
    "배포": "어제 회의에서 배포오류를 논의했다",
    "오류": "어제 회의에서 배포오류를 논의했다",
    "合同": "关于供应商合同的讨论",
    "供应商": "关于供应商合同的讨论",
    "予算": "会議で予算を確認した",
}
"""Words inside runs without spaces, each with the one row that it must find."""


def found_texts(retriever: Retriever, query_text: str) -> list[str]:
    """Return the texts of the chunks that are found, best first."""
    return [hit.passage.chunk.text for hit in retriever.search(query_text, limit=10)]


def marked(hit: SearchHit) -> list[str]:
    """Return the highlighted parts of a snippet."""
    return [hit.snippet[mark.char_start : mark.char_end] for mark in hit.highlights]


def check_a_literal_is_found(make_retriever: MakeRetriever, query_text: str) -> None:
    """Ask for one of `LITERALS`."""
    retriever = make_retriever([make_note("a.md", [*LITERALS.values(), "nothing else here"])])
    assert LITERALS[query_text] in found_texts(retriever, query_text)
    assert "nothing else here" not in found_texts(retriever, query_text)


def check_a_word_without_spaces_hits_its_row(make_retriever: MakeRetriever, word: str) -> None:
    """Ask for one of `WITHOUT_SPACES`."""
    retriever = make_retriever([make_note("a.md", sorted(set(WITHOUT_SPACES.values())))])
    (hit,) = retriever.search(word, limit=10)
    assert hit.passage.chunk.text == WITHOUT_SPACES[word]
    assert marked(hit) == [word]


def check_nothing_to_look_for_finds_nothing(make_retriever: MakeRetriever) -> None:
    """Ask with blanks and with signs that are not indexed."""
    retriever = make_retriever([MEETING, make_note("a.md", ["* a star"])])
    for query_text in ("", "   ", "\t\n", "\u3000", "*", '"', "()", "\0", "\ud800"):
        assert retriever.search(query_text, limit=10) == []


def check_a_symbol_limits_to_the_word_with_it(make_retriever: MakeRetriever) -> None:
    """Ask for C++ among many a c."""
    retriever = make_retriever([make_note("a.md", ["vitamin c", "we use C++17", "C# or c"])])
    assert found_texts(retriever, "c++") == ["we use C++17"]
    assert found_texts(retriever, "C#") == ["C# or c"]
    assert len(found_texts(retriever, "c")) == 3


def check_both_normal_forms_find_each_other(make_retriever: MakeRetriever) -> None:
    """Store one form, ask in the other; a base does not find its marked sibling."""
    text = "ガイドが必要です 배포 résumé"
    for stored, asked in (("NFC", "NFD"), ("NFD", "NFC")):
        note = make_note("한글/각.md", [unicodedata.normalize(stored, text)])  # type: ignore[arg-type]
        retriever = make_retriever([note])
        for word in ("ガイド", "が", "배포", "résumé"):
            assert found_texts(retriever, unicodedata.normalize(asked, word))  # type: ignore[arg-type]
        assert found_texts(retriever, "か") == []
        assert found_texts(retriever, "resume") == []


def check_the_citation_is_the_moment_not_the_chunk(make_retriever: MakeRetriever) -> None:
    """Ask for one word, then for two in neighbouring segments."""
    retriever = make_retriever([MEETING])
    (hit,) = retriever.search("budget", limit=10)
    assert hit.citation.path == "meetings/monday.m4a"
    assert hit.citation.span == TimeSpan(start_ms=4000, end_ms=14250)
    assert hit.citation.speaker == "S2"
    assert marked(hit) == ["budget"]
    (both,) = retriever.search("budget friday", limit=10)
    assert both.citation.span == TimeSpan(start_ms=4000, end_ms=14250)
    assert both.citation.speaker == "S2"
    assert parse_citation(both.citation.to_human()) == both.citation.rounded()


def check_a_short_recording_is_shown_and_cited_whole(make_retriever: MakeRetriever) -> None:
    """Ask for a word of either half of eleven seconds."""
    rows = [
        (0, 8000, "and so my fellow citizens", None),
        (8000, 11000, "ask what you can do", None),
    ]
    retriever = make_retriever([make_recording("speech.wav", rows)])
    for word in ("citizens", "ask"):
        (hit,) = retriever.search(word, limit=10)
        assert hit.snippet == "and so my fellow citizens ask what you can do"
        assert hit.citation.span == TimeSpan(start_ms=0, end_ms=11000)


def check_exactly_what_is_shown_is_cited(make_retriever: MakeRetriever) -> None:
    """Ask for every word of a long talk: no shown word lies outside of the cited time."""
    rows: list[SegmentRow] = [
        (n * 4000, n * 4000 + 3500, f"word{n} " + "filler " * (n % 9 * 5) + f"end{n}", f"S{n // 7}")
        for n in range(40)
    ]
    retriever = make_retriever([make_recording("talk.wav", rows, segments_per_chunk=20)])
    for number, row in enumerate(rows):
        (hit,) = retriever.search(f"word{number}", limit=10)
        span = hit.citation.span
        assert isinstance(span, TimeSpan)
        cited = [each for each in rows if span.start_ms <= each[0] and each[1] <= span.end_ms]
        assert row in cited
        assert span == TimeSpan(start_ms=cited[0][0], end_ms=cited[-1][1])
        assert span.end_ms - span.start_ms <= 15000
        assert {each[3] for each in cited} == {hit.citation.speaker}
        if len(row[2]) <= 240:
            assert hit.snippet.strip("…") == " ".join(each[2] for each in cited)
        else:
            assert cited == [row]
            assert hit.snippet.strip("…") in row[2]


def check_context_is_added_after_and_before_in_turn(make_retriever: MakeRetriever) -> None:
    """Ask for the middle one of seven short segments, of which three fit into a moment."""
    names = ("one", "two", "three", "four", "five", "six", "seven")
    rows = [(n * 4000, n * 4000 + 4000, name, None) for n, name in enumerate(names)]
    retriever = make_retriever([make_recording("count.wav", rows, segments_per_chunk=7)])
    (middle,) = retriever.search("four", limit=10)
    assert middle.snippet == "…three four five…"
    assert middle.citation.span == TimeSpan(start_ms=8000, end_ms=20000)
    (last,) = retriever.search("seven", limit=10)
    assert last.snippet == "…five six seven"


def check_a_segment_that_is_too_long_is_cut_and_cited_alone(make_retriever: MakeRetriever) -> None:
    """Ask for a word near the end of a long segment between two short ones."""
    long = "filler " * 60 + "needle here"
    rows = [(0, 1000, "before", None), (1000, 9000, long, None), (9000, 10000, "after", None)]
    (hit,) = make_retriever([make_recording("long.wav", rows)]).search("needle", limit=10)
    assert hit.citation.span == TimeSpan(start_ms=1000, end_ms=9000)
    assert hit.snippet.startswith("…filler ")
    assert hit.snippet.endswith(" needle here…")


def check_a_speaker_is_named_only_when_all_agree(make_retriever: MakeRetriever) -> None:
    """Ask for words of two speakers, of one beside another, and of nobody known."""
    retriever = make_retriever([MEETING])
    (alone,) = retriever.search("morning", limit=10)
    assert (alone.citation.speaker, alone.snippet) == ("S1", "good morning everyone…")
    (mixed,) = retriever.search("morning budget", limit=10)
    assert mixed.citation.speaker is None
    (unknown,) = retriever.search("coffee", limit=10)
    assert unknown.citation.speaker is None
    assert unknown.snippet == "…and there is coffee"
    (half_known,) = retriever.search("friday coffee", limit=10)
    assert half_known.citation.speaker is None


def check_lines_are_cited_like_times(make_retriever: MakeRetriever) -> None:
    """Ask for paragraphs of a note that share a chunk, short ones and long ones."""
    note = make_note("n.md", ["red apple", "green", "red wine"], paragraphs_per_chunk=3)
    (short,) = make_retriever([note]).search("green", limit=10)
    assert short.citation.span == LineSpan(start=1, end=5)
    assert short.snippet == short.passage.chunk.text
    texts = [f"{name} " + "filler " * 25 for name in ("red", "green", "blue")]
    note = make_note("n.md", [text.strip() for text in texts], paragraphs_per_chunk=3)
    (long,) = make_retriever([note]).search("green", limit=10)
    assert long.citation.span == LineSpan(start=3, end=3)
    assert long.snippet == f"…{texts[1].strip()}…"


def check_all_terms_come_before_any_term(make_retriever: MakeRetriever) -> None:
    """Ask for two words; what has both is first, and nothing is there twice."""
    texts = ["red red red red", "red apple in a very long sentence about fruit", "apple"]
    retriever = make_retriever([make_note("a.md", texts)])
    hits = retriever.search("red apple", limit=10)
    assert hits[0].passage.chunk.text == texts[1]
    assert sorted(hit.passage.chunk.text for hit in hits) == sorted(texts)
    assert [hit.rank for hit in hits] == [1, 2, 3]
    for limit in (1, 2, 3):
        assert retriever.search("red apple", limit=limit) == hits[:limit]
    assert retriever.search("red apple", limit=0) == []


def check_the_same_bytes_at_two_paths_are_both_cited(make_retriever: MakeRetriever) -> None:
    """Ask for a word of a file that is there twice, with two equal paragraphs."""
    texts = ["equal words", "equal words"]
    retriever = make_retriever([make_note("one.md", texts), make_note("two.md", texts)])
    hits = retriever.search("equal", limit=10)
    assert sorted(hit.citation.to_human() for hit in hits) == [
        "one.md:L1",
        "one.md:L3",
        "two.md:L1",
        "two.md:L3",
    ]
    assert len({hit.passage.chunk.chunk_id for hit in hits}) == 4


def check_asking_twice_gives_the_same(make_retriever: MakeRetriever) -> None:
    """Ask retrievers that were filled in opposite order."""
    documents = [MEETING, *(make_note(f"{n}.md", ["the budget", "late budget"]) for n in range(5))]
    one, other = make_retriever(documents), make_retriever(documents[::-1])
    for limit in (1, 4, 50):
        hits = one.search("the budget", limit=limit)
        assert (
            hits == one.search("the budget", limit=limit) == other.search("the budget", limit=limit)
        )


RETRIEVER_CHECKS: dict[str, RetrieverCheck] = {
    check.__name__: check
    for check in (
        check_nothing_to_look_for_finds_nothing,
        check_a_symbol_limits_to_the_word_with_it,
        check_both_normal_forms_find_each_other,
        check_the_citation_is_the_moment_not_the_chunk,
        check_a_short_recording_is_shown_and_cited_whole,
        check_exactly_what_is_shown_is_cited,
        check_context_is_added_after_and_before_in_turn,
        check_a_segment_that_is_too_long_is_cut_and_cited_alone,
        check_a_speaker_is_named_only_when_all_agree,
        check_lines_are_cited_like_times,
        check_all_terms_come_before_any_term,
        check_the_same_bytes_at_two_paths_are_both_cited,
        check_asking_twice_gives_the_same,
    )
}
RETRIEVER_CHECKS.update(
    {f"finds {query}": partial(check_a_literal_is_found, query_text=query) for query in LITERALS}
)
RETRIEVER_CHECKS.update(
    {
        f"finds {word}": partial(check_a_word_without_spaces_hits_its_row, word=word)
        for word in WITHOUT_SPACES
    }
)
