"""The chunk contract: one interface for deterministic and model-backed modules.

`run_chunker` is the only way in which the application calls a module. It checks every result, so
that no store and no search ever sees a chunk that points nowhere.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pydantic import BaseModel

from kb_core.chunks import Chunk, ChunkPolicy, ChunkResult
from kb_core.document import CanonicalDocument
from kb_core.errors import ChunkContractError, MissingCapability
from kb_core.model import Model
from kb_core.ports.language_model import StructuredLanguageModel
from kb_core.runtime import CancelToken, ProgressCallback, StepRuntime, no_progress


class NoOptions(Model):
    """Options of a module that has none."""


class ChunkModuleSpec(Model):
    """What a chunk module is.

    Attributes:
        key: name in settings and on the command line, such as `audio-segment-v1`.
        version: changes whenever the same input may give other chunks.
        requires: what the runtime or the document must hold (`transcript`, `language_model`).
        provides: what comes out (`chunks`, `dnd.scenes`).
        options: pydantic model of the module's own options.
    """

    key: str
    version: str
    requires: tuple[str, ...] = ()
    provides: tuple[str, ...] = ("chunks",)
    options: type[BaseModel] = NoOptions


class ChunkRuntime(StepRuntime):
    """What the runner hands to a module; a module never builds a model client itself."""

    def __init__(
        self,
        *,
        language_model: StructuredLanguageModel | None = None,
        cancel: CancelToken | None = None,
        progress: ProgressCallback = no_progress,
    ) -> None:
        super().__init__(cancel=cancel, progress=progress)
        self._language_model = language_model

    def require_language_model(self, module: str) -> StructuredLanguageModel:
        """Return the model client.

        Raises:
            MissingCapability: there is none.
        """
        if self._language_model is None:
            raise MissingCapability(module, "a language model")
        return self._language_model


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
    """
    runtime = runtime or ChunkRuntime()
    chunks = chunker.chunk(doc, policy, runtime)
    _check(chunker, doc, chunks)
    return ChunkResult(chunks=tuple(chunks), warnings=runtime.warnings)


def _check(chunker: Chunker, doc: CanonicalDocument, chunks: list[Chunk]) -> None:
    units = doc.source_units()
    positions = {unit.unit_id: place for place, unit in enumerate(units)}
    texts = {unit.unit_id: unit.text for unit in units}
    seen_ids: set[str] = set()
    for place, chunk in enumerate(chunks):
        rule = _broken_rule(chunk, doc, positions) or _broken_part(chunk, texts)
        if rule is None and chunk.chunk_id in seen_ids:
            rule = f"chunk id {chunk.chunk_id} was used before"
        if rule is None and chunk.index != place:
            rule = f"index {chunk.index} at place {place}; indexes are 0, 1, 2 … in returned order"
        if rule is not None:
            raise ChunkContractError(chunker.spec.key, f"#{place}", rule)
        seen_ids.add(chunk.chunk_id)


def _broken_rule(chunk: Chunk, doc: CanonicalDocument, positions: dict[str, int]) -> str | None:
    if not chunk.chunk_id:
        return "empty chunk id"
    if chunk.doc_id != doc.doc_id:
        return f"belongs to document {chunk.doc_id}, not {doc.doc_id}"
    if not chunk.unit_ids:
        return "holds no source unit"
    previous = -1
    for unit_id in chunk.unit_ids:
        position = positions.get(unit_id)
        if position is None:
            return f"unit {unit_id} is not of this document"
        if position <= previous:
            return f"unit {unit_id} is out of document order"
        previous = position
    return None


def _broken_part(chunk: Chunk, texts: dict[str, str]) -> str | None:
    if not chunk.parts:
        return None
    if tuple(part.unit_id for part in chunk.parts) != chunk.unit_ids:
        return "its parts are not those of its units, in their order"
    previous_end = 0
    for part in chunk.parts:
        if part.char_start < previous_end or part.char_end < part.char_start:
            return f"the part of unit {part.unit_id} overlaps the one before"
        in_chunk = chunk.text[part.char_start : part.char_end]
        in_unit = texts[part.unit_id][part.unit_char_start : part.unit_char_end]
        if in_chunk != in_unit or len(in_chunk) != part.char_end - part.char_start:
            return f"the part of unit {part.unit_id} is not what stands there"
        previous_end = part.char_end
    return None
