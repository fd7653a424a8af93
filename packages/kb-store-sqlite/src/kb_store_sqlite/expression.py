"""Query terms as FTS5 expressions. Every token is quoted, so nothing typed is an operator."""

from __future__ import annotations

from collections.abc import Sequence

from kb_core.query import QueryTerm

MAX_TERMS = 1000
"""FTS5 parses an expression in time that grows with the square of its terms; what has more distinct
words than this is no question, and its first words are enough to find it."""


def all_of(terms: Sequence[QueryTerm]) -> str:
    """Return the expression for chunks with every term."""
    return " AND ".join(_phrase(term) for term in terms[:MAX_TERMS])


def any_of(terms: Sequence[QueryTerm]) -> str:
    """Return the expression for chunks with one of the terms at least."""
    return " OR ".join(_phrase(term) for term in terms[:MAX_TERMS])


def _phrase(term: QueryTerm) -> str:
    quoted = " ".join(term.tokens).replace('"', '""')
    return f'"{quoted}" *' if term.prefix else f'"{quoted}"'
