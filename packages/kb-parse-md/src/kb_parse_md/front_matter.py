"""What a note says of itself in the YAML at its head.

The YAML's nodes are read, and not the values that YAML 1.1 makes of them: `lang: no` is Norwegian
and not false, a title of `12:30` is no number of 750, and a date that no calendar has is still the
text that somebody wrote. Merge keys are keys like others, because merging can take any memory.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date

import yaml
from pydantic import JsonValue

from kb_core import nfc

MAX_CHARS = 64 * 1024
MAX_VALUES = 10_000
"""More values than this are no front matter: aliases may stand for billions of them."""
MAX_DEPTH = 50

_TEXT_KEYS = {
    "title": ("title",),
    "lang": ("lang", "language"),
    "created": ("created", "date"),
    "updated": ("updated", "modified"),
}
_LIST_KEYS = ("tags", "aliases")
_TAKEN = frozenset((*_LIST_KEYS, *(key for keys in _TEXT_KEYS.values() for key in keys)))

_TAG = "tag:yaml.org,2002:"
_NUMBERS = frozenset({f"{_TAG}int", f"{_TAG}float"})
_TYPED = _NUMBERS | {f"{_TAG}null", f"{_TAG}bool", f"{_TAG}timestamp"}
_MAX_NUMBER_CHARS = 40
_MAX_EXACT_INTEGER = 2**53
_UNFIT = re.compile(r"[\ud800-\udfff]")
_KEY_LINE = re.compile(r"(?:[^\s#:&*!|>%@`\"'-][^:\n]*|\"[^\"\n]*\"|'[^'\n]*'):(?:\s|$)|- |[?{\[]")

Warn = Callable[[str, str], None]


class BadFrontMatter(ValueError):
    """It is no YAML, or no front matter; the message says why."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The known keys, and all others as they are.

    Attributes:
        title, lang: as they are written.
        created, updated: ISO 8601 where YAML sees a date, else as they are written.
        user: what kb has no use for itself.
    """

    title: str | None = None
    lang: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    created: str | None = None
    updated: str | None = None
    user: dict[str, JsonValue] = field(default_factory=dict)


def may_be_front_matter(text: str) -> bool:
    """Return whether what stands between `---` lines begins as YAML does.

    A note may also begin with a line across and have another one later; what is between those two
    is its body.
    """
    for line in text.split("\n"):
        if line.strip() and not line.startswith("#"):
            return _KEY_LINE.match(line) is not None
    return True


def read_front_matter(text: str, warn: Warn) -> FrontMatter:
    """Read YAML; what cannot be read is warned of and left out."""
    try:
        return _front_matter(_pairs(text))
    except (yaml.YAMLError, BadFrontMatter, RecursionError) as error:
        reason = getattr(error, "problem", None) or str(error) or type(error).__name__
        warn("bad_front_matter", f"its front matter cannot be read: {reason}")
        return FrontMatter()


def _pairs(text: str) -> dict[str, yaml.Node]:
    if len(text) > MAX_CHARS:
        raise BadFrontMatter(f"it is longer than {MAX_CHARS} characters")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    root = yaml.compose(text, Loader=loader)
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        raise BadFrontMatter("it holds no keys")
    return {_key(key, [MAX_VALUES]): value for key, value in root.value}


def _front_matter(pairs: dict[str, yaml.Node]) -> FrontMatter:
    budget = [MAX_VALUES]
    texts = {
        name: next((text for key in keys if (text := _text(pairs.get(key)))), None)
        for name, keys in _TEXT_KEYS.items()
    }
    return FrontMatter(
        **texts,
        tags=_texts(pairs.get("tags")),
        aliases=_texts(pairs.get("aliases")),
        user={
            key: _json_of(node, budget, MAX_DEPTH)
            for key, node in pairs.items()
            if key not in _TAKEN
        },
    )


def _text(node: yaml.Node | None) -> str | None:
    if not isinstance(node, yaml.ScalarNode) or node.tag == f"{_TAG}null":
        return None
    if node.tag == f"{_TAG}timestamp":
        return str(_scalar(node))
    return _clean(node.value).strip() or None


def _texts(node: yaml.Node | None) -> tuple[str, ...]:
    """Return a list of texts, written as one or as `a, b`."""
    texts: Iterable[str | None]
    if isinstance(node, yaml.SequenceNode):
        texts = map(_text, node.value)
    else:
        texts = (part.strip() for part in (_text(node) or "").split(","))
    return tuple(dict.fromkeys(text for text in texts if text))


def _json_of(node: yaml.Node, budget: list[int], depth: int) -> JsonValue:
    """Return what JSON can hold: dates as text, keys as text, numbers that are none as text."""
    budget[0] -= 1
    if budget[0] < 0:
        raise BadFrontMatter(f"it holds more than {MAX_VALUES} values")
    if depth < 0:
        raise BadFrontMatter(f"it is nested deeper than {MAX_DEPTH} levels")
    if isinstance(node, yaml.MappingNode):
        return {_key(key, budget): _json_of(value, budget, depth - 1) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_json_of(item, budget, depth - 1) for item in node.value]
    return _scalar(node)


def _key(node: yaml.Node, budget: list[int]) -> str:
    budget[0] -= 1
    return _clean(node.value) if isinstance(node, yaml.ScalarNode) else "?"


def _scalar(node: yaml.Node) -> JsonValue:
    written = _clean(str(node.value))
    is_sexagesimal = node.tag in _NUMBERS and ":" in written
    if node.tag not in _TYPED or len(written) > _MAX_NUMBER_CHARS or is_sexagesimal:
        return written
    try:
        value = yaml.constructor.SafeConstructor().construct_object(node)
    except (ValueError, OverflowError, yaml.YAMLError):
        return written
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return written
    if isinstance(value, int) and abs(value) > _MAX_EXACT_INTEGER:
        return written
    return value  # type: ignore[no-any-return]


def _clean(text: str) -> str:
    """Return the text without what escapes of YAML may put into it."""
    return nfc(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text.replace("\0", "")))
