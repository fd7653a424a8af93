"""Chunk modules that break the contract on purpose, each another rule of it.

The framework must name the rule, and an application must store nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, cast

from pydantic import BaseModel

from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkModuleSpec,
    ChunkPart,
    ChunkPolicy,
    ChunkRuntime,
    NoOptions,
    SourceUnit,
    estimate_tokens,
    make_chunk_id,
    make_policy_hash,
)

BAD_KEY = "testing/bad"
"""Key of every module here."""

Cut = Callable[[CanonicalDocument, list[Chunk]], Any]
"""Gets a document and the two good chunks that it could be cut into; returns what is wrong."""


class ScriptedChunker:
    """A chunk module that spoils what a good one would make.

    Args:
        cut: what it makes of the good chunks.
        requires, options: of its spec.
    """

    def __init__(
        self,
        cut: Cut,
        *,
        requires: tuple[str, ...] = (),
        options: type[BaseModel] = NoOptions,
    ) -> None:
        self._cut = cut
        self.spec = ChunkModuleSpec(
            key=BAD_KEY, version=f"{BAD_KEY}-v1", requires=requires, options=options
        )

    def chunker_version(self) -> str:
        """Return the version that goes into every chunk id."""
        return self.spec.version

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return 16 hex characters that stand for the policy."""
        return make_policy_hash(policy)

    def chunk(
        self, doc: CanonicalDocument, policy: ChunkPolicy, runtime: ChunkRuntime | None = None
    ) -> list[Chunk]:
        """Return what the script makes of two good chunks, the halves of the document."""
        del runtime
        good = two_halves(doc, self.chunker_version(), self.policy_hash(policy))
        return cast("list[Chunk]", self._cut(doc, good))


@dataclass(frozen=True, slots=True)
class BadChunker:
    """A module that breaks one rule.

    Attributes:
        name: of the rule, for tests.
        chunker: the module.
        rule: a piece of what the error says.
        chunk: which chunk it names.
    """

    name: str
    chunker: ScriptedChunker
    rule: str
    chunk: str = "#1"


def two_halves(doc: CanonicalDocument, chunker_version: str, policy_hash: str) -> list[Chunk]:
    """Return two good chunks of a document of at least two units, in parts."""
    units = doc.source_units()
    middle = len(units) // 2
    halves = [half for half in (units[:middle], units[middle:]) if half]
    return [
        _good_chunk(doc, index, half, chunker_version, policy_hash)
        for index, half in enumerate(halves)
    ]


def _good_chunk(
    doc: CanonicalDocument,
    index: int,
    units: Sequence[SourceUnit],
    chunker_version: str,
    policy_hash: str,
) -> Chunk:
    text = "\n".join(unit.text for unit in units)
    parts, position = [], 0
    for unit in units:
        end = position + len(unit.text)
        parts.append(
            ChunkPart(
                unit_id=unit.unit_id,
                char_start=position,
                char_end=end,
                unit_char_start=0,
                unit_char_end=len(unit.text),
                span=unit.span,
            )
        )
        position = end + 1
    block_ids = tuple(dict.fromkeys(unit.block_id for unit in units))
    spans = tuple(unit.span for unit in units)
    return Chunk(
        chunk_id=make_chunk_id(
            doc_id=doc.doc_id,
            chunker_version=chunker_version,
            block_ids=block_ids,
            policy_hash=policy_hash,
            source_spans=spans,
            occurrence=index,
        ),
        doc_id=doc.doc_id,
        index=index,
        block_ids=block_ids,
        unit_ids=tuple(unit.unit_id for unit in units),
        text=text,
        source_spans=spans,
        parts=tuple(parts),
        token_estimate=estimate_tokens(text),
        chunker_version=chunker_version,
        policy_hash=policy_hash,
    )


def with_second(**changes: Any) -> Cut:
    """Return a cut whose second chunk has these fields instead."""
    return lambda _, good: [good[0], good[1].model_copy(update=changes)]


def _second_part(**changes: Any) -> Cut:
    def cut(_: CanonicalDocument, good: list[Chunk]) -> list[Chunk]:
        first, *others = good[1].parts
        parts = (first.model_copy(update=changes), *others)
        return [good[0], good[1].model_copy(update={"parts": parts})]

    return cut


def _raise(_: CanonicalDocument, __: list[Chunk]) -> list[Chunk]:
    raise KeyError("speaker")


def _twice(_: CanonicalDocument, good: list[Chunk]) -> list[Chunk]:
    return [good[0], good[0].model_copy(update={"index": 1})]


def _backwards(_: CanonicalDocument, good: list[Chunk]) -> list[Chunk]:
    changes = {"unit_ids": good[1].unit_ids[::-1] * 2, "parts": ()}
    return [good[0], good[1].model_copy(update=changes)]


def _without_part(chunk: Chunk) -> Chunk:
    return chunk.model_copy(update={"parts": chunk.parts[:-1] or (chunk.parts[0],) * 2})


def _part_missing(_: CanonicalDocument, good: list[Chunk]) -> list[Chunk]:
    return [good[0], _without_part(good[1])]


BAD_CHUNKERS: tuple[BadChunker, ...] = (
    BadChunker("empty_id", ScriptedChunker(with_second(chunk_id="")), "empty chunk id"),
    BadChunker("same_id_twice", ScriptedChunker(_twice), "was used before"),
    BadChunker(
        "other_document",
        ScriptedChunker(with_second(doc_id="elsewhere")),
        "belongs to document elsewhere",
    ),
    BadChunker("index_repeated", ScriptedChunker(with_second(index=0)), "index 0 at place 1"),
    BadChunker("index_skipped", ScriptedChunker(with_second(index=2)), "index 2 at place 1"),
    BadChunker(
        "other_version", ScriptedChunker(with_second(chunker_version="v0")), "has version v0"
    ),
    BadChunker(
        "other_policy",
        ScriptedChunker(with_second(policy_hash="0" * 16)),
        f"has policy hash {'0' * 16}",
    ),
    BadChunker(
        "no_unit", ScriptedChunker(with_second(unit_ids=(), parts=())), "holds no source unit"
    ),
    BadChunker(
        "unknown_unit",
        ScriptedChunker(with_second(unit_ids=("made up:0",), parts=())),
        "unit made up:0 is not of this document",
    ),
    BadChunker("units_backwards", ScriptedChunker(_backwards), "is out of document order"),
    BadChunker(
        "other_blocks",
        ScriptedChunker(with_second(block_ids=("elsewhere",))),
        "its blocks are not those of its units",
    ),
    BadChunker(
        "part_missing", ScriptedChunker(_part_missing), "its parts are not those of its units"
    ),
    BadChunker(
        "part_backwards", ScriptedChunker(_second_part(char_end=0, char_start=1)), "overlaps"
    ),
    BadChunker(
        "part_of_other_text",
        ScriptedChunker(_second_part(unit_char_start=1)),
        "is not what stands there",
    ),
    BadChunker(
        "metadata_no_json",
        ScriptedChunker(with_second(metadata={"score": [nan]})),
        "its metadata hold what JSON cannot",
    ),
    BadChunker(
        "metadata_half_character",
        ScriptedChunker(with_second(metadata={"\ud800": 1})),
        "its metadata hold what JSON cannot",
    ),
    BadChunker("raises", ScriptedChunker(_raise), "raised KeyError: 'speaker'", chunk="-"),
    BadChunker(
        "no_chunks_at_all",
        ScriptedChunker(lambda _, good: [good[0].model_dump()]),
        "returned dict, no chunk",
        chunk="-",
    ),
    BadChunker(
        "nothing_to_go_through", ScriptedChunker(lambda *_: None), "raised TypeError", chunk="-"
    ),
)
