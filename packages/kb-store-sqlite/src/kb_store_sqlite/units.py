"""Where the source units of a chunk stand in its text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

JOINTS = (" ", "\n\n")
"""What chunkers put between units: transcript segments, and blocks."""


def locate_units(chunk_text: str, unit_texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the half-open code-point range of each unit.

    Found by adding lengths, never by searching: the same sentence may be there twice. A text that
    is not its units put together (one that holds a part of a unit, say) gives every unit the whole
    text as its range, which is true, if not exact.
    """
    for joint in JOINTS:
        if joint.join(unit_texts) == chunk_text:
            lengths = [len(text) + len(joint) for text in unit_texts]
            starts = accumulate(lengths[:-1], initial=0)
            return [
                (start, start + len(text)) for start, text in zip(starts, unit_texts, strict=True)
            ]
    return [(0, len(chunk_text))] * len(unit_texts)
