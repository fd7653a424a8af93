"""A module that breaks the contract is named with the chunk and the rule."""

from typing import Any

import pytest
from pydantic import Field

from kb_core import (
    LANGUAGE_MODEL,
    TRANSCRIPT,
    CanonicalDocument,
    Chunk,
    ChunkModuleSpec,
    ChunkPolicy,
    ChunkRuntime,
    Model,
    NoOptions,
    StepWarning,
    TranscriptSegment,
    module_options,
    run_chunker,
)
from kb_core.errors import ChunkContractError, ChunkInputError, ConfigError, MissingCapability
from kb_testing.bad_chunkers import BAD_CHUNKERS, BAD_KEY, BadChunker, ScriptedChunker, two_halves
from kb_testing.documents import make_note
from kb_testing.strategies import audio_document

POLICY = ChunkPolicy(chunker_version=f"{BAD_KEY}-v1")


class WithRuntime(ScriptedChunker):
    """A good module that does something with its runtime first."""

    def __init__(self, use: Any, **spec: Any) -> None:
        super().__init__(lambda _, good: good, **spec)
        self._use = use

    def chunk(
        self, doc: CanonicalDocument, policy: ChunkPolicy, runtime: ChunkRuntime | None = None
    ) -> list[Chunk]:
        self._use(runtime)
        return super().chunk(doc, policy, runtime)


class Options(Model):
    most: int = Field(default=3, ge=1, description="How many.")
    label: str = Field(default="", description="What it is called.")


def document() -> CanonicalDocument:
    return audio_document(
        [TranscriptSegment(start_ms=i * 10, end_ms=i * 10 + 5, text=f"t{i}") for i in range(4)]
    )


def good_chunks(doc: CanonicalDocument) -> list[Chunk]:
    chunker = ScriptedChunker(lambda _, good: good)
    return two_halves(doc, chunker.chunker_version(), chunker.policy_hash(POLICY))


def test_good_chunks_pass_unchanged() -> None:
    doc = document()
    result = run_chunker(ScriptedChunker(lambda _, good: good), doc, POLICY)
    assert result.chunks == tuple(good_chunks(doc))
    assert result.warnings == ()


def test_gaps_and_overlaps_are_the_module_s_own_business() -> None:
    def overlapping(_: CanonicalDocument, good: list[Chunk]) -> list[Chunk]:
        changes = {"unit_ids": good[0].unit_ids[1:], "parts": ()}
        return [good[0], good[1].model_copy(update=changes)]

    assert len(run_chunker(ScriptedChunker(overlapping), document(), POLICY).chunks) == 2
    assert run_chunker(ScriptedChunker(lambda *_: []), document(), POLICY).chunks == ()


@pytest.mark.parametrize("bad", BAD_CHUNKERS, ids=lambda bad: bad.name)
def test_a_broken_rule_names_module_chunk_and_rule(bad: BadChunker) -> None:
    with pytest.raises(ChunkContractError) as caught:
        run_chunker(bad.chunker, document(), POLICY)
    assert caught.value.module == BAD_KEY
    assert caught.value.chunk == bad.chunk
    assert bad.rule in str(caught.value)
    assert str(caught.value).startswith(f"chunk module {BAD_KEY}, chunk {bad.chunk}: ")


def test_an_error_is_one_line_whatever_a_module_returns() -> None:
    def cut(_: CanonicalDocument, good: list[Chunk]) -> list[Chunk]:
        return [good[0].model_copy(update={"unit_ids": ("made up\n:0",), "parts": ()})]

    with pytest.raises(ChunkContractError) as caught:
        run_chunker(ScriptedChunker(cut), document(), POLICY)
    assert "made up\\x0a:0" in str(caught.value)


def test_a_suppressed_segment_is_no_unit_to_chunk() -> None:
    kept = TranscriptSegment(start_ms=0, end_ms=5, text="yes")
    dropped = TranscriptSegment(start_ms=5, end_ms=9, text="no").flagged("repeated")
    doc = audio_document([kept, dropped])
    (unit,) = doc.source_units()

    def cut(_: CanonicalDocument, good: list[Chunk]) -> list[Chunk]:
        ids = (f"{unit.block_id}:0", f"{unit.block_id}:1")
        return [good[0].model_copy(update={"unit_ids": ids, "parts": ()})]

    with pytest.raises(ChunkContractError, match="not of this document"):
        run_chunker(ScriptedChunker(cut), doc, POLICY)


def test_warnings_travel_with_the_result() -> None:
    def warn(runtime: ChunkRuntime) -> None:
        runtime.warn("scene_unclear", "no scene here", unit="u1")
        runtime.warn("scene_unclear", "no scene here", unit="u1")
        runtime.warn("scene_unclear", "no scene here", unit="u2")

    warnings = run_chunker(WithRuntime(warn), document(), POLICY).warnings
    assert warnings == tuple(
        StepWarning(code="scene_unclear", message="no scene here", unit=unit)
        for unit in ("u1", "u2")
    )


def test_a_module_that_needs_a_model_and_gets_none_is_not_even_run() -> None:
    def fail(_: ChunkRuntime) -> None:
        raise AssertionError("it ran")

    module = WithRuntime(fail, requires=(LANGUAGE_MODEL,))
    with pytest.raises(MissingCapability) as caught:
        run_chunker(module, document(), POLICY)
    assert caught.value.capability == "a language model"
    assert str(caught.value) == f"chunk module {BAD_KEY} needs a language model, and there is none"
    assert "llm.url" in (caught.value.hint or "")


def test_a_module_that_cuts_transcripts_gets_no_note() -> None:
    module = ScriptedChunker(lambda _, good: good, requires=(TRANSCRIPT,))
    with pytest.raises(ChunkInputError, match=r"note\.md") as caught:
        run_chunker(module, make_note("note.md", ["one", "two"]).document, POLICY)
    assert "--chunker" in (caught.value.hint or "")
    assert run_chunker(module, document(), POLICY).chunks


def test_a_capability_that_nobody_has_is_missing() -> None:
    module = ScriptedChunker(lambda _, good: good, requires=("a crystal ball",))
    with pytest.raises(MissingCapability, match="needs a crystal ball"):
        run_chunker(module, document(), POLICY)


def test_what_a_module_refuses_is_passed_on() -> None:
    def refuse(_: ChunkRuntime) -> None:
        raise ChunkInputError("only handles papers")

    with pytest.raises(ChunkInputError, match="only handles papers"):
        run_chunker(WithRuntime(refuse), document(), POLICY)


def test_options_are_checked_and_filled_up() -> None:
    spec = ChunkModuleSpec(key="testing", version="v1", options=Options)
    assert module_options(spec, {}) == {"most": 3, "label": ""}
    assert module_options(spec, {"most": "7"}) == {"most": 7, "label": ""}
    assert module_options(ChunkModuleSpec(key="testing", version="v1"), {}) == {}
    assert ChunkModuleSpec(key="testing", version="v1").options is NoOptions


@pytest.mark.parametrize(
    ("given", "named"), [({"most": 0}, "most"), ({"most": "x"}, "most"), ({"least": 1}, "least")]
)
def test_an_option_that_cannot_be_names_those_that_can(given: dict[str, Any], named: str) -> None:
    spec = ChunkModuleSpec(key="testing", version="v1", options=Options)
    with pytest.raises(ConfigError, match=f"testing: option {named}") as caught:
        module_options(spec, given)
    assert "most (3): How many." in (caught.value.hint or "")


def test_what_may_ask_a_model_says_so() -> None:
    for field in ("requires", "uses"):
        spec = ChunkModuleSpec.model_validate(
            {"key": "testing", "version": "v1", field: (LANGUAGE_MODEL,)}
        )
        assert spec.may_ask_a_model
    assert not ChunkModuleSpec(key="testing", version="v1").may_ask_a_model
