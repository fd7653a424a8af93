"""Sets of queries are read whole, or their file and line are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kb_core import LineSpan, PageSpan, TimeSpan
from kb_core.errors import InputError, UnreadableFile
from kb_eval.beir import read_judged_set
from kb_eval.golden import Expectation, read_golden
from kb_eval.languages import language_of_question

CORPUS = [{"_id": "d1", "title": "Ships", "text": "They sail."}, {"_id": "d2", "text": "항구"}]
QUERIES: list[dict[str, Any]] = [
    {"_id": "q2", "text": "항구는 어디?"},
    {"_id": "q1", "text": "who sails?", "metadata": {}},
    {"_id": 3, "text": "nobody asked", "lang": "fr"},
]
JUDGEMENTS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "ships-en"
    (path / "qrels").mkdir(parents=True)
    write_lines(path / "corpus.jsonl", CORPUS)
    write_lines(path / "queries.jsonl", QUERIES)
    (path / "qrels" / "test.tsv").write_text(JUDGEMENTS, encoding="utf-8")
    return path


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_set_has_the_queries_that_are_judged_by_their_ids(folder: Path) -> None:
    judged = read_judged_set(folder, "test")
    assert [(text.doc_id, text.text) for text in judged.texts] == [
        ("d1", "Ships\nThey sail."),
        ("d2", "항구"),
    ]
    assert [(query.query_id, query.lang, query.grades) for query in judged.queries] == [
        ("q1", "en", {"d1": 2, "d2": 0}),
        ("q2", "ko", {"d2": 1}),
    ]
    assert (judged.passed_over, judged.missing_documents) == (0, 0)


def test_what_cannot_be_found_is_counted(folder: Path) -> None:
    more = "3\td1\t0\nq2\tgone\t1\nq2\tunneeded\t0\n"
    (folder / "qrels" / "dev.tsv").write_text(JUDGEMENTS + more, encoding="utf-8")
    judged = read_judged_set(folder, "dev")
    assert len(judged.queries) == 2
    assert (judged.passed_over, judged.missing_documents) == (1, 1)


def test_numbers_as_ids_and_judgements_without_a_heading_are_fine(folder: Path) -> None:
    (folder / "qrels" / "test.tsv").write_bytes(b"\xef\xbb\xbf3\td1\t1\r\n")
    (query,) = read_judged_set(folder, "test").queries
    assert (query.query_id, query.lang, query.grades) == ("3", "fr", {"d1": 1})


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("corpus.jsonl", '{"_id": "d3"}', "line 3: text: Field required"),
        ("corpus.jsonl", '{"_id": "d1", "text": "again"}', "line 3: a second document 'd1'"),
        ("corpus.jsonl", '{"_id": "d3", "text": "\\ud800"}', "line 3: Invalid JSON: "),
        ("queries.jsonl", "[" * 100_000, "line 4: Invalid JSON: "),
        ("queries.jsonl", "{", "line 4: Invalid JSON: "),
        ("queries.jsonl", "[]", "line 4: Input should be an object"),
        ("queries.jsonl", '{"_id": "q1", "text": "?"}', "line 4: a second query 'q1'"),
        ("qrels/test.tsv", "q1 d1 1", "line 5: not query, document and whole grade"),
        ("qrels/test.tsv", "q1\td1\t1.5", "line 5: not query, document and whole grade"),
        ("qrels/test.tsv", "q1\td1\t1", "line 5: another grade than above"),
        ("qrels/test.tsv", "q9\td1\t1", "line 5: no query 'q9' in queries.jsonl"),
    ],
)
def test_a_bad_line_of_a_set_is_named(folder: Path, name: str, line: str, reason: str) -> None:
    path = folder / name
    path.write_text(path.read_text(encoding="utf-8").strip() + f"\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_judged_set(folder, "test")
    assert raised.value.path == str(path)
    assert raised.value.reason.startswith(reason)


def test_a_set_without_its_files_names_the_first_missing_one(folder: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"dev\.tsv: no such file"):
        read_judged_set(folder, "dev")
    with pytest.raises(UnreadableFile, match=r"corpus\.jsonl: no such file"):
        read_judged_set(folder / "qrels", "test")
    (folder / "qrels" / "test.tsv").write_text("q1\td1\t0\n", encoding="utf-8")
    with pytest.raises(InputError, match="judges no document relevant"):
        read_judged_set(folder, "test")


def test_expectations_have_every_spelling_of_a_citation(tmp_path: Path) -> None:
    expect = [
        "meeting.m4a:00:13:42-00:14:10",
        "meeting.m4a#t=822.5,850",
        "a b/노트.md:L12-L34",
        "paper.pdf:p13",
        {"path": "x.m4a", "kind": "time", "start_ms": 5, "end_ms": 9},
        "notes/a.md",
        {"path": "odd:1.md"},
        "notes/a.md",
    ]
    path = write_lines(tmp_path / "mine.jsonl", [{"query": "when?", "expect": expect}])
    (query,) = read_golden(path)
    assert (query.query_id, query.text, query.lang) == ("1", "when?", "und")
    assert query.expected == (
        Expectation("meeting.m4a", TimeSpan(start_ms=822_000, end_ms=850_000)),
        Expectation("meeting.m4a", TimeSpan(start_ms=822_500, end_ms=850_000)),
        Expectation("a b/노트.md", LineSpan(start=12, end=34)),
        Expectation("paper.pdf", PageSpan(page=13)),
        Expectation("x.m4a", TimeSpan(start_ms=5, end_ms=9)),
        Expectation("notes/a.md"),
        Expectation("odd:1.md"),
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"query": "x"}', "line 3: expect: Field required"),
        ('{"query": " ", "expect": ["a.md"]}', "line 3: query: "),
        ('{"query": "x", "expect": []}', "line 3: expect: "),
        ('{"query": "x", "expect": "a.md"}', "line 3: expect: "),
        ('{"query": "x", "expect": ["a.md"], "language": "ko"}', "line 3: language: "),
        ('{"query": "x", "expect": ["a.md"], "lang": "Korean"}', "line 3: lang: "),
        ('{"query": "x", "expect": [""]}', "line 3: not a citation: "),
        ('{"query": "x", "expect": ["a.m4a:13:42"]}', "line 3: not a citation: a.m4a:13:42: "),
        (
            '{"query": "x", "expect": ["a.m4a:00:02:00-00:01:00"]}',
            "line 3: not a citation: a.m4a:00:02:00-00:01:00: it ends before it starts",
        ),
        ('{"query": "x", "expect": [{"path": "a", "page": 0}]}', "line 3: not a citation: "),
        ('{"query": "x", "expect": [{"path": ""}]}', "line 3: not a citation: "),
    ],
)
def test_a_bad_line_of_a_golden_file_is_named(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "mine.jsonl"
    good = '{"query": "x", "expect": ["a.md"]}'
    path.write_text(f"{good}\n\n{line}\n{good}\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_golden(path)
    assert raised.value.path == str(path)
    assert raised.value.reason.startswith(reason)


def test_a_golden_file_without_queries_or_of_other_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="no query in it"):
        read_golden(path)
    path.write_bytes(b'{"query": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        read_golden(path)


@pytest.mark.parametrize(
    ("text", "name", "language"),
    [
        ("회의는 언제야?", "set", "ko"),
        ("API Gateway란 무엇인가?", "xquad-en", "ko"),
        ("会議はいつですか", "set", "ja"),
        ("会议什么时候开始？", "xquad-en", "zh"),
        ("What does the character 道 mean in this text?", "xquad-en", "en"),
        ("when is it?", "xquad-en2zh", "und"),
        ("when is it?", "my-notes-xx", "und"),
        ("12 + 3", "golden-ko", "ko"),
        ("", "set", "und"),
    ],
)
def test_script_then_name_tell_the_language_of_a_query(text: str, name: str, language: str) -> None:
    assert language_of_question(text, name) == language
