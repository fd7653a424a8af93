"""Which documents and speakers the filters of a query allow.

Text is compared folded, as in a search. Where several names could be meant, a closer one wins:
`speaker:S1` is S1 and not S10, and `speaker:kim` is Kimberly only where nobody is called Kim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

import regex

from kb_core.media import TRANSCRIPT_TYPES
from kb_core.query import DocumentFacts, FilterField, SearchQuery, SearchScope
from kb_text.folding import PieceKind, fold
from kb_text.query import parse_date

_Test = Callable[[DocumentFacts], bool]

_TYPE_ALIASES: dict[str, frozenset[str]] = {
    "md": frozenset({"markdown"}),
    "txt": frozenset({"text"}),
    "transcript": TRANSCRIPT_TYPES,
    "recording": frozenset({"audio", "video"}),
}
_YEAR = r"(?<!\d)((?:19|20)\d\d)"
_DATES_IN_NAMES = regex.compile(
    rf"{_YEAR}([-_.])(\d\d?)\2(\d\d?)(?!\d)"
    rf"|{_YEAR}\s*[년年]\s*(\d\d?)\s*[월月]\s*(\d\d?)\s*[일日]"
    rf"|{_YEAR}(\d\d)(\d\d)(?:\d\d\d\d(?:\d\d)?)?(?!\d)"  # perhaps with the time of day
)


def scope_of(query: SearchQuery, facts: Callable[[], Sequence[DocumentFacts]]) -> SearchScope:
    """Return what may be found.

    A speaker whom nobody is called gives an empty set of them, so that nothing is found.

    Args:
        query: the whole question.
        facts: of all documents; called only when a filter needs them.
    """
    about_facts = [wish for wish in query.fields if wish.field != "module"]
    needs_facts = bool(about_facts or query.after or query.before)
    known = facts() if needs_facts else ()
    names = sorted({name for each in known for name in each.speakers})
    wanted = [wish for wish in query.fields if wish.field == "speaker" and not wish.excluded]
    unwanted = [wish for wish in query.fields if wish.field == "speaker" and wish.excluded]
    return SearchScope(
        doc_ids=matching_documents(query, known),
        speakers=_speakers_called([wish.value for wish in wanted], names) if wanted else None,
        without_speakers=_speakers_called([wish.value for wish in unwanted], names),
        modules=_modules_named(query, excluded=False) or None,
        without_modules=_modules_named(query, excluded=True),
        required=query.required,
        excluded=query.excluded,
    )


def matching_documents(query: SearchQuery, facts: Iterable[DocumentFacts]) -> frozenset[str] | None:
    """Return the ids of the documents that the filters allow, or None when none is asked for.

    Speakers and modules are not looked at: they are a matter of single passages.
    """
    wanted: dict[FilterField, list[_Test]] = {}
    unwanted: list[_Test] = []
    for wish in query.fields:
        if wish.field not in ("speaker", "module"):
            test = _TESTS[wish.field](wish.value)
            if wish.excluded:
                unwanted.append(test)
            else:
                wanted.setdefault(wish.field, []).append(test)
    if not (wanted or unwanted or query.after or query.before):
        return None
    return frozenset(
        each.doc_id
        for each in facts
        if all(any(test(each) for test in tests) for tests in wanted.values())
        and not any(test(each) for test in unwanted)
        and _is_in_time(each, query.after, query.before)
    )


def document_date(facts: DocumentFacts) -> date:
    """Return the day of a document: what it says, what its path says, or its file's last change.

    Of several parts of the path with a date, the last one counts.
    """
    created = _day_of(facts.created) if facts.created else None
    return created or _date_in_path(facts.doc_path) or facts.modified_on


def _is_in_time(facts: DocumentFacts, after: date | None, before: date | None) -> bool:
    if after is None and before is None:
        return True
    day = document_date(facts)
    return (after is None or after <= day) and (before is None or day < before)


def _day_of(written: str) -> date | None:
    try:
        return datetime.fromisoformat(written.strip()).date()
    except ValueError:
        return parse_date(written.strip())


def _date_in_path(path: str) -> date | None:
    for part in reversed(PurePosixPath(path).parts):
        for match in _DATES_IN_NAMES.finditer(part):
            year, month, day = (int(group) for group in match.groups() if group and group.isdigit())
            try:
                return date(year, month, day)
            except ValueError:
                continue
    return None


def _modules_named(query: SearchQuery, *, excluded: bool) -> frozenset[str]:
    return frozenset(
        wish.value.casefold()
        for wish in query.fields
        if wish.field == "module" and wish.excluded is excluded
    )


def _speakers_called(values: Iterable[str], names: Sequence[str]) -> frozenset[str]:
    return frozenset(name for value in values for name in _closest_names(value, names))


def _closest_names(value: str, names: Sequence[str]) -> list[str]:
    asked = _folded_words(value)
    words_of = {name: _folded_words(name) for name in names}
    same = [name for name in names if words_of[name] == asked]
    with_words = [name for name in names if set(asked) <= set(words_of[name])]
    with_beginnings = [
        name
        for name in names
        if all(any(word.startswith(start) for word in words_of[name]) for start in asked)
    ]
    return same or with_words or with_beginnings


def _folded(text: str) -> str:
    return "".join(folded for folded, _, _, _ in fold(text))


def _folded_words(text: str) -> list[str]:
    return "".join(
        " " if kind is PieceKind.SEPARATOR else folded for folded, kind, _, _ in fold(text)
    ).split()


def _path_test(value: str) -> _Test:
    wanted = _folded(value)
    if "*" in wanted or "?" in wanted:
        pattern = wanted.replace("[", "[[]")
        return lambda facts: fnmatchcase(_folded(facts.doc_path), pattern)
    return lambda facts: wanted in _folded(facts.doc_path)


def _language_test(value: str) -> _Test:
    wanted = _primary_subtag(value)
    return lambda facts: any(_primary_subtag(language) == wanted for language in facts.languages)


def _primary_subtag(language: str) -> str:
    return language.casefold().replace("_", "-").partition("-")[0]


def _type_test(value: str) -> _Test:
    wanted = _folded(value).removeprefix(".")
    kinds = _TYPE_ALIASES.get(wanted, frozenset()) | {wanted}

    def test(facts: DocumentFacts) -> bool:
        extension = _folded(PurePosixPath(facts.doc_path).suffix).removeprefix(".")
        family = facts.media_type.partition("/")[0]
        return not kinds.isdisjoint({facts.media_type, family}) or extension == wanted

    return test


def _tag_test(value: str) -> _Test:
    wanted = _folded(value).lstrip("#").rstrip("/")

    def test(facts: DocumentFacts) -> bool:
        tags = [_folded(tag).lstrip("#") for tag in facts.tags]
        return any(tag == wanted or tag.startswith(f"{wanted}/") for tag in tags)

    return test


_TESTS: dict[FilterField, Callable[[str], _Test]] = {
    "path": _path_test,
    "lang": _language_test,
    "type": _type_test,
    "tag": _tag_test,
}
