"""What every chunk module must do, whoever wrote it, as checks that take a case.

CASE = ModuleCase(MyChunker, document=an_interview, policy=..., language_model=...)

@pytest.mark.parametrize("check", CHUNK_MODULE_CHECKS, ids=lambda check: check.__name__)
def test_my_module_conforms(check): check(CASE)

Modules that cut all the text of a document, deterministically, pass `CHUNKER_CHECKS` beside these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from kb_core import (
    LANGUAGE_MODEL,
    TRANSCRIPT,
    CancelToken,
    CanonicalDocument,
    Chunker,
    ChunkPolicy,
    ChunkResult,
    ChunkRuntime,
    module_options,
    run_chunker,
)
from kb_core.errors import Cancelled, ChunkInputError, ConfigError, MissingCapability
from kb_core.ports.language_model import StructuredLanguageModel
from kb_testing.documents import make_note

KEY = re.compile(r"[a-z0-9]+(?:[-_./][a-z0-9]+)*")
KNOWN_CAPABILITIES = frozenset({TRANSCRIPT, LANGUAGE_MODEL})


@dataclass(frozen=True, slots=True)
class ModuleCase:
    """A module, and a document that it can cut.

    Attributes:
        make: makes the module, as its entry point does.
        document: with at least two units.
        options: of the module, where others than the defaults suit the document.
        language_model: makes a model that answers well, for modules that ask one.
    """

    make: Callable[[], Chunker]
    document: CanonicalDocument
    options: dict[str, object] | None = None
    language_model: Callable[[], StructuredLanguageModel] | None = None

    def policy(self, chunker: Chunker, **changes: object) -> ChunkPolicy:
        """Return the policy that an application would make."""
        options = module_options(chunker.spec, self.options or {})  # type: ignore[arg-type]
        fields = {"chunker_version": chunker.chunker_version(), "options": options, **changes}
        return ChunkPolicy.model_validate(fields)

    def runtime(self, *, cancel: CancelToken | None = None) -> ChunkRuntime:
        """Return a runtime with a fresh model."""
        model = self.language_model() if self.language_model else None
        return ChunkRuntime(language_model=model, cancel=cancel)

    def run(self, document: CanonicalDocument | None = None) -> ChunkResult:
        """Cut the document with a fresh module."""
        chunker = self.make()
        return run_chunker(chunker, document or self.document, self.policy(chunker), self.runtime())


ModuleCheck = Callable[[ModuleCase], None]


def check_the_spec_is_well_formed(case: ModuleCase) -> None:
    """Key, version, capabilities and options say what they should."""
    chunker = case.make()
    assert isinstance(chunker, Chunker)
    spec = chunker.spec
    assert KEY.fullmatch(spec.key), spec.key
    assert spec.version
    assert {*spec.requires, *spec.uses} <= KNOWN_CAPABILITIES
    assert "chunks" in spec.provides
    for name, field in spec.options.model_fields.items():
        assert not field.is_required(), f"option {name} has no default"
        assert field.description, f"option {name} says not what it means"
    assert json.loads(json.dumps(module_options(spec, {}))) == module_options(spec, {})
    with pytest.raises(ConfigError):
        module_options(spec, {"no such option": 1})


def check_versions_tell_modules_and_policies_apart(case: ModuleCase) -> None:
    """The version holds the key, and the hash changes with the policy."""
    chunker = case.make()
    assert chunker.chunker_version() == case.make().chunker_version()
    assert chunker.chunker_version().startswith(chunker.spec.key)
    policy, other = case.policy(chunker), case.policy(chunker, target_tokens=7, overlap_tokens=0)
    assert re.fullmatch(r"[0-9a-f]{16}", chunker.policy_hash(policy))
    assert chunker.policy_hash(policy) == case.make().policy_hash(policy)
    assert chunker.policy_hash(policy) != chunker.policy_hash(other)
    with_option = policy.model_copy(update={"options": {**policy.options, "more": 1}})
    assert chunker.policy_hash(policy) != chunker.policy_hash(with_option)


def check_a_document_becomes_chunks(case: ModuleCase) -> None:
    """`run_chunker`, which checks every rule of the contract, accepts them."""
    assert case.run().chunks


def check_two_runs_are_equal(case: ModuleCase) -> None:
    """Neither a clock nor chance nor what was cut before takes part."""
    first = case.run()
    again = CanonicalDocument.model_validate_json(case.document.model_dump_json())
    assert case.run(again) == first


def check_ids_depend_on_the_document(case: ModuleCase) -> None:
    """The same content elsewhere has chunks of its own."""
    moved = case.document.model_copy(update={"doc_id": "0" * 32})
    ids, other = (
        {chunk.chunk_id for chunk in case.run(document).chunks}
        for document in (case.document, moved)
    )
    assert not ids & other


def check_metadata_survive_json(case: ModuleCase) -> None:
    """What a module says of its chunks comes back from JSON as it was."""
    for chunk in case.run().chunks:
        assert json.loads(json.dumps(chunk.metadata)) == chunk.metadata


def check_nothing_to_cut_gives_nothing(case: ModuleCase) -> None:
    """A document without a single unit has no chunks."""
    assert case.run(_emptied(case.document)).chunks == ()


def check_what_is_required_is_asked_for(case: ModuleCase) -> None:
    """A module that cuts transcripts refuses others, one that needs a model refuses without."""
    chunker = case.make()
    policy = case.policy(chunker)
    if TRANSCRIPT in chunker.spec.requires:
        note = make_note("note.md", ["no transcript", "at all"]).document
        with pytest.raises(ChunkInputError):
            run_chunker(chunker, note, policy, case.runtime())
        with pytest.raises(ChunkInputError):
            chunker.chunk(note, policy, case.runtime())
    if LANGUAGE_MODEL in chunker.spec.requires:
        for call in (
            lambda: run_chunker(chunker, case.document, policy),
            lambda: chunker.chunk(case.document, policy),
        ):
            with pytest.raises(MissingCapability):
                call()
    if LANGUAGE_MODEL in chunker.spec.uses:
        assert run_chunker(chunker, case.document, policy).chunks


def check_a_stop_ends_what_takes_long(case: ModuleCase) -> None:
    """A module that asks a model stops when it is told to."""
    chunker = case.make()
    if not chunker.spec.may_ask_a_model:
        return
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        run_chunker(chunker, case.document, case.policy(chunker), case.runtime(cancel=cancel))


def _emptied(document: CanonicalDocument) -> CanonicalDocument:
    """Return a document of the same kind in which nothing can be seen."""
    audio = document.audio
    if audio is None or audio.transcript is None:
        return document.model_copy(update={"blocks": ()})
    transcript = audio.transcript.model_copy(update={"segments": ()})
    block = audio.model_copy(update={"transcript": transcript})
    return document.model_copy(update={"blocks": (block, *document.blocks[1:])})


CHUNK_MODULE_CHECKS: tuple[ModuleCheck, ...] = (
    check_the_spec_is_well_formed,
    check_versions_tell_modules_and_policies_apart,
    check_a_document_becomes_chunks,
    check_two_runs_are_equal,
    check_ids_depend_on_the_document,
    check_metadata_survive_json,
    check_nothing_to_cut_gives_nothing,
    check_what_is_required_is_asked_for,
    check_a_stop_ends_what_takes_long,
)
