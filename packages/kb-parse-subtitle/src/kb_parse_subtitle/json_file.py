"""JSON with the lines that its elements stand in, and with the bytes that are no character.

Recognisers write tokens, and a token may be a part of a character. Such bytes come as halves of
surrogate pairs (`surrogateescape`); `mend` joins those that belong together and drops the rest.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from kb_parse_subtitle.cue import TextFile

_LINE_END = re.compile(r"\r\n|\n|\r")
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(strict=False)
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_OTHER_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_OPEN_CHARACTER = re.compile("[\udcc2-\udcf4][\udc80-\udcbf]{0,2}\\Z")
_REST_OF_CHARACTER = re.compile("[\udc80-\udcbf]{1,3}")


class BadJson(Exception):
    """The text is no JSON that can be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array and the lines that it stands in, 1-based."""

    value: Any
    first_line: int
    last_line: int


class JsonFile:
    """A parsed JSON text.

    Raises:
        BadJson: it is none, or nested too deeply, or has a number of thousands of digits.
    """

    def __init__(self, file: TextFile) -> None:
        self._text = file.text
        try:
            self.value: Any = json.loads(self._text, strict=False)
        except json.JSONDecodeError as error:
            raise BadJson(f"line {error.lineno}: {error.msg}") from error
        except RecursionError as error:
            raise BadJson("it is nested too deeply") from error
        except ValueError as error:
            raise BadJson("it holds a number that is none") from error
        self._line_ends = [match.start() for match in _LINE_END.finditer(self._text)]

    def elements(self, *keys: str) -> list[Element]:
        """Return the elements of the array under these keys of nested objects, outermost first."""
        place = self._after_space(0)
        for key in keys:
            place = self._member(place, key)
        found = []
        place = self._after_space(place + 1)
        while self._text[place] != "]":
            value, end = _DECODER.raw_decode(self._text, place)
            found.append(Element(value, self._line(place), self._line(end - 1)))
            place = self._after_space(end)
            if self._text[place] == ",":
                place = self._after_space(place + 1)
        return found

    def _member(self, place: int, wanted: str) -> int:
        """Return where the value of a member of the object at `place` begins; the last counts."""
        found = place
        place = self._after_space(place + 1)
        while self._text[place] != "}":
            key, end = _DECODER.raw_decode(self._text, place)
            value_place = self._after_space(self._after_space(end) + 1)
            if key == wanted:
                found = value_place
            _, end = _DECODER.raw_decode(self._text, value_place)
            place = self._after_space(end)
            if self._text[place] == ",":
                place = self._after_space(place + 1)
        return found

    def _after_space(self, place: int) -> int:
        match = _SPACE.match(self._text, place)
        return match.end() if match else place

    def _line(self, place: int) -> int:
        return bisect_left(self._line_ends, place) + 1


def join_characters(texts: list[str]) -> list[str]:
    """Return the texts with a character that is spread over two of them whole in the first."""
    joined = list(texts)
    for place in range(len(joined) - 1):
        head = _OPEN_CHARACTER.search(joined[place])
        tail = _REST_OF_CHARACTER.match(joined[place + 1])
        if head is None or tail is None:
            continue
        try:
            whole = (head[0] + tail[0]).encode("utf-8", "surrogateescape").decode("utf-8")
        except UnicodeDecodeError:
            continue
        joined[place] = joined[place][: head.start()] + whole
        joined[place + 1] = joined[place + 1][tail.end() :]
    return joined


def mend(text: str) -> tuple[str, int]:
    """Return the text with its escaped bytes as characters, and how many bytes are left out."""
    if not _ESCAPED_BYTE.search(text):
        return text, 0
    sane = _OTHER_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    data = sane.encode("utf-8", "surrogateescape")
    mended = data.decode("utf-8", "ignore")
    return mended, len(data) - len(mended.encode("utf-8"))
