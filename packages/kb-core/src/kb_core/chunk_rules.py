"""What every chunk of every module keeps, whoever wrote the module.

Neither full coverage nor chunks that do not overlap are asked for: a module may ask that of itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from pydantic import JsonValue

from kb_core.chunks import Chunk
from kb_core.document import CanonicalDocument


def broken_rules(
    doc: CanonicalDocument, chunks: Sequence[Chunk], chunker_version: str, policy_hash: str
) -> Iterator[tuple[int, str]]:
    """Yield the place of each chunk that breaks a rule, and the first rule that it breaks."""
    units = doc.source_units()
    places = {unit.unit_id: place for place, unit in enumerate(units)}
    texts = {unit.unit_id: unit.text for unit in units}
    blocks = {unit.unit_id: unit.block_id for unit in units}
    seen_ids: set[str] = set()
    for place, chunk in enumerate(chunks):
        rule = (
            _of_identity(chunk, doc.doc_id, seen_ids, place)
            or _of_versions(chunk, chunker_version, policy_hash)
            or _of_units(chunk, places, blocks)
            or _of_parts(chunk, texts)
            or _of_metadata(chunk)
        )
        if rule is not None:
            yield place, rule
        seen_ids.add(chunk.chunk_id)


def _of_identity(chunk: Chunk, doc_id: str, seen_ids: set[str], place: int) -> str | None:
    if not chunk.chunk_id:
        return "empty chunk id"
    if chunk.chunk_id in seen_ids:
        return f"chunk id {chunk.chunk_id} was used before"
    if chunk.doc_id != doc_id:
        return f"belongs to document {chunk.doc_id}, not {doc_id}"
    if chunk.index != place:
        return f"index {chunk.index} at place {place}; indexes are 0, 1, 2 … in returned order"
    return None


def _of_versions(chunk: Chunk, chunker_version: str, policy_hash: str) -> str | None:
    if chunk.chunker_version != chunker_version:
        return f"has version {chunk.chunker_version}, the module says {chunker_version}"
    if chunk.policy_hash != policy_hash:
        return f"has policy hash {chunk.policy_hash}, the policy gives {policy_hash}"
    return None


def _of_units(chunk: Chunk, places: Mapping[str, int], blocks: Mapping[str, str]) -> str | None:
    if not chunk.unit_ids:
        return "holds no source unit"
    previous = -1
    for unit_id in chunk.unit_ids:
        place = places.get(unit_id)
        if place is None:
            return f"unit {unit_id} is not of this document"
        if place <= previous:
            return f"unit {unit_id} is out of document order"
        previous = place
    strangers = set(chunk.block_ids).symmetric_difference(blocks[each] for each in chunk.unit_ids)
    if strangers:
        return f"its blocks are not those of its units: {', '.join(sorted(strangers))}"
    return None


def _of_parts(chunk: Chunk, texts: Mapping[str, str]) -> str | None:
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


def _of_metadata(chunk: Chunk) -> str | None:
    if _is_json(dict(chunk.metadata)):
        return None
    return "its metadata hold what JSON cannot: a number that is none, or half a character"


def _is_json(value: JsonValue) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(map(_is_json, value)) and all(map(_is_json, value.values()))
    return True
