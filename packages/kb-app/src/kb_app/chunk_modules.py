"""Which chunk modules cut a document, with which policy.

What a person chose for a document comes before the settings. A module that cuts transcripts is
passed over for documents that have none, so that it can be chosen for a folder that holds notes
beside its recordings; where none is left, the settings' own module is taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from kb_app import plugins
from kb_app.wire import ChunkModuleListV1, ChunkModuleV1
from kb_config import Settings
from kb_core import (
    TRANSCRIPT,
    Chunker,
    ChunkPolicy,
    DocumentChoices,
    ModuleChoice,
    ModuleVersion,
    module_options,
)
from kb_core.chunking import describe_options
from kb_core.errors import ConfigError, printable
from kb_core.media import is_recording, is_transcript_file

DEFAULT_MODULE = "default"
"""Stands for the module that the settings name, where modules are chosen."""


@dataclass(frozen=True, slots=True)
class SelectedModule:
    """A chunk module, and what it is asked for."""

    chunker: Chunker
    policy: ChunkPolicy

    @property
    def key(self) -> str:
        """Name of the module."""
        return self.chunker.spec.key

    def version(self, model_id: str | None) -> ModuleVersion:
        """Return what a document is cut with, given the model that could be asked."""
        return ModuleVersion(
            module=self.key,
            chunker_version=self.chunker.chunker_version(),
            policy_hash=self.chunker.policy_hash(self.policy),
            model_id=model_id if self.chunker.spec.may_ask_a_model else None,
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """What cuts documents of one kind.

    Attributes:
        modules: at least one, in the order of their runs.
        passed_over: keys of those that were chosen and cannot cut such documents.
    """

    modules: tuple[SelectedModule, ...]
    passed_over: tuple[str, ...] = ()


def select_modules(settings: Settings, media_type: str, choices: DocumentChoices) -> Selection:
    """Return the modules for a medium and the choices made for a document.

    Raises:
        ConfigError: a module or one of its options is not known.
        FeatureMissing: the package of a module is not installed.
    """
    chosen = choices.chunkers or (ModuleChoice(key=DEFAULT_MODULE),)
    modules = {each.key: each for each in (_made(settings, media_type, one) for one in chosen)}
    fitting = [each for each in modules.values() if _fits(each.chunker, media_type)]
    passed_over = tuple(key for key in modules if key not in {each.key for each in fitting})
    if not fitting:
        fitting = [_made(settings, media_type, ModuleChoice(key=DEFAULT_MODULE))]
    return Selection(modules=tuple(fitting), passed_over=passed_over)


def beside_chosen(earlier: DocumentChoices, added: Sequence[ModuleChoice]) -> DocumentChoices:
    """Return the choices with further modules beside those that cut a document so far."""
    so_far = earlier.chunkers or (ModuleChoice(key=DEFAULT_MODULE),)
    chunkers = {each.key: each for each in (*so_far, *added)}
    return earlier.model_copy(update={"chunkers": tuple(chunkers.values())})


def chosen_modules(keys: Iterable[str], options: Iterable[str]) -> tuple[ModuleChoice, ...] | None:
    """Return the choices that keys and `name=value` texts stand for; None where there are none.

    Each option goes to every module named that has it. A value is read as JSON where it is some,
    and as text otherwise. Without a key, options are those of the settings' own module.

    Raises:
        ConfigError: a module or an option is not known, or has no `=`.
        FeatureMissing: the package of a module is not installed.
    """
    given = dict(map(_option, options))
    names = tuple(dict.fromkeys(keys))
    if not names:
        if not given:
            return None
        names = (DEFAULT_MODULE,)
    if DEFAULT_MODULE in names and (len(names) == 1 or not given):
        return tuple(
            ModuleChoice(key=key, options=given if key == DEFAULT_MODULE else {}) for key in names
        )
    specs = {key: plugins.make_chunker(key).spec for key in names if key != DEFAULT_MODULE}
    known = {name for spec in specs.values() for name in spec.options.model_fields}
    for name in given:
        if name not in known:
            listed = [line for spec in specs.values() for line in describe_options(spec)]
            raise ConfigError(
                f"no option {printable(name)} in {', '.join(specs)}",
                hint=f"options: {'; '.join(listed) or 'none'}",
            )
    chosen = []
    for key in names:
        fields = specs[key].options.model_fields if key in specs else {}
        own = {name: value for name, value in given.items() if name in fields}
        if key in specs:
            module_options(specs[key], own)
        chosen.append(ModuleChoice(key=key, options=own))
    return tuple(chosen)


def _option(text: str) -> tuple[str, JsonValue]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ConfigError(
            f"no chunk option: {printable(text)}", hint="write it as name=value, such as most=3"
        )
    try:
        parsed: JsonValue = json.loads(value)
    except ValueError:
        return name, value
    return name, parsed


def _made(settings: Settings, media_type: str, choice: ModuleChoice) -> SelectedModule:
    family = settings.chunking.for_family(media_type)
    is_default = choice.key == DEFAULT_MODULE
    chunker = plugins.make_chunker(family.chunker if is_default else choice.key)
    from_settings = family.options if chunker.spec.key == family.chunker else {}
    options = module_options(chunker.spec, {**from_settings, **choice.options})
    policy = family.policy(chunker.chunker_version())
    return SelectedModule(chunker=chunker, policy=policy.model_copy(update={"options": options}))


def _fits(chunker: Chunker, media_type: str) -> bool:
    has_transcript = is_recording(media_type) or is_transcript_file(media_type)
    return has_transcript or TRANSCRIPT not in chunker.spec.requires


def installed_modules(settings: Settings) -> ChunkModuleListV1:
    """Return every installed chunk module with its options."""
    families = {
        name: getattr(settings.chunking, name).chunker
        for name in type(settings.chunking).model_fields
    }
    return ChunkModuleListV1(
        modules=tuple(
            ChunkModuleV1(
                key=spec.key,
                version=spec.version,
                requires=spec.requires,
                uses=spec.uses,
                provides=spec.provides,
                options=spec.options.model_json_schema(),
                used_for=tuple(name for name, key in families.items() if key == spec.key),
            )
            for spec in (plugins.make_chunker(key).spec for key in plugins.chunker_keys())
        )
    )
