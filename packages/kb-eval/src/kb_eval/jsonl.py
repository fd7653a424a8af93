"""Files with a JSON object on each line, checked; what is wrong is told by file and line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from kb_core.errors import InputError, UnreadableFile

Line = TypeVar("Line", bound=BaseModel)


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file that are not blank, with their numbers from 1.

    Raises:
        UnreadableFile: it cannot be opened.
        InputError: it is not UTF-8.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\n")
    except OSError as error:
        raise UnreadableFile(path, (error.strerror or "cannot be read").lower()) from error
    except UnicodeDecodeError as error:
        raise InputError(path, "not UTF-8 text", hint="save it as UTF-8") from error


def json_lines(path: Path, kind: type[Line]) -> Iterator[tuple[int, Line]]:
    """Yield the objects of a file, with their line numbers from 1; blank lines are passed over.

    Raises:
        UnreadableFile: it cannot be opened.
        InputError: it is not UTF-8, or a line is no such object.
    """
    for number, line in text_lines(path):
        try:
            yield number, kind.model_validate_json(line)
        except ValidationError as error:
            raise bad_line(path, number, _in_words(error)) from error


def bad_line(path: Path, number: int, reason: str, *, hint: str | None = None) -> InputError:
    """Return the error of one line of a file."""
    return InputError(path, f"line {number}: {reason}", hint=hint)


def _in_words(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, problem["loc"]))
    return f"{where}: {problem['msg']}" if where else str(problem["msg"])
