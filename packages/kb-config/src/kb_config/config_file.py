"""Reading the text of `config.toml`: encoding and syntax, not meaning."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from kb_core.errors import ConfigError, printable


def read_config_text(path: Path) -> str:
    """Return the text of the configuration file with its line ends; empty when there is none.

    Raises:
        ConfigError: it cannot be read, or is not UTF-8.
    """
    shown = printable(str(path))
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ConfigError(f"{shown}: {error.strerror or error}") from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{shown}: line {line} is not UTF-8 text", hint="save the file as UTF-8"
        ) from error


def table_of(text: str, path: Path) -> dict[str, Any]:
    """Parse a configuration file; `path` is for messages.

    Raises:
        ConfigError: it is no TOML; the message names the line.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"{printable(str(path))}: not valid TOML: {printable(str(error))}",
            hint="mend that line, or remove it",
        ) from error
