"""The chunk contract: one interface for deterministic and model-backed modules.

`run_chunker` is the only way in which the application calls a module. It checks every result, so
that no store and no search ever sees a chunk that points nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from pydantic import BaseModel, JsonValue, ValidationError

from kb_core.chunk_rules import broken_rules
from kb_core.chunks import Chunk, ChunkPolicy, ChunkResult
from kb_core.document import CanonicalDocument
from kb_core.errors import (
    ChunkContractError,
    ChunkInputError,
    ConfigError,
    KbError,
    MissingCapability,
    printable,
)
from kb_core.model import Model
from kb_core.ports.language_model import StructuredLanguageModel
from kb_core.runtime import CancelToken, StepRuntime

TRANSCRIPT = "transcript"
"""Capability of a document: it has a transcript, so its units are segments."""
LANGUAGE_MODEL = "language_model"
"""Capability of the runtime: there is a model to ask."""


class ModuleProgress(Model):
    """How far a module is, in parts of its work; `unit` names the part, such as `block 2 of 7`."""

    done: int
    total: int
    unit: str | None = None


OnModuleProgress = Callable[[ModuleProgress], None]


class NoOptions(Model):
    """Options of a module that has none."""


class ChunkModuleSpec(Model):
    """What a chunk module is.

    Attributes:
        key: name in settings and on the command line, such as `audio-segment-v1`.
        version: changes whenever the same input may give other chunks.
        requires: what must be there, of the capabilities above; `run_chunker` checks it.
        uses: what is made use of where it is there, and done without where it is not.
        provides: what comes out (`chunks`, `dnd.scenes`).
        options: pydantic model of the module's own options.
    """

    key: str
    version: str
    requires: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    provides: tuple[str, ...] = ("chunks",)
    options: type[BaseModel] = NoOptions

    @property
    def may_ask_a_model(self) -> bool:
        """Whether what comes out depends on the language model."""
        return LANGUAGE_MODEL in (*self.requires, *self.uses)


class ChunkRuntime(StepRuntime):
    """What the runner hands to a module; a module never builds a model client itself.

    Attributes:
        language_model: what may be asked, or None where there is none.
        on_progress: to be told after each part of the work that takes seconds.
    """

    def __init__(
        self,
        *,
        language_model: StructuredLanguageModel | None = None,
        cancel: CancelToken | None = None,
        on_progress: OnModuleProgress = lambda _: None,
    ) -> None:
        super().__init__(cancel=cancel)
        self.language_model = language_model
        self.on_progress = on_progress

    def require_language_model(self, module: str) -> StructuredLanguageModel:
        """Return the model client.

        Raises:
            MissingCapability: there is none.
        """
        if self.language_model is None:
            raise MissingCapability(
                module,
                "a language model",
                hint="name a server and a model in the settings llm.url and llm.model, or choose"
                " another module with --chunker",
            )
        return self.language_model


@runtime_checkable
class Chunker(Protocol):
    """A chunk module."""

    @property
    def spec(self) -> ChunkModuleSpec:
        """What the module is and needs."""
        ...

    def chunker_version(self) -> str:
        """Return the version that goes into every chunk id."""
        ...

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return 16 hex characters that stand for the policy."""
        ...

    def chunk(
        self, doc: CanonicalDocument, policy: ChunkPolicy, runtime: ChunkRuntime | None = None
    ) -> list[Chunk]:
        """Cut `doc`; None as runtime means offline.

        Raises:
            ChunkInputError: the module does not handle such documents.
            MissingCapability: it needs what the runtime does not hold.
        """
        ...


def module_options(spec: ChunkModuleSpec, given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return all options of a module: those that are given, checked, and the defaults of others.

    Raises:
        ConfigError: one is unknown or cannot have that value; the hint lists what there is.
    """
    try:
        options = spec.options.model_validate(dict(given))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = ".".join(map(str, problem["loc"])) or "options"
        raise ConfigError(
            f"chunk module {spec.key}: option {printable(name)}: {problem['msg']}",
            hint=f"its options: {'; '.join(describe_options(spec)) or 'none'}",
        ) from error
    return options.model_dump(mode="json")


def describe_options(spec: ChunkModuleSpec) -> list[str]:
    """Return each option of a module with its default and what it means, for people."""
    return [
        f"{name} ({field.get_default(call_default_factory=True)!r}): {field.description or ''}"
        for name, field in spec.options.model_fields.items()
    ]


def run_chunker(
    chunker: Chunker,
    doc: CanonicalDocument,
    policy: ChunkPolicy,
    runtime: ChunkRuntime | None = None,
) -> ChunkResult:
    """Run a module and check what it returns.

    Raises:
        ChunkContractError: a rule is broken; nothing of the result may be stored.
        ChunkInputError: the module does not handle such documents.
        MissingCapability: the module needs what the runtime does not hold.
        ModelError: a model that the module asks cannot be used.
        Cancelled: a stop was asked for.
    """
    runtime = runtime or ChunkRuntime()
    key = chunker.spec.key
    _check_requirements(chunker.spec, doc, runtime)
    try:
        chunks = list(chunker.chunk(doc, policy, runtime))
    except KbError:
        raise
    except Exception as error:
        raise ChunkContractError(key, "-", f"raised {type(error).__name__}: {error}") from error
    strangers = [each for each in chunks if not isinstance(each, Chunk)]
    if strangers:
        raise ChunkContractError(key, "-", f"returned {type(strangers[0]).__name__}, no chunk")
    rules = broken_rules(doc, chunks, chunker.chunker_version(), chunker.policy_hash(policy))
    for place, rule in rules:
        raise ChunkContractError(key, f"#{place}", rule)
    return ChunkResult(chunks=tuple(chunks), warnings=runtime.warnings)


def _check_requirements(
    spec: ChunkModuleSpec, doc: CanonicalDocument, runtime: ChunkRuntime
) -> None:
    for capability in spec.requires:
        if capability == TRANSCRIPT:
            if doc.audio is None or doc.audio.transcript is None:
                raise ChunkInputError(
                    f"{printable(doc.workspace_path)}: chunk module {spec.key} cuts transcripts,"
                    " and this document has none",
                    hint="choose another module with --chunker, or `default` for the usual one",
                )
        elif capability == LANGUAGE_MODEL:
            runtime.require_language_model(spec.key)
        else:
            raise MissingCapability(spec.key, capability)
