"""What a person typed, taken apart. Every string is legal, and what is no operator is text.

White space separates words. `"…"`, `“…”`, `「…」` and `『…』` make a phrase of several words, or
insist on one; `-word` and `-"a phrase"` exclude. `speaker:`, `path:`, `lang:`, `type:`, `tag:` and
`module:` filter, with a minus too, and `after:` and `before:` take a day, a month or a year.

Where a reading as an operator makes no sense, the same characters are text: a quote without its
partner, an unknown field, a field without a value, an impossible date, and the minus in a query of
exclusions only, which leave nothing to exclude from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple, get_args

import regex

from kb_core.model import nfc
from kb_core.query import FieldFilter, FilterField, LexicalQuery, QueryTerm, SearchQuery
from kb_text.analysis import analyze
from kb_text.morphemes import morpheme_tokens

_QUOTE_PAIRS = ('""', "“”", "「」", "『』")
# The limit keeps the search for a missing partner short.
_QUOTED = "|".join(f"{pair[0]}[^{pair[1]}]{{0,2000}}{pair[1]}" for pair in _QUOTE_PAIRS)
_ELEMENT = regex.compile(
    rf"""(?<!\S)(?:
        (?P<minus>[-－])?(?P<field>speaker|path|lang|type|tag|module)[:：](?P<value>(?:{_QUOTED})(?!\S)|\S+)
        | (?P<bound>after|before)[:：](?P<day>(?:{_QUOTED})(?!\S)|\S+)
        | (?P<without>[-－])?(?P<phrase>{_QUOTED})(?!\S)
        | [-－](?P<unwanted>[^\s\-－]\S*)
    )
    | \S+""",
    regex.VERBOSE | regex.IGNORECASE,
)
_DATE = regex.compile(r"(\d{4})(?:([-/.])(\d{1,2})(?:\2(\d{1,2}))?)?")
_FIELDS: dict[str, FilterField] = {name: name for name in get_args(FilterField)}
_SURROGATE = regex.compile("[\ud800-\udfff]")


class _Word(NamedTuple):
    """A word or phrase of the question.

    Attributes:
        written: as it stands there, with its minus.
        term: what it means, without the minus; None when nothing in it is indexed.
    """

    written: str
    term: QueryTerm | None
    is_phrase: bool = False
    is_excluded: bool = False


class _Elements(NamedTuple):
    words: list[_Word]
    fields: list[FieldFilter]
    after: list[date]
    before: list[date]


def parse_query(query_text: str) -> SearchQuery:
    """Return the question and the wishes in `query_text`.

    Text without a letter, digit or symbol to look for, and without a filter, gives an empty query.
    Several `after:` or `before:` hold together.
    """
    found = _elements(nfc(_SURROGATE.sub(" ", query_text)))
    included = [word for word in found.words if not word.is_excluded]
    excluded = [word for word in found.words if word.is_excluded]
    has_filter = bool(found.fields or found.after or found.before)
    if not has_filter and not any(word.term for word in included):
        included = [_Word(word.written, _term(word.written)) for word in found.words]
        excluded = []
    exact = _distinct(word.term for word in included)
    text = " ".join(word.written for word in included) if exact else ""
    return SearchQuery(
        text=text,
        exact=LexicalQuery(terms=exact),
        loose=LexicalQuery(terms=_loose(exact)),
        morphemes=LexicalQuery(terms=_morphemes(text)),
        required=_distinct(word.term for word in included if word.is_phrase),
        excluded=_distinct(word.term for word in excluded),
        fields=tuple(dict.fromkeys(found.fields)),
        after=max(found.after, default=None),
        before=min(found.before, default=None),
    )


def _elements(query_text: str) -> _Elements:
    found = _Elements([], [], [], [])
    for match in _ELEMENT.finditer(query_text):
        written = match.group()
        if match["field"] and (wish := _field_filter(match)):
            found.fields.append(wish)
        elif match["bound"] and (day := parse_date(_unquoted(match["day"]))):
            (found.after if match["bound"].lower() == "after" else found.before).append(day)
        elif match["phrase"]:
            if term := _term(match["phrase"]):
                found.words.append(_Word(written, term, True, bool(match["without"])))
        elif (unwanted := _unwanted(match)) and (term := _term(unwanted)):
            found.words.append(_Word(written, term, is_excluded=True))
        else:
            found.words.append(_Word(written, _term(written)))
    return found


def _unwanted(match: regex.Match[str]) -> str | None:
    """Return the word behind a minus, also behind one that belongs to no filter after all."""
    return match["unwanted"] or (match.group()[1:] if match["minus"] else None)


def _field_filter(match: regex.Match[str]) -> FieldFilter | None:
    """Return the filter, or None when its value says nothing."""
    field, value = _FIELDS[match["field"].lower()], _unquoted(match["value"])
    says_something = value if field == "path" else analyze(value)
    if not says_something:
        return None
    return FieldFilter(field=field, value=value, excluded=bool(match["minus"]))


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] + value[-1] in _QUOTE_PAIRS:
        value = value[1:-1]
    return value.strip()


def parse_date(text: str) -> date | None:
    """Return the first day of what `text` names, such as `2026`, `2026-04` or `2026.4.27`."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, _, month, day = match.groups()
    try:
        return date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None


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


def _distinct(terms: Iterable[QueryTerm | None]) -> tuple[QueryTerm, ...]:
    """Return each term once, in the order of their first mention."""
    distinct: dict[tuple[tuple[str, ...], bool], QueryTerm] = {}
    for term in terms:
        if term is not None:
            distinct.setdefault((term.tokens, term.prefix), term)
    return tuple(distinct.values())


def _loose(terms: Sequence[QueryTerm]) -> tuple[QueryTerm, ...]:
    """Return the tokens as terms; of `c` and `c++` only the latter, which is what is meant."""
    singles: list[QueryTerm] = []
    for term in terms:
        last = len(term.tokens) - 1
        singles.extend(
            QueryTerm(text=term.text, tokens=(token,), prefix=term.prefix and place == last)
            for place, token in enumerate(term.tokens)
            if place == last or not _is_suffixed(token, term.tokens[place + 1])
        )
    return _distinct(singles)


def _is_suffixed(token: str, following: str) -> bool:
    return following.startswith(token) and following[len(token) :].strip("+#") == ""


def _morphemes(text: str) -> tuple[QueryTerm, ...]:
    tokens = morpheme_tokens(text, is_query=True)
    suffixed = {token.char_start for token in tokens if token.kind == "suffixed"}
    return _distinct(
        QueryTerm(text=text[token.char_start : token.char_end], tokens=(token.token,))
        for token in tokens
        if token.kind == "suffixed" or token.char_start not in suffixed
    )
