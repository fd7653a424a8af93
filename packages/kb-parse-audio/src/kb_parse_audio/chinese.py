"""Chinese in one way of writing.

Recognisers change between simplified and traditional characters within a recording, so the same
word would be found in one minute and not in the next. Asking them to keep to one, by an example
before the window, costs them their sense of time; so what they wrote is converted.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from functools import cache

from kb_core import TranscriptSegment, Word
from kb_core.errors import ConfigError, printable

CHINESE = "zh"
AS_HEARD = "as-heard"
_CONFIGURATIONS = {"simplified": "t2s", "traditional": "s2t"}


def script_rules(script: str) -> str:
    """Return what decides the characters, for the version of a transcript.

    Raises:
        ConfigError: there is no such way of writing.
    """
    if script == AS_HEARD:
        return script
    if script not in _CONFIGURATIONS:
        known = ", ".join([*_CONFIGURATIONS, AS_HEARD])
        raise ConfigError(
            f"no way of writing Chinese is named {printable(script)}", hint=f"there are: {known}"
        )
    return f"opencc {importlib.metadata.version('opencc')} {_CONFIGURATIONS[script]}"


def in_script(segment: TranscriptSegment, script: str) -> TranscriptSegment:
    """Return a segment in Chinese with its characters converted; any other as it is.

    One character becomes one character, so words stay where they are in the text.
    """
    if script == AS_HEARD or segment.language != CHINESE:
        return segment
    convert = _converter(_CONFIGURATIONS[script])
    text = _same_length(segment.text, convert)
    words: list[Word] = []
    position = 0
    for word in segment.words:
        found = segment.text.find(word.text, position)
        if found < 0:
            words.append(word.model_copy(update={"text": _same_length(word.text, convert)}))
            continue
        position = found + len(word.text)
        words.append(word.model_copy(update={"text": text[found:position]}))
    return segment.model_copy(update={"text": text, "words": tuple(words)})


def _same_length(text: str, convert: Callable[[str], str]) -> str:
    """Convert phrase by phrase, or character by character where that changes the length."""
    converted = convert(text)
    if len(converted) == len(text):
        return converted
    return "".join(new if len(new := convert(char)) == 1 else char for char in text)


@cache
def _converter(configuration: str) -> Callable[[str], str]:
    from opencc import OpenCC

    return OpenCC(configuration).convert
