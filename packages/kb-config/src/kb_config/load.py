"""Settings from flags, then the environment, then `config.toml`, then defaults.

The sources are gathered here rather than by pydantic-settings' own order of sources, because an
error must say which of them a bad value came from, and because `data_dir` decides where the file
is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kb_config.config_file import read_config_text, table_of
from kb_config.describe import describe_settings
from kb_config.settings import Settings, config_path_in
from kb_config.sources import (
    MISSING,
    EnvironmentSource,
    Source,
    command_line_source,
    env_name,
    merged,
)
from kb_core.errors import ConfigError, printable

_PATH_KEYS = (("models_dir",), ("workspace", "root"))
_SECRET_KEYS = frozenset({"embedding.api_key"})
_PASSWORD = re.compile(r"[^\s/'\"]*:[^\s/]*@")  # in a web address, with the name before it


def load_settings(
    data_dir: Path | None = None, overrides: Mapping[str, Any] | None = None
) -> Settings:
    """Gather the settings.

    Args:
        data_dir: folder of the knowledge base, as given on the command line.
        overrides: values from the command line by dotted key (`asr.model`); None means not given.

    Raises:
        ConfigError: naming the key, the value and where it came from.
    """
    sources = [command_line_source(data_dir, overrides or {}), EnvironmentSource()]
    places = [source.only("data_dir") for source in sources]
    path = config_path_in(_validated(places).data_dir)
    sources.append(file_source(path, read_config_text(path)))
    return _validated(sources)


def file_source(path: Path, text: str) -> Source:
    """Return the checked content of a configuration file.

    Relative paths in it are taken from its own folder, so that they mean the same wherever kb is
    started.

    Raises:
        ConfigError: it is no TOML, or holds an unknown key or a bad value.
    """
    values = table_of(text, path)
    shown = printable(str(path))
    if "data_dir" in values:
        raise ConfigError(
            f"{shown}: data_dir cannot be set here: it decides where this file is",
            hint=f"use --data-dir or {env_name(['data_dir'])}",
        )
    source = Source(values, shown)
    _validated([source])
    for *tables, name in _PATH_KEYS:
        holder = source.value_at(tables)
        if isinstance(holder, dict) and name in holder:
            holder[name] = path.parent / Path(holder[name]).expanduser()
    return source


def _validated(sources: Sequence[Source]) -> Settings:
    try:
        return Settings(**merged(sources))
    except ValidationError as error:
        raise _config_error(error, sources) from error


def _config_error(error: ValidationError, sources: Sequence[Source]) -> ConfigError:
    problem = error.errors(include_url=False)[0]
    keys = [str(key) for key in problem["loc"]]
    while keys and all(source.value_at(keys) is MISSING for source in sources):
        keys.pop()
    source = next(source for source in sources if source.value_at(keys) is not MISSING)
    origin, key = source.origin_of(keys), ".".join(keys)
    if problem["type"] == "extra_forbidden":
        return ConfigError(
            f"{printable(origin)}: unknown setting {printable(key)}", hint=nearest_key_hint(key)
        )
    reason = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "model_type":
        reason = "must be a table of settings"
    value = source.value_at(keys)
    is_shown = not isinstance(value, Mapping) and key not in _SECRET_KEYS
    shown = f" = {str(value)!r}" if is_shown else ""
    message = _PASSWORD.sub("…@", f"{origin}: {key}{shown}: {reason}")
    return ConfigError(printable(message), hint=f"correct {key}, or remove it")


def nearest_key_hint(key: str) -> str:
    """Return a hint that names the known key most like `key`, if there is one."""
    known = [info.key for info in describe_settings()]
    tables = [key.rpartition(".")[0] for key in known if "." in key]
    near = get_close_matches(key, known + tables, n=1)
    by_last_name = {name.rpartition(".")[2]: name for name in reversed(known)}
    if not near:
        last_names = get_close_matches(key.rpartition(".")[2], by_last_name, n=1)
        near = [by_last_name[name] for name in last_names]
    return f"did you mean {near[0]}?" if near else "remove it; the settings are listed in the docs"
