"""Cutting a stretch of transcript without a model: whole sentences up to the budget.

Where the budget ends, the cut goes back to the best place in its second half: after a long pause,
else where the speaker changes, else where a sentence begins with its segment or line, else where
one begins inside of it. The latest of equally good places is taken. Nothing here depends on the
language of the text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from kb_chunk_llm.topic_blocks import MAX_SENTENCE_CHARS, sentences
from kb_chunk_llm.topic_text import WholeText
from kb_core.boundaries import TextRange, pieces
from kb_core.chunks import BYTES_PER_TOKEN


def rule_ranges(whole: WholeText, stretch: TextRange, target_tokens: int) -> Iterator[TextRange]:
    """Yield visible ranges of at most `target_tokens` that hold all that `stretch` shows.

    Only a single grapheme may exceed it.
    """
    max_bytes = target_tokens * BYTES_PER_TOKEN + BYTES_PER_TOKEN - 1
    for start, end in _packed(whole, _atoms(whole, stretch, max_bytes), max_bytes):
        visible = whole.visible(start, end)
        if visible is not None:
            yield visible


def _atoms(whole: WholeText, stretch: TextRange, max_bytes: int) -> list[TextRange]:
    """Return the ranges that are never cut: sentences, and pieces of those that do not fit."""
    atoms = []
    for start, end in sentences(whole, stretch, MAX_SENTENCE_CHARS):
        for piece in pieces(whole.text[start:end], max_bytes):
            atoms.append(TextRange(start + piece.char_start, start + piece.char_end))
    return atoms


def _packed(whole: WholeText, atoms: Sequence[TextRange], max_bytes: int) -> Iterator[TextRange]:
    sizes = [len(whole.text[start:end].encode("utf-8")) for start, end in atoms]
    first = 0
    while first < len(atoms):
        after, used = first, 0
        while after < len(atoms) and (after == first or used + sizes[after] <= max_bytes):
            used += sizes[after]
            after += 1
        if after < len(atoms):
            after = _best_cut(whole, atoms, sizes, (first, after))
        yield TextRange(atoms[first].char_start, atoms[after - 1].char_end)
        first = after


def _best_cut(
    whole: WholeText, atoms: Sequence[TextRange], sizes: Sequence[int], full: tuple[int, int]
) -> int:
    """Return before which atom to cut, so that at least half of what fits stays together."""
    first, after = full
    half = sum(sizes[first:after]) / 2
    used = 0
    best, best_rank = after, _rank(whole, atoms[after].char_start)
    for place in range(first, after - 1):
        used += sizes[place]
        rank = _rank(whole, atoms[place + 1].char_start)
        if used >= half and (rank > best_rank or (rank == best_rank and best < after)):
            best, best_rank = place + 1, rank
    return best


def _rank(whole: WholeText, char_offset: int) -> int:
    """Return how good a place is to cut at."""
    if _holds(whole.pause_starts, char_offset):
        return 4
    if _holds(whole.turn_starts, char_offset):
        return 3
    begins_sentence = _holds(whole.sentence_starts, char_offset)
    if _holds(whole.line_starts, char_offset):
        return 2 if begins_sentence else 0
    return 1 if begins_sentence else -1


def _holds(offsets: Sequence[int], char_offset: int) -> bool:
    place = bisect_left(offsets, char_offset)
    return place < len(offsets) and offsets[place] == char_offset
