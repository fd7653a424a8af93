"""Writing `config.toml` without touching what the person wrote in it.

There is no writer that keeps comments in the standard library. The few changes that kb makes are
tried as edits of single lines, and one is kept only when what it parses to is exactly the old table
with the one value changed. A file that no such edit fits is left alone with a message.
"""

from __future__ import annotations

import os
import re
import tempfile
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from kb_config.config_file import read_config_text, table_of
from kb_config.describe import describe_settings, toml_literal
from kb_config.load import file_source, nearest_key_hint
from kb_config.sources import overlaid
from kb_core.errors import ConfigError, printable

_VALUE = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|\[[^#\n]*\]|\{[^#\n]*\}|[^\s#"'\[{]+)"""


def write_setting(config_path: Path, key: str, value: JsonValue | Path) -> None:
    """Set one value, keeping everything else of the file as it is.

    Args:
        config_path: made when it does not exist.
        key: dotted, as in `asr.model`.
        value: must be legal for that key.

    Raises:
        ConfigError: the key or the value is not legal, or the file cannot be read, edited or
            written; it is then unchanged.
    """
    text = _with_setting(read_config_text(config_path), config_path, key, value)
    file_source(config_path, text)
    _replace_text(config_path, text)


def write_initial_config(
    config_path: Path, values: Mapping[str, JsonValue | Path] | None = None
) -> bool:
    """Write a file that explains every setting, unless there is one already.

    Args:
        config_path: where; its folder is made.
        values: dotted keys to set; all others are written as comments with their defaults.

    Returns:
        Whether the file was written.

    Raises:
        ConfigError: a key or a value is not legal, or the file cannot be written.
    """
    if config_path.exists():
        return False
    text = _explained_defaults()
    for key, value in (values or {}).items():
        text = _with_setting(text, config_path, key, value)
    file_source(config_path, text)
    _replace_text(config_path, text)
    return True


def _with_setting(text: str, path: Path, key: str, value: JsonValue | Path) -> str:
    if all(key != info.key for info in describe_settings()):
        raise ConfigError(f"unknown setting {printable(key)}", hint=nearest_key_hint(key))
    literal = toml_literal(value)
    wanted = overlaid(table_of(text, path), tomllib.loads(f"{key} = {literal}"))
    for candidate in _edits(text, key, literal):
        if _parsed(candidate) == wanted:
            return candidate
    raise ConfigError(
        f"{printable(str(path))}: {key} stands where kb cannot change it safely",
        hint=f"set it by hand: {key} = {literal}",
    )


def _edits(text: str, key: str, literal: str) -> Iterator[str]:
    """Yield the ways to set a key, the least surprising first; some make no sense."""
    table, _, name = key.rpartition(".")
    line_end = "\r" if "\r\n" in text else ""
    lines = text.split("\n")
    names = f"(?:{re.escape(key)}|{re.escape(name)})"
    assignment = re.compile(rf"(\s*{names}\s*=\s*){_VALUE}(.*)", re.DOTALL)
    for place, line in enumerate(lines):
        if match := assignment.fullmatch(line):
            edited = f"{match.group(1)}{literal}{match.group(2)}"
            yield "\n".join([*lines[:place], edited, *lines[place + 1 :]])
    for anchor in (rf"\s*#\s*{names}\s*=.*", rf"\s*\[\s*{re.escape(table)}\s*\]\s*(?:#.*)?"):
        for place, line in enumerate(lines[:-1]):
            if re.fullmatch(anchor, line, re.DOTALL):
                added = f"{name} = {literal}{line_end}"
                yield "\n".join([*lines[: place + 1], added, *lines[place + 1 :]])
    if table:
        apart = "" if not text else f"{line_end}\n" * (1 if text.endswith("\n") else 2)
        yield f"{text}{apart}[{table}]{line_end}\n{name} = {literal}{line_end}\n"
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    yield f"{mark}{key} = {literal}{line_end}\n{text.removeprefix(mark)}"


def _parsed(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        return None


def _explained_defaults() -> str:
    lines = ["# Settings of kb. What is commented out shows the default."]
    open_table = ""
    for info in describe_settings():
        table, _, name = info.key.rpartition(".")
        if not info.in_file:
            continue
        if table != open_table:
            lines += ["", f"[{table}]"]
            open_table = table
        default = f" Default: {info.default}." if info.default and info.type == "path" else ""
        lines += ["", *textwrap.wrap(f"# {info.doc}{default}", 96, subsequent_indent="# ")]
        lines.append(f"# {name} = {'' if info.type == 'path' else info.default or ''}".rstrip())
    return "\n".join(lines) + "\n"


def _replace_text(path: Path, text: str) -> None:
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".config-", suffix=".toml", dir=target.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
        temporary.replace(target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _cannot_write(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"{printable(str(path))}: cannot be written: {error.strerror or error}")
