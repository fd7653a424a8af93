"""A module that breaks the contract is named with the chunk and the rule."""

from collections.abc import Callable
from typing import Any

import pytest

from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkModuleSpec,
    ChunkPolicy,
    ChunkRuntime,
    StepWarning,
    TranscriptSegment,
    make_policy_hash,
    run_chunker,
)
from kb_core.errors import ChunkContractError, ChunkInputError, MissingCapability
from kb_testing.strategies import audio_document

POLICY = ChunkPolicy(chunker_version="test/bad")


class ModuleWith:
    """A module made from one function."""

    spec = ChunkModuleSpec(key="test/bad", version="v1")

    def __init__(
        self, cut: Callable[[CanonicalDocument, ChunkRuntime | None], list[Chunk]]
    ) -> None:
        self._cut = cut

    def chunker_version(self) -> str:
        return "test/bad"

    def policy_hash(self, policy: ChunkPolicy) -> str:
        return make_policy_hash(policy)

    def chunk(
        self, doc: CanonicalDocument, policy: ChunkPolicy, runtime: ChunkRuntime | None = None
    ) -> list[Chunk]:
        return self._cut(doc, runtime)


def document() -> CanonicalDocument:
    return audio_document(
        [TranscriptSegment(start_ms=i * 10, end_ms=i * 10 + 5, text=f"t{i}") for i in range(4)]
    )


def good_chunks(doc: CanonicalDocument) -> list[Chunk]:
    units = doc.source_units()
    return [
        Chunk(
            chunk_id=f"c{place}",
            doc_id=doc.doc_id,
            index=place,
            block_ids=(pair[0].block_id,),
            unit_ids=tuple(unit.unit_id for unit in pair),
            text=" ".join(unit.text for unit in pair),
            source_spans=(pair[0].span,),
            token_estimate=1,
            chunker_version="test/bad",
            policy_hash="0" * 16,
        )
        for place, pair in enumerate((units[:2], units[2:]))
    ]


def with_second_chunk(**changes: Any) -> Callable[..., list[Chunk]]:
    def cut(doc: CanonicalDocument, _: ChunkRuntime | None) -> list[Chunk]:
        first, second = good_chunks(doc)
        return [first, second.model_copy(update=changes)]

    return cut


def test_good_chunks_pass_unchanged() -> None:
    doc = document()
    result = run_chunker(ModuleWith(lambda doc, _: good_chunks(doc)), doc, POLICY)
    assert result.chunks == tuple(good_chunks(doc))
    assert result.warnings == ()


def test_gaps_and_overlaps_are_the_module_s_own_business() -> None:
    def cut(doc: CanonicalDocument, _: ChunkRuntime | None) -> list[Chunk]:
        first, second = good_chunks(doc)
        return [first, second.model_copy(update={"unit_ids": first.unit_ids[1:]})]

    assert len(run_chunker(ModuleWith(cut), document(), POLICY).chunks) == 2
    assert run_chunker(ModuleWith(lambda *_: []), document(), POLICY).chunks == ()


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"chunk_id": ""}, "empty chunk id"),
        ({"chunk_id": "c0"}, "chunk id c0 was used before"),
        ({"doc_id": "elsewhere"}, "belongs to document elsewhere"),
        ({"index": 0}, "index 0 at place 1"),
        ({"index": 2}, "index 2 at place 1"),
        ({"unit_ids": ()}, "holds no source unit"),
        ({"unit_ids": ("made up\n:0",)}, "unit made up\\x0a:0 is not of this document"),
    ],
)
def test_a_broken_rule_names_module_chunk_and_rule(changes: dict[str, Any], rule: str) -> None:
    with pytest.raises(ChunkContractError) as caught:
        run_chunker(ModuleWith(with_second_chunk(**changes)), document(), POLICY)
    assert caught.value.module == "test/bad"
    assert caught.value.chunk == "#1"
    assert str(caught.value).startswith(f"chunk module test/bad, chunk #1: {rule}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("order", [(1, 0), (0, 0)])
def test_units_out_of_document_order_break_a_rule(order: tuple[int, int]) -> None:
    doc = document()
    units = doc.source_units()
    module = ModuleWith(with_second_chunk(unit_ids=tuple(units[i].unit_id for i in order)))
    with pytest.raises(ChunkContractError, match=r"chunk #1: unit .* is out of document order"):
        run_chunker(module, doc, POLICY)


def test_a_suppressed_segment_is_no_unit_to_chunk() -> None:
    kept = TranscriptSegment(start_ms=0, end_ms=5, text="yes")
    dropped = TranscriptSegment(start_ms=5, end_ms=9, text="no").flagged("repeated")
    doc = audio_document([kept, dropped])
    (unit,) = doc.source_units()
    block_id = unit.block_id
    chunk = good_chunks(document())[0].model_copy(
        update={"doc_id": doc.doc_id, "unit_ids": (f"{block_id}:0", f"{block_id}:1")}
    )
    with pytest.raises(ChunkContractError, match="not of this document"):
        run_chunker(ModuleWith(lambda *_: [chunk]), doc, POLICY)


def test_warnings_travel_with_the_result() -> None:
    def cut(doc: CanonicalDocument, runtime: ChunkRuntime | None) -> list[Chunk]:
        assert runtime is not None
        runtime.warn("scene_unclear", "no scene here", unit="u1")
        runtime.warn("scene_unclear", "no scene here", unit="u1")
        runtime.warn("scene_unclear", "no scene here", unit="u2")
        return good_chunks(doc)

    warnings = run_chunker(ModuleWith(cut), document(), POLICY).warnings
    assert warnings == tuple(
        StepWarning(code="scene_unclear", message="no scene here", unit=unit)
        for unit in ("u1", "u2")
    )


def test_a_module_that_needs_a_model_and_gets_none_says_so() -> None:
    def cut(doc: CanonicalDocument, runtime: ChunkRuntime | None) -> list[Chunk]:
        assert runtime is not None
        runtime.require_language_model("test/bad")
        return []

    with pytest.raises(MissingCapability) as caught:
        run_chunker(ModuleWith(cut), document(), POLICY)
    assert caught.value.capability == "a language model"
    assert str(caught.value) == "chunk module test/bad needs a language model, and there is none"


def test_what_a_module_refuses_is_passed_on() -> None:
    def cut(doc: CanonicalDocument, _: ChunkRuntime | None) -> list[Chunk]:
        raise ChunkInputError("only handles papers")

    with pytest.raises(ChunkInputError, match="only handles papers"):
        run_chunker(ModuleWith(cut), document(), POLICY)
