"""Places that settings come from, each able to say where a value of its stood."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic_settings import EnvSettingsSource, SettingsError

from kb_config.describe import describe_settings
from kb_config.settings import Settings, is_section
from kb_core.errors import ConfigError, printable

ENV_PREFIX = "KB_"
ENV_DELIMITER = "__"

MISSING = object()


class Source:
    """Nested values of one origin."""

    def __init__(self, values: Mapping[str, Any], origin: str) -> None:
        self.values = values
        self._origin = origin

    def origin_of(self, keys: Sequence[str]) -> str:
        """Return words for where the value at `keys` was read."""
        return self._origin

    def only(self, key: str) -> Source:
        """Return a source that holds no other key at its top than `key`."""
        found = {key: self.values[key]} if key in self.values else {}
        return Source(found, self.origin_of([key]))

    def value_at(self, keys: Sequence[str]) -> Any:
        """Return the value at `keys`, or `MISSING`."""
        value: Any = self.values
        for key in keys:
            if not isinstance(value, Mapping) or key not in value:
                return MISSING
            value = value[key]
        return value


class EnvironmentSource(Source):
    """The environment, where `asr.model` is `KB_ASR__MODEL`.

    A variable that begins with the name of a section and is no setting is refused: `KB_ASR_MODEL`
    would otherwise do nothing. Others that begin with `KB_` may belong to other programs.

    Raises:
        ConfigError: a variable is misspelt, or is no JSON where it must be.
    """

    def __init__(self) -> None:
        _refuse_misspelt()
        try:
            values = EnvSettingsSource(Settings)()
        except SettingsError as error:
            raise ConfigError(
                f"environment: {printable(str(error))}",
                hint="the value of a whole table is written as JSON",
            ) from error
        super().__init__(values, "the environment")

    def origin_of(self, keys: Sequence[str]) -> str:
        """Return the name of the variable that holds the value, as the person spelled it."""
        for length in range(len(keys), 0, -1):
            wanted = env_name(keys[:length])
            for variable in sorted(os.environ):
                if variable.upper() == wanted:
                    return variable
        return self._origin


def env_name(keys: Sequence[str]) -> str:
    """Return the name of the environment variable of a key."""
    return ENV_PREFIX + ENV_DELIMITER.join(keys).upper()


def _refuse_misspelt() -> None:
    fields = Settings.model_fields.items()
    sections = [env_name([name]) for name, info in fields if is_section(info.annotation)]
    for variable in sorted(os.environ):
        name = variable.upper()
        for section in sections:
            rest = name.removeprefix(f"{section}_")
            # With the whole delimiter it is looked up, and found unknown, like any other.
            if rest == name or rest.startswith("_") or not os.environ[variable]:
                continue
            known = [info.env for info in describe_settings()]
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"settings begin with {section}__"
            raise ConfigError(f"{printable(variable)}: there is no such setting", hint=hint)


def command_line_source(data_dir: Path | None, overrides: Mapping[str, Any]) -> Source:
    """Return the flags as a source; a flag that is None was not given."""
    values: dict[str, Any] = {} if data_dir is None else {"data_dir": data_dir}
    for dotted_key, value in overrides.items():
        if value is not None:
            values = overlaid(values, nested(dotted_key, value))
    return Source(values, "the command line")


def nested(dotted_key: str, value: Any) -> dict[str, Any]:
    """Return `{"asr": {"model": value}}` for `asr.model`."""
    for key in reversed(dotted_key.split(".")):
        value = {key: value}
    result: dict[str, Any] = value
    return result


def overlaid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return `below` with the values of `above` laid over it, table by table."""
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            value = overlaid(under, value)
        result[key] = value
    return result


def merged(sources: Sequence[Source]) -> dict[str, Any]:
    """Return the values of all sources; the first one is the strongest."""
    result: dict[str, Any] = {}
    for source in reversed(sources):
        result = overlaid(result, source.values)
    return result
