from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core.query import EVERYTHING, DocumentFacts, SearchScope
from kb_text import document_date, matching_documents, parse_query, scope_of

MODIFIED = date(2020, 1, 2)


def facts_of(path: str, media_type: str = "text", **more: object) -> DocumentFacts:
    return DocumentFacts.model_validate(
        {
            "doc_id": path,
            "doc_path": path,
            "media_type": media_type,
            "modified_on": MODIFIED,
            **more,
        }
    )


MEETING = facts_of(
    "meetings/2026-04-27 주간회의.m4a",
    "audio/mp4",
    languages=("ko", "en"),
    speakers=("Kim Minsu", "S1", "김민수"),
)
LECTURE = facts_of(
    "Lectures/week1/Intro[1].mp4", "video/mp4", languages=("en",), speakers=("S10", "Kimberly Lee")
)
CAPTIONS = facts_of("talk.en.srt", "subtitle", languages=("pt-BR",), created="2026-05-01")
NOTE = facts_of("notes/plan.md", "markdown", languages=("ko",), tags=("project/kb", "Idea"))
ALL = (MEETING, LECTURE, CAPTIONS, NOTE)


def found(query: str) -> list[DocumentFacts]:
    ids = matching_documents(parse_query(query), ALL)
    assert ids is not None
    return [each for each in ALL if each.doc_id in ids]


@pytest.mark.parametrize(
    ("query", "documents"),
    [
        ("path:LECTURES/", [LECTURE]),
        ("path:주간", [MEETING]),
        ("path:*.md", [NOTE]),
        ("path:lectures/**/*.mp4", [LECTURE]),
        ("path:*intro[1]*", [LECTURE]),
        ("path:talk.??.srt", [CAPTIONS]),
        ("path:*plan", []),
        ("lang:ko", [MEETING, NOTE]),
        ("lang:EN-us", [MEETING, LECTURE]),
        ("lang:pt", [CAPTIONS]),
        ("type:audio", [MEETING]),
        ("type:audio/mp4", [MEETING]),
        ("type:.M4A", [MEETING]),
        ("type:recording", [MEETING, LECTURE]),
        ("type:transcript", [CAPTIONS]),
        ("type:srt", [CAPTIONS]),
        ("type:md", [NOTE]),
        ("type:markdown", [NOTE]),
        ("tag:project", [NOTE]),
        ("tag:#Project/KB", [NOTE]),
        ("tag:proj", []),
        ("tag:idea", [NOTE]),
        ("-type:recording", [CAPTIONS, NOTE]),
        ("lang:ko lang:pt", [MEETING, CAPTIONS, NOTE]),
        ("lang:ko type:audio", [MEETING]),
        ("lang:ko -path:plan", [MEETING]),
        ("after:2026", [MEETING, CAPTIONS]),
        ("after:2026-04-27 before:2026-05-01", [MEETING]),
        ("before:2026-04-27", [LECTURE, NOTE]),
        ("speaker:nobody after:2026-05", [CAPTIONS]),
    ],
)
def test_filters_allow_these_documents(query: str, documents: list[DocumentFacts]) -> None:
    assert found(query) == documents


@pytest.mark.parametrize("query", ["", "words", "speaker:kim", "word -other"])
def test_without_a_document_filter_every_document_is_allowed(query: str) -> None:
    assert matching_documents(parse_query(query), ALL) is None


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("2026-04-27.m4a", date(2026, 4, 27)),
        ("20260427_1530 call.m4a", date(2026, 4, 27)),
        ("20260427153000.m4a", date(2026, 4, 27)),
        ("rec_2026_4_7.m4a", date(2026, 4, 7)),
        ("2026.04.27.m4a", date(2026, 4, 27)),
        ("회의 2026년 4월 27일.m4a", date(2026, 4, 27)),
        ("会议2026年4月27日.m4a", date(2026, 4, 27)),
        ("2026-04-27/talk.m4a", date(2026, 4, 27)),
        ("2026-04-27/2026-05-01 talk.m4a", date(2026, 5, 1)),
        ("2026-13-01 2026-12-01.m4a", date(2026, 12, 1)),
        ("12345678.m4a", MODIFIED),
        ("120260427.m4a", MODIFIED),
        ("2026-04_27.m4a", MODIFIED),
    ],
)
def test_a_path_gives_this_date(path: str, day: date) -> None:
    assert document_date(facts_of(path)) == day


@pytest.mark.parametrize(
    ("created", "day"),
    [
        ("2026-06-01", date(2026, 6, 1)),
        ("2026-06-01T23:30:00-09:00", date(2026, 6, 1)),
        ("2026-06", date(2026, 6, 1)),
        ("last summer", date(2026, 4, 27)),
    ],
)
def test_what_a_document_says_of_its_date_comes_first(created: str, day: date) -> None:
    assert document_date(facts_of("2026-04-27.md", created=created)) == day


def scope(query: str) -> SearchScope:
    return scope_of(parse_query(query), lambda: ALL)


@pytest.mark.parametrize(
    ("query", "speakers"),
    [
        ('speaker:"kim minsu"', {"Kim Minsu"}),
        ("speaker:MINSU", {"Kim Minsu"}),
        ("speaker:kim", {"Kim Minsu"}),
        ("speaker:ki", {"Kim Minsu", "Kimberly Lee"}),
        ("speaker:s1", {"S1"}),
        ("speaker:김민수", {"김민수"}),
        ("speaker:s1 speaker:lee", {"S1", "Kimberly Lee"}),
        ("speaker:insu", set()),
    ],
)
def test_speakers_are_the_closest_names(query: str, speakers: set[str]) -> None:
    assert scope(query) == SearchScope(speakers=frozenset(speakers))
    assert scope(f"-{query}").without_speakers >= speakers if " " not in query else True


def test_phrases_and_exclusions_reach_the_scope() -> None:
    query = parse_query('"old plan" -draft type:md')
    assert scope_of(query, lambda: ALL) == SearchScope(
        doc_ids=frozenset({NOTE.doc_id}), required=query.required, excluded=query.excluded
    )


def test_without_filters_nobody_asks_for_facts() -> None:
    def facts() -> Sequence[DocumentFacts]:
        raise AssertionError

    assert scope_of(parse_query("what is new"), facts) == EVERYTHING


def test_modules_are_named_by_their_keys_and_need_no_facts() -> None:
    def facts() -> Sequence[DocumentFacts]:
        raise AssertionError

    asked = parse_query("gate module:DnD/Scenes module:audio-segment-v1 -module:transcript/topics")
    assert scope_of(asked, facts) == SearchScope(
        modules=frozenset({"dnd/scenes", "audio-segment-v1"}),
        without_modules=frozenset({"transcript/topics"}),
    )


VALUES = st.text(alphabet="aK*?[]!/\\.#-:배김2026 \"'", max_size=8)


@given(st.sampled_from(["path", "lang", "type", "tag", "speaker", "module"]), VALUES)
def test_any_filter_gives_the_same_scope_in_any_order(field: str, value: str) -> None:
    query = parse_query(f'{field}:"{value}" -{field}:{value}')
    assert scope_of(query, lambda: ALL) == scope_of(query, lambda: ALL[::-1])


@given(VALUES)
def test_a_document_is_allowed_or_excluded_by_a_filter(value: str) -> None:
    wanted = matching_documents(parse_query(f'path:"{value}"'), ALL)
    unwanted = matching_documents(parse_query(f'-path:"{value}"'), ALL)
    if wanted is not None and unwanted is not None:
        assert wanted | unwanted == {each.doc_id for each in ALL}
        assert not wanted & unwanted
