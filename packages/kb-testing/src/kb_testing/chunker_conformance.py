"""What every deterministic chunker must do, as checks that take a chunker and a document.

@given(text_documents(), chunk_policies("…", with_overlap=True))
def test_chunks_keep_the_contract(doc, policy):
    for check in CHUNKER_CHECKS: check(chunker, doc, policy)
"""

from __future__ import annotations

from collections.abc import Callable

import regex

from kb_core import (
    CanonicalDocument,
    Chunk,
    Chunker,
    ChunkPolicy,
    LineSpan,
    PageSpan,
    nfc,
    run_chunker,
)

ChunkerCheck = Callable[[Chunker, CanonicalDocument, ChunkPolicy], None]

_CLUSTER = regex.compile(r"\X")


def chunks_of(chunker: Chunker, doc: CanonicalDocument, policy: ChunkPolicy) -> tuple[Chunk, ...]:
    """Return checked chunks; `run_chunker` itself compares every part with its unit."""
    return run_chunker(chunker, doc, policy).chunks


def check_every_part_is_what_stands_in_its_unit(
    chunker: Chunker, doc: CanonicalDocument, policy: ChunkPolicy
) -> None:
    """Slices are equal, and what is between the parts is white space."""
    units = {unit.unit_id: unit for unit in doc.source_units()}
    for chunk in chunks_of(chunker, doc, policy):
        assert chunk.parts
        between = list(chunk.text)
        for part in chunk.parts:
            source = units[part.unit_id].text[part.unit_char_start : part.unit_char_end]
            assert chunk.text[part.char_start : part.char_end] == source
            between[part.char_start : part.char_end] = " " * len(source)
        assert not "".join(between).strip()


def check_nothing_that_is_visible_is_lost(
    chunker: Chunker, doc: CanonicalDocument, policy: ChunkPolicy
) -> None:
    """Each visible character of each unit is in a part."""
    seen: dict[str, set[int]] = {}
    for chunk in chunks_of(chunker, doc, policy):
        for part in chunk.parts:
            places = range(part.unit_char_start, part.unit_char_end)
            seen.setdefault(part.unit_id, set()).update(places)
    for unit in doc.source_units():
        lost = [
            place
            for place, char in enumerate(unit.text)
            if not char.isspace() and place not in seen.get(unit.unit_id, set())
        ]
        assert not lost, f"lost of {unit.text!r}: {lost}"


def check_chunks_are_in_order_and_go_on(
    chunker: Chunker, doc: CanonicalDocument, policy: ChunkPolicy
) -> None:
    """Starts strictly increase, in the order of units and of places in them."""
    ordinals = {unit.unit_id: place for place, unit in enumerate(doc.source_units())}
    starts = [
        (ordinals[chunk.parts[0].unit_id], chunk.parts[0].unit_char_start)
        for chunk in chunks_of(chunker, doc, policy)
    ]
    assert starts == sorted(set(starts))


def check_the_budget_is_kept(chunker: Chunker, doc: CanonicalDocument, policy: ChunkPolicy) -> None:
    """Only a single grapheme may exceed it."""
    for chunk in chunks_of(chunker, doc, policy):
        if chunk.token_estimate > policy.target_tokens:
            assert len(_CLUSTER.findall(chunk.text)) == 1


def check_no_grapheme_is_cut(chunker: Chunker, doc: CanonicalDocument, policy: ChunkPolicy) -> None:
    """Parts begin and end where clusters do, and texts stay in NFC."""
    units = {unit.unit_id: unit for unit in doc.source_units()}
    edges = {
        unit_id: {0, *(match.end() for match in _CLUSTER.finditer(unit.text))}
        for unit_id, unit in units.items()
    }
    for chunk in chunks_of(chunker, doc, policy):
        assert nfc(chunk.text) == chunk.text
        for part in chunk.parts:
            assert part.unit_char_start in edges[part.unit_id]
            end = part.unit_char_end
            text = units[part.unit_id].text
            # Trailing white space is left out, and a line end of two characters is one cluster.
            assert end in edges[part.unit_id] or text[end].isspace()


def check_spans_are_exact(chunker: Chunker, doc: CanonicalDocument, policy: ChunkPolicy) -> None:
    """Lines and ranges of pages follow from where the part begins and ends in its unit."""
    units = {unit.unit_id: unit for unit in doc.source_units()}
    for chunk in chunks_of(chunker, doc, policy):
        for part in chunk.parts:
            unit = units[part.unit_id]
            if isinstance(unit.span, LineSpan) and isinstance(part.span, LineSpan):
                lines = unit.text.split("\n")
                cited = lines[
                    part.span.start - unit.span.start : part.span.end - unit.span.start + 1
                ]
                shown = chunk.text[part.char_start : part.char_end]
                if len(lines) == unit.span.end - unit.span.start + 1:
                    assert shown in "\n".join(cited)
                    assert len(cited) == shown.count("\n") + 1
            elif isinstance(unit.span, PageSpan) and isinstance(part.span, PageSpan):
                assert part.span.page == unit.span.page
                if unit.span.char_start is not None:
                    assert part.span.char_start == unit.span.char_start + part.unit_char_start
                    assert part.span.char_end == unit.span.char_start + part.unit_char_end
            else:
                assert part.span == unit.span


def check_two_runs_are_equal(chunker: Chunker, doc: CanonicalDocument, policy: ChunkPolicy) -> None:
    """The same input gives the same chunks, and ids that are all different."""
    first = chunks_of(chunker, doc, policy)
    again = CanonicalDocument.model_validate_json(doc.model_dump_json())
    assert chunks_of(chunker, again, policy) == first
    assert len({chunk.chunk_id for chunk in first}) == len(first)


CHUNKER_CHECKS: tuple[ChunkerCheck, ...] = (
    check_every_part_is_what_stands_in_its_unit,
    check_nothing_that_is_visible_is_lost,
    check_chunks_are_in_order_and_go_on,
    check_no_grapheme_is_cut,
    check_spans_are_exact,
    check_two_runs_are_equal,
)
"""For every chunker; `check_the_budget_is_kept` is for those that cut units."""
