"""A citation survives each of its spellings, whatever the file is called."""

import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from kb_core import (
    Citation,
    LineSpan,
    PageSpan,
    SourceSpan,
    TimeSpan,
    citation_from_json,
    format_clock,
    parse_citation,
)
from kb_core.errors import CitationSyntaxError
from kb_testing.strategies import citations, unicode_text

MEETING = TimeSpan(start_ms=822_150, end_ms=849_980)

HOSTILE_NAMES = [
    "a:1 #2 [x].md",
    "talk 00:10-00:20.srt",
    "talk 00:10:00-00:20:00",
    "foo\\bar.md",
    "foo/bar.md",
    "가" * 84 + ".md",
    'quoted "twice".md',
    '"all of it"',
    '"',
    "'",
    "\\",
    '\\"',
    "new\nline.md",
    "tab\t.md",
    "%41.md",
    "100%",
    " lead and trail ",
    "\u00a0hard\u00a0space",
    "a.md:L3-L9",
    "a.md#L3",
    "a.md#t=1,2",
    "paper.pdf:p13",
    "m.m4a:00:13:42-00:14:10:speaker=S1",
    "p13",
    ":p13",
    "speaker=S1",
    "👩‍👩‍👧 family.m4a",
    "\u202eevil.md",
    "C:\\notes\\a.md",
    "https://example.org/a?b=c&d#e",
    ".",
    "x\x00y\x7f",
]


def all_spellings_agree(citation: Citation) -> None:
    assert parse_citation(citation.to_human()) == citation.rounded()
    assert parse_citation(citation.to_uri()) == citation
    assert citation_from_json(citation.to_json()) == citation
    assert citation_from_json(json.loads(json.dumps(citation.to_json()))) == citation


@pytest.mark.parametrize(
    ("citation", "human", "uri"),
    [
        (
            Citation(path="meeting.m4a", span=MEETING),
            "meeting.m4a:00:13:42-00:14:10",
            "meeting.m4a#t=822.15,849.98",
        ),
        (
            Citation(path="meeting.m4a", span=MEETING, speaker="S1"),
            "meeting.m4a:00:13:42-00:14:10:speaker=S1",
            "meeting.m4a#t=822.15,849.98&speaker=S1",
        ),
        (
            Citation(path="m.m4a", span=TimeSpan(start_ms=822_000, end_ms=850_000)),
            "m.m4a:00:13:42-00:14:10",
            "m.m4a#t=822,850",
        ),
        (
            Citation(path="notes/a.md", span=LineSpan(start=12, end=34)),
            "notes/a.md:L12-L34",
            "notes/a.md#L12-L34",
        ),
        (Citation(path="a.md", span=LineSpan(start=3, end=3)), "a.md:L3", "a.md#L3"),
        (Citation(path="paper.pdf", span=PageSpan(page=13)), "paper.pdf:p13", "paper.pdf#page=13"),
        (
            Citation(path="paper.pdf", span=PageSpan(page=13, char_start=5, char_end=9)),
            "paper.pdf:p13",
            "paper.pdf#page=13&char=5,9",
        ),
        (
            Citation(path="a.md", span=LineSpan(start=1, end=2), section="결정: 하나"),
            'a.md:L1-L2:section="결정: 하나"',
            "a.md#L1-L2&section=%EA%B2%B0%EC%A0%95%3A%20%ED%95%98%EB%82%98",
        ),
        (
            Citation(path="a:1 #2 [x].md", span=LineSpan(start=1, end=1)),
            '"a:1 #2 [x].md":L1',
            "a%3A1%20%232%20%5Bx%5D.md#L1",
        ),
        (Citation(path="a#b.md", span=LineSpan(start=1, end=1)), '"a#b.md":L1', "a%23b.md#L1"),
        (Citation(path=" a.md", span=LineSpan(start=1, end=1)), '" a.md":L1', "%20a.md#L1"),
        (
            Citation(path="지난 회의.m4a", span=TimeSpan(start_ms=0, end_ms=1)),
            "지난 회의.m4a:00:00:00-00:00:01",
            "%EC%A7%80%EB%82%9C%20%ED%9A%8C%EC%9D%98.m4a#t=0,0.001",
        ),
        (
            Citation(path="long.m4a", span=TimeSpan(start_ms=360_000_000, end_ms=360_000_001)),
            "long.m4a:100:00:00-100:00:01",
            "long.m4a#t=360000,360000.001",
        ),
    ],
)
def test_spellings_are_as_documented(citation: Citation, human: str, uri: str) -> None:
    assert citation.to_human() == human
    assert citation.to_uri() == uri
    all_spellings_agree(citation)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
@pytest.mark.parametrize("span", [MEETING, LineSpan(start=3, end=9), PageSpan(page=13)])
def test_any_file_name_can_be_cited(name: str, span: SourceSpan) -> None:
    all_spellings_agree(Citation(path=name, span=span))
    all_spellings_agree(Citation(path="a.md", span=span, section=name, speaker=name))


@given(citations())
@example(Citation(path="x", span=PageSpan(page=1), section="", speaker=""))
def test_every_citation_survives_its_spellings(citation: Citation) -> None:
    all_spellings_agree(citation)


@given(unicode_text(min_size=1))
def test_a_human_citation_never_parses_to_another_path(path: str) -> None:
    citation = Citation(path=path, span=MEETING)
    assert parse_citation(citation.to_human()).path == citation.path


@given(citations())
def test_a_human_citation_is_one_line_and_covers_the_span(citation: Citation) -> None:
    assert "\n" not in citation.to_human()
    rounded = citation.rounded()
    assert rounded.rounded() == rounded
    if isinstance(citation.span, TimeSpan) and isinstance(rounded.span, TimeSpan):
        assert rounded.span.start_ms <= citation.span.start_ms
        assert rounded.span.end_ms >= citation.span.end_ms
        assert rounded.span.end_ms - citation.span.end_ms < 1000


@given(st.one_of(st.text(), st.text(':#"\\L0123456789-p=t,.&%aspeaker', max_size=30)))
@example("a:" + "9" * 5000 + ":00:00-" + "9" * 5000 + ":00:00")
@example("a:p" + "9" * 5000)
@example("a#page=" + "9" * 5000)
@example("a#t=" + "9" * 5000 + ",1")
@example('"\\ud800":p1')
@example('"unclosed:p1')
@example('"":p1')
@example("a#L1&speaker=%ff")
@example("%ff#L1")
def test_garbage_is_a_citation_or_a_syntax_error(text: str) -> None:
    citation = None
    with suppress(CitationSyntaxError):
        citation = parse_citation(text)
    if citation is not None:
        all_spellings_agree(citation)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "meeting.m4a",
        ":p13",
        "#page=1",
        "meeting.m4a:00:14:10-00:13:42",
        "meeting.m4a:00:13-00:14",
        "meeting.m4a:00:60:00-00:61:00",
        "meeting.m4a:00:13:42-00:14:10x",
        "meeting.m4a:00:13:42-00:14:10\n",
        "meeting.m4a:00:13:42-00:14:10:speaker=",
        "meeting.m4a:00:13:42-00:14:10:speaker=a:speaker=b",
        "meeting.m4a:00:13:42-00:14:10:colour=red",
        "paper.pdf:p0",
        "a.md:L9-L3",
        "a.md:L0",
        "a.md:L٣",
        "a.md#L9-L3",
        "m.m4a#t=5",
        "m.m4a#t=5,4",
        "m.m4a#t=5,6.0001",
        "paper.pdf#page=0",
        "paper.pdf#page=٣",
        "a%FF.md#L1",
        '"\\ud800":p1',
    ],
)
def test_what_is_no_citation_is_refused(text: str) -> None:
    with pytest.raises(CitationSyntaxError) as caught:
        parse_citation(text)
    assert str(caught.value).startswith("not a citation: ")
    assert caught.value.hint


def test_media_fragments_of_others_are_read() -> None:
    expected = Citation(path="a b.m4a", span=TimeSpan(start_ms=1500, end_ms=2000))
    assert parse_citation("a%20b.m4a#t=npt:1.5,2") == expected
    assert parse_citation("a%20b.m4a#t=1.50,2.000") == expected
    assert parse_citation("a%20b.m4a#t=1.5,2&xywh=0,0,1,1") == expected


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"kind": "time", "path": "a"},
        {"kind": "page", "path": "", "page": 1},
        {"kind": "hour", "path": "a", "hour": 1},
        {"kind": "time", "path": "a", "start_ms": 5, "end_ms": 4},
        {"kind": "time", "path": "a", "start_ms": -1, "end_ms": 4},
        {"kind": "line", "path": "a", "start": 1, "end": 2, "colour": "red"},
        {"kind": "line", "path": 7, "start": 1, "end": 2},
    ],
)
def test_json_that_is_no_citation_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(CitationSyntaxError):
        citation_from_json(fields)


def test_paths_in_two_unicode_spellings_make_one_citation() -> None:
    assert Citation(path="e\u0301.md", span=PageSpan(page=1)) == Citation(
        path="é.md", span=PageSpan(page=1)
    )


def test_a_path_is_never_empty() -> None:
    with pytest.raises(ValidationError):
        Citation(path="", span=MEETING)


@pytest.mark.parametrize(
    ("seconds", "clock"),
    [(0, "00:00:00"), (822, "00:13:42"), (359_999, "99:59:59"), (360_000, "100:00:00")],
)
def test_a_clock_shows_whole_hours(seconds: int, clock: str) -> None:
    assert format_clock(seconds) == clock


@pytest.mark.parametrize(
    "text", ["a.wav:00:00:03-00:00:01", "a.wav#t=3,1.5", "a.md:L9-L3", "a.md#L9-L3"]
)
def test_a_range_that_runs_backwards_is_called_that(text: str) -> None:
    with pytest.raises(CitationSyntaxError, match="it ends before it starts"):
        parse_citation(text)
