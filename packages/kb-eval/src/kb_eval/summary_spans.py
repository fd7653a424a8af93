"""References of where segments begin: summaries aligned with turns, as CRD3 has them.

Such alignments are made by machine: spans overlap, share the turn at their edge, and may be of one
turn. The rule for all of them: a boundary is before each turn at which a span begins, except the
first; spans that begin at one turn are one. Where a span ends says nothing, so turns between two
spans belong to the earlier. Turns before the first and after the last span are not measured, for
nobody said where they belong.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from kb_core.errors import InputError, UnreadableFile

_SLICE = re.compile(r"turns(\d+)-(\d+)$")
_HINT = 'a list of {"turn_start": 0, "turn_end": 56}; the README of kb-eval shows it'


class SpannedTurns(NamedTuple):
    """Turns that spans are about, by their places in the transcript from 0.

    Attributes:
        first: turn of the first span.
        end: turn after the last one of any span.
        starts: turns that begin a segment, ascending, without `first`.
    """

    first: int
    end: int
    starts: tuple[int, ...]


class NamedTurns(NamedTuple):
    """What the name of a part of a session says of it."""

    first_number: int
    turn_count: int


class _Span(BaseModel):
    turn_start: int = Field(ge=0)
    turn_end: int = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> _Span:
        if self.turn_end < self.turn_start:
            raise ValueError("ends before its start")
        return self


_SPANS = TypeAdapter(list[_Span])


def spans_path(transcript: Path) -> Path:
    """Return where the reference of a transcript lies."""
    return transcript.with_name(f"{transcript.stem}.summary_spans.json")


def turns_named(transcript: Path) -> NamedTurns | None:
    """Return the turns that a name such as `C2E001_turns0100-0499` promises; None for others."""
    found = _SLICE.search(transcript.stem)
    if found is None:
        return None
    first, last = int(found[1]), int(found[2])
    return NamedTurns(first, last - first + 1)


def read_spans(transcript: Path) -> SpannedTurns:
    """Return what the spans beside a transcript say of its turns.

    Raises:
        InputError: there are none, or they make no sense.
    """
    path = spans_path(transcript)
    spans = _read(path)
    named = turns_named(transcript)
    offset = named.first_number if named else 0
    starts = sorted({span.turn_start - offset for span in spans})
    if starts[0] < 0:
        raise InputError(path, f"a span begins before turn {offset}, the first one of the name")
    end = max(span.turn_end for span in spans) - offset + 1
    return SpannedTurns(starts[0], end, tuple(starts[1:]))


def _read(path: Path) -> list[_Span]:
    try:
        spans = _SPANS.validate_python(json.loads(path.read_bytes().decode("utf-8-sig")))
    except FileNotFoundError as error:
        raise InputError(path, "no such file", hint=f"it holds {_HINT}") from error
    except OSError as error:
        raise UnreadableFile(path, error.strerror or str(error)) from error
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"]))
        reason = f"{where}: {problem['msg']}" if where else str(problem["msg"])
        raise InputError(path, reason, hint=f"it must be {_HINT}") from error
    except (ValueError, RecursionError) as error:
        reason = f"no JSON in UTF-8: {' '.join(str(error).split())}"
        raise InputError(path, reason, hint=f"it must be {_HINT}") from error
    if not spans:
        raise InputError(path, "it has no span", hint=f"it must be {_HINT}")
    return spans
