"""The object in a reply, which models wrap in fences and talk.

Nothing is repaired: a stretch of the reply counts only if it is JSON as it stands and keeps the
schema. Tried in this order: the whole reply, what stands in code fences, what begins at each brace.
The first that keeps the schema wins; where none does, the reason is that of the first one that was
JSON at all, because it is what the model meant.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from pydantic import JsonValue

from kb_core.errors import ReplyRejected

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_FENCE = "```"
_LONGEST_REASON_CHARS = 300


def object_in(reply: str, validator: Validator) -> JsonValue:
    """Return the object of a reply that keeps the schema.

    Raises:
        ReplyRejected: there is none; it says why.
    """
    reason = None
    for candidate in _candidates(reply):
        problem = _problem(candidate, validator)
        if problem is None:
            return candidate
        reason = reason or problem
    if reason is not None:
        raise ReplyRejected(reason)
    if not reply.strip():
        raise ReplyRejected("the reply is empty")
    raise ReplyRejected("the reply holds no JSON object")


def _candidates(reply: str) -> Iterator[JsonValue]:
    for text in (reply.strip(), *_fenced(reply)):
        value, end = _decoded(text, 0)
        if end == len(text) and end:
            yield value
    position = reply.find("{")
    while position >= 0:
        value, end = _decoded(reply, position)
        if end:
            yield value
        position = reply.find("{", end or position + 1)


def _fenced(reply: str) -> Iterator[str]:
    """Yield what stands between a fence line and any later one, the longest first.

    A string of the object may hold fences itself.
    """
    starts = [place for place, line in _lines(reply) if line.lstrip().startswith(_FENCE)]
    lines = reply.splitlines(keepends=True)
    for first in range(len(starts)):
        for last in range(len(starts) - 1, first, -1):
            yield "".join(lines[starts[first] + 1 : starts[last]]).strip()


def _lines(reply: str) -> Iterator[tuple[int, str]]:
    return enumerate(reply.splitlines())


def _decoded(text: str, start: int) -> tuple[JsonValue, int]:
    """Return the JSON value at a place and where it ends; 0 where there is none."""
    decoder = json.JSONDecoder(
        parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_without_twins
    )
    try:
        return decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, 0


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _no_number(digits)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key stands there twice")
    return fields


def _problem(value: JsonValue, validator: Validator) -> str | None:
    if not isinstance(value, dict):
        return "the reply is no JSON object"
    if any(0xD800 <= ord(char) <= 0xDFFF for char in json.dumps(value, ensure_ascii=False)):
        return "a text of the reply holds half a character"
    error = min(validator.iter_errors(value), key=_depth, default=None)
    if error is None:
        return None
    where = "".join(map(_step, error.absolute_path)) or "the reply"
    return f"{where}: {error.message}"[:_LONGEST_REASON_CHARS]


def _depth(error: ValidationError) -> int:
    return len(error.absolute_path)


def _step(part: str | int) -> str:
    return f"[{part}]" if isinstance(part, int) else f".{part}"
