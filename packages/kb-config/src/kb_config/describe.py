"""A list of every setting, made from the model, so that documentation cannot fall behind it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, JsonValue, SecretStr
from pydantic.fields import FieldInfo

from kb_config.settings import Settings, is_section
from kb_core.model import Model

KEYS_OUTSIDE_THE_FILE = frozenset({"data_dir"})


class SettingInfo(Model):
    """One setting.

    Attributes:
        key: dotted key, as in `asr.model`.
        type: name of the type for people: `text`, `one of …`, `list`, `number`, `whole number`,
            `true or false`, `path` or `table`.
        default: the default as it would stand in the file, or words where it differs from machine
            to machine; None when unset.
        env: name of the environment variable.
        doc: what it means, in a sentence or two.
        in_file: whether the configuration file may hold it.
    """

    key: str
    type: str
    default: str | None
    env: str
    doc: str
    in_file: bool


def describe_settings() -> tuple[SettingInfo, ...]:
    """Return every setting in the order of the model."""
    return tuple(_described(key, info, default) for key, info, default in _leaves(Settings()))


def toml_literal(value: JsonValue | Path | tuple[JsonValue, ...]) -> str:
    """Return a value as TOML.

    Raises:
        TypeError: TOML has no form for it.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_literal, value))}]"
    if isinstance(value, dict):
        pairs = (f"{toml_literal(key)} = {toml_literal(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    raise TypeError(f"no TOML for {type(value).__name__}")


def _leaves(section: BaseModel, prefix: str = "") -> Iterator[tuple[str, FieldInfo, Any]]:
    for name, info in type(section).model_fields.items():
        value = getattr(section, name)
        if is_section(info.annotation):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", info, value


def _described(key: str, info: FieldInfo, default: Any) -> SettingInfo:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    shown = extra.get("shown_default")
    if shown is None and default is not None:
        shown = toml_literal(default)
    return SettingInfo(
        key=key,
        type=_type_name(info.annotation),
        default=None if shown is None else str(shown),
        env="KB_" + key.upper().replace(".", "__"),
        doc=info.description or "",
        in_file=key not in KEYS_OUTSIDE_THE_FILE,
    )


def _type_name(annotation: Any) -> str:
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    if hasattr(annotation, "__metadata__"):
        return _type_name(get_args(annotation)[0])
    plain = get_origin(annotation) or annotation
    if plain is Literal:
        return f"one of {', '.join(get_args(annotation))}"
    names = {
        str: "text",
        SecretStr: "text",
        int: "whole number",
        float: "number",
        bool: "true or false",
        Path: "path",
        dict: "table",
        tuple: "list",
    }
    return names[plain]
