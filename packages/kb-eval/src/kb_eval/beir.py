"""Sets with a corpus, queries and graded judgements, in folders of the shape that BEIR made usual.

`corpus.jsonl` has `_id`, `text` and often `title`; `queries.jsonl` has `_id`, `text` and, here, may
have `lang`; `qrels/SPLIT.tsv` has query, document and grade, parted by tabs, below a heading.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from kb_app.text_library import CorpusText
from kb_core import NfcText
from kb_core.errors import InputError
from kb_eval.jsonl import bad_line, json_lines, text_lines
from kb_eval.languages import LANGUAGE_CODE, language_of_question

_Id = Annotated[str, Field(min_length=1, coerce_numbers_to_str=True)]


class _CorpusLine(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: _Id = Field(alias="_id")
    title: NfcText | None = None
    text: NfcText


class _QueryLine(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: _Id = Field(alias="_id")
    text: NfcText
    lang: str | None = Field(default=None, pattern=LANGUAGE_CODE)


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query and how well documents answer it.

    Attributes:
        grades: by document id; at least one is 1 or more.
    """

    query_id: str
    text: str
    lang: str
    grades: dict[str, int]


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """A corpus and the queries that its judgements are about.

    Attributes:
        queries: in order of their ids.
        passed_over: queries without a relevant document.
        missing_documents: judged relevant and not in the corpus.
    """

    texts: tuple[CorpusText, ...]
    queries: tuple[JudgedQuery, ...]
    passed_over: int
    missing_documents: int


def read_judged_set(folder: Path, split: str) -> JudgedSet:
    """Read a set.

    Raises:
        InputError: a file is missing or has a line that makes no sense, or nothing is relevant.
    """
    texts = _read_corpus(folder / "corpus.jsonl")
    queries = _read_queries(folder / "queries.jsonl")
    judgements = folder / "qrels" / f"{split}.tsv"
    grades: dict[str, dict[str, int]] = {}
    for number, (query_id, doc_id, grade) in _read_judgements(judgements):
        if query_id not in queries:
            raise bad_line(judgements, number, f"no query {query_id!r} in queries.jsonl")
        if grades.setdefault(query_id, {}).setdefault(doc_id, grade) != grade:
            raise bad_line(judgements, number, "another grade than above")
    relevant = {query_id: each for query_id, each in grades.items() if max(each.values()) > 0}
    if not relevant:
        raise InputError(judgements, "it judges no document relevant")
    wanted = {doc for each in relevant.values() for doc, grade in each.items() if grade > 0}
    return JudgedSet(
        texts=tuple(texts.values()),
        queries=tuple(
            _judged(query, relevant[query_id], folder.name)
            for query_id, query in sorted(queries.items())
            if query_id in relevant
        ),
        passed_over=len(grades) - len(relevant),
        missing_documents=len(wanted - texts.keys()),
    )


def _judged(query: _QueryLine, grades: dict[str, int], set_name: str) -> JudgedQuery:
    lang = query.lang or language_of_question(query.text, set_name)
    return JudgedQuery(query.id, query.text, lang, grades)


def _read_corpus(path: Path) -> dict[str, CorpusText]:
    texts: dict[str, CorpusText] = {}
    for number, line in json_lines(path, _CorpusLine):
        if line.id in texts:
            raise bad_line(path, number, f"a second document {line.id!r}")
        text = f"{line.title}\n{line.text}" if line.title else line.text
        texts[line.id] = CorpusText(line.id, text)
    return texts


def _read_queries(path: Path) -> dict[str, _QueryLine]:
    queries: dict[str, _QueryLine] = {}
    for number, line in json_lines(path, _QueryLine):
        if line.id in queries:
            raise bad_line(path, number, f"a second query {line.id!r}")
        queries[line.id] = line
    return queries


def _read_judgements(path: Path) -> Iterator[tuple[int, tuple[str, str, int]]]:
    for number, line in text_lines(path):
        fields = line.split("\t")
        try:
            query_id, doc_id, grade = fields
            yield number, (query_id, doc_id, int(grade))
        except ValueError as error:
            if number > 1:
                reason = "not query, document and whole grade, parted by tabs"
                raise bad_line(path, number, reason) from error
