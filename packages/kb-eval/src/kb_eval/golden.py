"""A person's own golden file: queries and the places that should be found, one a line.

    {"query": "when do we ship?", "expect": ["meeting.m4a:00:13:42-00:14:10", "notes/a.md"]}

An expectation is a citation in any of its spellings, or a path alone where any place in that
document will do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from kb_core import (
    Citation,
    Model,
    NfcText,
    SourceSpan,
    citation_from_json,
    nfc,
    parse_citation,
)
from kb_core.errors import CitationSyntaxError, InputError
from kb_eval.jsonl import bad_line, json_lines
from kb_eval.languages import LANGUAGE_CODE, language_of_question

_MEANT_AS_CITATION = re.compile(r":(?:L|p)?\d|#(?:t=|page=|L\d)")


class _GoldenLine(Model):
    query: NfcText = Field(pattern=r"\S")
    expect: tuple[str | dict[str, Any], ...] = Field(min_length=1)
    lang: str | None = Field(default=None, pattern=LANGUAGE_CODE)


@dataclass(frozen=True, slots=True)
class Expectation:
    """A place that should be found.

    Attributes:
        path: as the person writes it.
        span: in that document; None for any place.
    """

    path: str
    span: SourceSpan | None = None

    def __str__(self) -> str:
        if self.span is None:
            return self.path
        return Citation(path=self.path, span=self.span).to_human()


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """A line of the file.

    Attributes:
        number: of the line, from 1.
    """

    number: int
    text: str
    lang: str
    expected: tuple[Expectation, ...]

    @property
    def query_id(self) -> str:
        """The number of its line."""
        return str(self.number)


def read_golden(path: Path) -> list[GoldenQuery]:
    """Read a golden file.

    Raises:
        InputError: it cannot be read, has a line that makes no sense, or no line at all.
    """
    queries = list(_queries(path))
    if not queries:
        raise InputError(
            path, "no query in it", hint='a line is {"query": "…", "expect": ["notes/a.md:L3-L9"]}'
        )
    return queries


def _queries(path: Path) -> Iterator[GoldenQuery]:
    for number, line in json_lines(path, _GoldenLine):
        try:
            expected = tuple(dict.fromkeys(map(_expectation, line.expect)))
        except CitationSyntaxError as error:
            raise bad_line(path, number, error.message, hint=error.hint) from error
        lang = line.lang or language_of_question(line.query, path.stem)
        yield GoldenQuery(number, line.query, lang, expected)


def _expectation(written: str | Mapping[str, Any]) -> Expectation:
    if isinstance(written, str):
        return _from_text(written)
    if set(written) == {"path"} and isinstance(written["path"], str) and written["path"]:
        return Expectation(nfc(written["path"]))
    citation = citation_from_json(written)
    return Expectation(citation.path, citation.span)


def _from_text(text: str) -> Expectation:
    try:
        citation = parse_citation(text)
    except CitationSyntaxError:
        if not text.strip() or _MEANT_AS_CITATION.search(text):
            raise
        return Expectation(nfc(text))
    return Expectation(citation.path, citation.span)
