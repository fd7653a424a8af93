"""Citations: where a hit or a sentence comes from, in three spellings.

- human: `meeting.m4a:00:13:42-00:14:10:speaker=S1`, whole seconds, start floored and end ceiled, so
  that what is cited always lies inside;
- URI: `meeting.m4a#t=822.15,849.98`, W3C Media Fragments 1.0 for time, RFC 5147 `char=` and the
  `page=` of RFC 8118 for pages, `#L12-L34` for lines; the path is percent-encoded;
- JSON: the fields themselves, in milliseconds.

Each is parsed back to the same value at its resolution, for any file name: in the human form a path
or a name that could be mistaken for part of the syntax is written as a JSON string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from pydantic import Field, ValidationError

from kb_core.errors import CitationSyntaxError
from kb_core.model import Model, NfcText
from kb_core.spans import LineSpan, PageSpan, SourceSpan, TimeSpan

_NEEDS_QUOTES = re.compile(r'[:#"\s\x00-\x1f\x7f]')
_CLOCK = r"(\d{2,}):([0-5]\d):([0-5]\d)"
_HUMAN_SPAN = re.compile(
    rf"(?:{_CLOCK}-{_CLOCK}|L([1-9]\d*)(?:-L([1-9]\d*))?|p([1-9]\d*))(?=:|$)", re.ASCII
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_EXTRA = re.compile(r'(section|speaker)=("(?:[^"\\]|\\.)*"|[^:"]*)', re.ASCII)
_URI_LINE = re.compile(r"L([1-9]\d*)(?:-L([1-9]\d*))?", re.ASCII)
_URI_TIME = re.compile(r"(\d+(?:\.\d{1,3})?),(\d+(?:\.\d{1,3})?)", re.ASCII)
_URI_CHARS = re.compile(r"(\d+),(\d+)", re.ASCII)


class _EndsBeforeStart(Exception):
    """A range that is well written and runs backwards."""


class Citation(Model):
    """A path and a span of it, with the section or the speaker where known."""

    path: NfcText = Field(min_length=1)
    span: SourceSpan
    section: NfcText | None = None
    speaker: NfcText | None = None

    def to_human(self) -> str:
        """Return the spelling for people."""
        parts = [_quoted(self.path), _human_span(self.span)]
        if self.section is not None:
            parts.append(f"section={_quoted(self.section)}")
        if self.speaker is not None:
            parts.append(f"speaker={_quoted(self.speaker)}")
        return ":".join(parts)

    def to_uri(self) -> str:
        """Return the spelling as a relative URI reference."""
        fragment = [_uri_span(self.span)]
        if self.section is not None:
            fragment.append(f"section={quote(self.section, safe='')}")
        if self.speaker is not None:
            fragment.append(f"speaker={quote(self.speaker, safe='')}")
        return f"{quote(self.path, safe='/')}#{'&'.join(fragment)}"

    def to_json(self) -> dict[str, Any]:
        """Return the flat JSON spelling, with the other two beside the fields."""
        fields: dict[str, Any] = {"kind": self.span.kind, "path": self.path}
        fields.update(self.span.model_dump(exclude={"kind"}))
        fields.update(section=self.section, speaker=self.speaker)
        fields.update(text=self.to_human(), uri=self.to_uri())
        return fields

    def rounded(self) -> Citation:
        """Return the citation at the resolution of the human spelling."""
        span = self.span
        if isinstance(span, TimeSpan):
            span = TimeSpan(
                start_ms=span.start_ms // 1000 * 1000, end_ms=-(-span.end_ms // 1000) * 1000
            )
        elif isinstance(span, PageSpan):
            span = PageSpan(page=span.page)
        return self.model_copy(update={"span": span})


def parse_citation(text: str) -> Citation:
    """Parse the human or the URI spelling.

    Raises:
        CitationSyntaxError: the text is neither.
    """
    reason = "no time, page or line range at its end"
    for parse in (_parse_human, _parse_uri):
        try:
            parsed = parse(text)
        except _EndsBeforeStart:
            reason = "it ends before it starts"
            continue
        if parsed is not None:
            return parsed
    raise CitationSyntaxError(text, reason)


def citation_from_json(fields: Mapping[str, Any]) -> Citation:
    """Build a citation from its JSON spelling; `text` and `uri` are not read.

    Raises:
        CitationSyntaxError: fields are missing or make no sense.
    """
    known = dict(fields)
    known.pop("text", None)
    known.pop("uri", None)
    base = {name: known.pop(name, None) for name in ("path", "section", "speaker")}
    try:
        return Citation.model_validate({**base, "span": known})
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        raise CitationSyntaxError(json.dumps(dict(fields), default=str), problem["msg"]) from error


def format_clock(whole_seconds: int) -> str:
    """Return `HH:MM:SS`; hours take as many digits as they need."""
    minutes, seconds = divmod(whole_seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}"


def _human_span(span: LineSpan | PageSpan | TimeSpan) -> str:
    if isinstance(span, TimeSpan):
        return f"{format_clock(span.start_ms // 1000)}-{format_clock(-(-span.end_ms // 1000))}"
    if isinstance(span, PageSpan):
        return f"p{span.page}"
    return f"L{span.start}" if span.start == span.end else f"L{span.start}-L{span.end}"


def _uri_span(span: LineSpan | PageSpan | TimeSpan) -> str:
    if isinstance(span, TimeSpan):
        return f"t={_npt(span.start_ms)},{_npt(span.end_ms)}"
    if isinstance(span, PageSpan):
        chars = "" if span.char_start is None else f"&char={span.char_start},{span.char_end}"
        return f"page={span.page}{chars}"
    return _human_span(span)


def _npt(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds}.{rest:03d}".rstrip("0") if rest else str(seconds)


def _milliseconds(npt: str) -> int:
    seconds, _, fraction = npt.partition(".")
    return int(seconds) * 1000 + int(fraction.ljust(3, "0") or "0")


def _quoted(name: str) -> str:
    plain = name and name.isprintable() and not _NEEDS_QUOTES.search(name.replace(" ", ""))
    if plain and name.strip() == name:
        return name
    return json.dumps(name, ensure_ascii=not name.isprintable())


def _unquoted(text: str) -> str | None:
    if not text.startswith('"'):
        return text or None
    try:
        value = json.loads(text, strict=False)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, str) and not _SURROGATE.search(value) else None


def _parse_human(text: str) -> Citation | None:
    if text.startswith('"'):
        match = _QUOTED.match(text)
        raw_path, rest = (match.group(), text[match.end() :]) if match else ("", "")
    else:
        raw_path, separator, rest = text.partition(":")
        rest = separator + rest
    path = _unquoted(raw_path)
    span_match = _HUMAN_SPAN.match(rest, 1) if rest.startswith(":") else None
    if not path or span_match is None:
        return None
    extras = _parse_extras(rest[span_match.end() :])
    span = _span_of(span_match)
    if extras is None or span is None:
        return None
    return Citation(path=path, span=span, **extras)


def _parse_extras(rest: str) -> dict[str, str] | None:
    extras: dict[str, str] = {}
    while rest:
        match = _EXTRA.match(rest, 1) if rest.startswith(":") else None
        value = _unquoted(match.group(2)) if match else None
        if match is None or value is None or match.group(1) in extras:
            return None
        extras[match.group(1)] = value
        rest = rest[match.end() :]
    return extras


def _span_of(match: re.Match[str]) -> LineSpan | PageSpan | TimeSpan | None:
    groups = match.groups()
    try:
        if groups[0] is not None:
            numbers = [int(group) for group in groups[:6]]
            start, end = (h * 3600 + m * 60 + s for h, m, s in (numbers[:3], numbers[3:]))
            return _time_span(start * 1000, end * 1000)
        if groups[6] is not None:
            return _line_span(int(groups[6]), int(groups[7] or groups[6]))
        return PageSpan(page=int(groups[8]))
    except ValueError:  # of the model, or of a number with thousands of digits
        return None


def _time_span(start_ms: int, end_ms: int) -> TimeSpan:
    if end_ms < start_ms:
        raise _EndsBeforeStart
    return TimeSpan(start_ms=start_ms, end_ms=end_ms)


def _line_span(start: int, end: int) -> LineSpan:
    if end < start:
        raise _EndsBeforeStart
    return LineSpan(start=start, end=end)


def _parse_uri(text: str) -> Citation | None:
    raw_path, separator, fragment = text.partition("#")
    if not separator or not raw_path:
        return None
    head, *tail = fragment.split("&")
    pairs = dict(part.split("=", 1) for part in tail if "=" in part)
    span = _span_of_fragment(head, pairs)
    if span is None:
        return None
    named = {name: pairs[name] for name in ("section", "speaker") if name in pairs}
    try:
        extras = {name: unquote(value, errors="strict") for name, value in named.items()}
        return Citation(path=unquote(raw_path, errors="strict"), span=span, **extras)
    except UnicodeDecodeError:
        return None


def _span_of_fragment(head: str, pairs: Mapping[str, str]) -> LineSpan | PageSpan | TimeSpan | None:
    name, _, value = head.partition("=")
    try:
        if name == "t" and (times := _URI_TIME.fullmatch(value.removeprefix("npt:"))):
            start, end = (_milliseconds(part) for part in times.groups())
            return _time_span(start, end)
        if name == "page" and value.isascii() and value.isdigit():
            if chars := _URI_CHARS.fullmatch(pairs.get("char", "")):
                char_start, char_end = map(int, chars.groups())
                return PageSpan(page=int(value), char_start=char_start, char_end=char_end)
            return PageSpan(page=int(value))
        if lines := _URI_LINE.fullmatch(head):
            return _line_span(int(lines.group(1)), int(lines.group(2) or lines.group(1)))
    except ValueError:  # of the model, or of a number with thousands of digits
        return None
    return None
