"""What a person typed, as a lexical query. Every string is legal; there are no operators.

Words are separated by white space and each is a term: its tokens must be neighbours. Quotes around
several words make one term of them; a quote without its partner is a character like any other.
"""

from __future__ import annotations

import re

from kb_core.model import nfc
from kb_core.query import LexicalQuery, QueryTerm
from kb_text.analysis import analyze

_PHRASE_OR_WORD = re.compile(r'(?<!\S)(?:"[^"]*"|“[^”]*”)(?!\S)|\S+')
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_query(query_text: str) -> LexicalQuery:
    """Return the terms of a query, each once, in the order of their first mention.

    Text without a letter, digit or symbol to look for gives a query without terms.
    """
    terms: dict[tuple[tuple[str, ...], bool], QueryTerm] = {}
    for match in _PHRASE_OR_WORD.finditer(nfc(_SURROGATE.sub(" ", query_text))):
        term = _term(match.group())
        if term is not None:
            terms.setdefault((term.tokens, term.prefix), term)
    return LexicalQuery(terms=tuple(terms.values()))


def _term(text: str) -> QueryTerm | None:
    """Return the term, or None when nothing in `text` is indexed.

    An unspaced run at the end of a term may go on in the text, so it gives pairs only, and a single
    character is the beginning of a pair. Where something follows the run, it ends there in the
    text too, and its last character stays a token of its own.
    """
    tokens = analyze(text)
    if not tokens:
        return None
    open_ended = tokens[-1].kind == "tail"
    if open_ended and len(tokens) > 1 and tokens[-2].kind == "pair":
        del tokens[-1]
        open_ended = False
    return QueryTerm(text=text, tokens=tuple(token.token for token in tokens), prefix=open_ended)
