"""Readers of references: one function a format.

Each takes a text and, where many recordings share a file, the name of one recording.

A reader returns None for a text that is not of its format, because a folder may hold any `.json`;
what is of the format and makes no sense raises `ValueError`, and the caller names the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from kb_eval.reference import Reference, ReferencePart, ReferenceWord

_LANGUAGE_TAG = re.compile(r"^\[([a-z]{2})\][ \t]*", re.MULTILINE)
_SPHINX_LINE = re.compile(r"^(?:<s>)?(?P<text>.*?)(?:</s>)?\s*\((?P<name>[^()]+)\)$")
_PRONUNCIATION = re.compile(r"\(\d+\)$")


def read_text(text: str) -> Reference:
    """Read plain text, of which a line may begin with its language: `[en] Good morning`."""
    languages = set(_LANGUAGE_TAG.findall(text))
    return Reference(
        text=_folded(_LANGUAGE_TAG.sub("", text)),
        language=languages.pop() if len(languages) == 1 else None,
    )


def read_timed_json(text: str) -> Reference | None:
    """Read any of the JSON formats that tell times.

    Raises:
        ValueError: it is no JSON, or of such a format with values that make no sense.
    """
    try:
        document = json.loads(text)
        readings = (_read_parts(document), _read_pocketsphinx(document), _read_leopard(document))
    except KeyError as error:
        raise ValueError(f"{error} is missing") from error
    except (AttributeError, OverflowError, RecursionError, TypeError) as error:
        raise ValueError(str(error)) from error
    return next((reading for reading in readings if reading is not None), None)


def read_ljspeech(text: str, name: str) -> Reference | None:
    """Read the row of a recording in `metadata.csv`: name, text, text with numbers spelled out."""
    for line in text.split("\n"):
        first, *texts = line.split("|")
        if texts and first == name:
            return Reference(text=_folded(texts[-1]))
    return None


def read_sphinx(text: str, name: str) -> Reference | None:
    """Read the line of a recording in `transcription.txt`: `<s> words </s> (name)`."""
    for line in text.splitlines():
        found = _SPHINX_LINE.match(line.strip())
        if found and found["name"] == name:
            return Reference(text=_folded(found["text"]))
    return None


def _read_parts(document: Any) -> Reference | None:
    """Read a list of `{start, end, text, lang?, speaker?}`, in seconds."""
    if not (isinstance(document, list) and document and isinstance(document[0], dict)):
        return None
    if not {"start", "text"} <= document[0].keys():
        return None
    parts = [
        ReferencePart(
            start_ms=_ms(part["start"]),
            end_ms=_ms(part["end"]),
            text=part["text"],
            language=part.get("lang"),
            speaker=part.get("speaker"),
        )
        for part in document
    ]
    languages = {part.language for part in parts}
    return Reference(
        text=_folded(" ".join(part.text for part in parts)),
        parts=tuple(sorted(parts, key=lambda part: part.start_ms)),
        language=languages.pop() if len(languages) == 1 else None,
    )


def _read_pocketsphinx(document: Any) -> Reference | None:
    """Read `{b, d, t, w: [{b, d, t}]}`: begin and duration in seconds; `<sil>` is no word."""
    if not (isinstance(document, dict) and "w" in document):
        return None
    words = [
        ReferenceWord(
            start_ms=_ms(word["b"]),
            end_ms=_ms(word["b"] + word["d"]),
            text=_PRONUNCIATION.sub("", word["t"]),
        )
        for word in document["w"]
        if not re.match(r"[<\[]", word["t"])
    ]
    return _of_words(words, document.get("t"), None)


def _read_leopard(document: Any) -> Reference | None:
    """Read `{transcript, language?, words: [{word, start_sec, end_sec}]}`."""
    if not (isinstance(document, dict) and "words" in document and "transcript" in document):
        return None
    words = [
        ReferenceWord(
            start_ms=_ms(word["start_sec"]), end_ms=_ms(word["end_sec"]), text=word["word"]
        )
        for word in document["words"]
    ]
    return _of_words(words, document["transcript"], document.get("language"))


def _of_words(words: Iterable[ReferenceWord], text: str | None, code: str | None) -> Reference:
    ordered = tuple(sorted(words, key=lambda word: word.start_ms))
    joined = " ".join(word.text for word in ordered)
    return Reference(text=_folded(text or joined), words=ordered, language=code)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _folded(text: str) -> str:
    return " ".join(text.split())
