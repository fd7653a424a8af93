"""Blocks that a model is shown one at a time, and the numbered sentences inside them.

A block ends where a sentence does. Only a sentence that is longer than a whole block is cut lower
down: between lines, of which every segment begins one, then clauses, then words, then graphemes,
and a single grapheme of that length between code points. So no block is ever longer than it may be.

Sentences are what a model may name, and transcripts often have no punctuation at all. A change of
speaker and a long pause end one too, therefore, and a very long one is cut, between lines if
possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from kb_chunk_llm.topic_text import WholeText, between
from kb_core.boundaries import Boundary, TextCutter, TextRange

MAX_SENTENCE_CHARS = 300


def blocks(whole: WholeText, max_chars: int) -> list[TextRange]:
    """Return ranges of at most `max_chars` that hold all that is visible, in order."""
    cutter = TextCutter(whole.text)
    found = []
    char_start = 0
    while char_start < len(whole.text):
        char_end = _block_end(whole, cutter, char_start, max_chars)
        if whole.text[char_start:char_end].strip():
            found.append(TextRange(char_start, char_end))
        char_start = char_end
    return found


def _block_end(whole: WholeText, cutter: TextCutter, char_start: int, max_chars: int) -> int:
    limit = min(len(whole.text), char_start + max_chars)
    cut = cutter.longest(char_start, cutter.byte_len(char_start, limit))
    if cut.boundary > Boundary.SENTENCE:
        lines = between(whole.line_starts, TextRange(char_start, limit + 1))
        return lines[-1] if lines else min(cut.char_offset, limit)
    return cut.char_offset


def sentences(
    whole: WholeText, stretch: TextRange, max_chars: int = MAX_SENTENCE_CHARS
) -> list[TextRange]:
    """Return neighbouring ranges that together are `stretch`, each with something visible in it.

    Args:
        whole: the text.
        stretch: a range of it with something visible in it.
        max_chars: longest sentence; only a grapheme and the white space around may be longer.
    """
    ends = {
        *between(whole.sentence_starts, stretch),
        *between(whole.turn_starts, stretch),
        *between(whole.pause_starts, stretch),
    }
    cuts: list[int] = []
    for start, end in pairwise((stretch.char_start, *sorted(ends), stretch.char_end)):
        cuts += (start, *_cuts_within(whole, TextRange(start, end), max_chars))
    return list(_joined_where_blank(whole.text, stretch, cuts[1:]))


def _cuts_within(whole: WholeText, sentence: TextRange, max_chars: int) -> Iterator[int]:
    start = sentence.char_start
    end = start + len(whole.text[start : sentence.char_end].rstrip())
    if end - start <= max_chars:
        return
    stops = (offset - start for offset in between(whole.line_starts, sentence))
    cutter = TextCutter(whole.text[start:end], stops=stops)
    place, length = 0, end - start
    while length - place > max_chars:
        place = cutter.longest(place, cutter.byte_len(place, place + max_chars)).char_offset
        if place < length:
            yield start + place


def _joined_where_blank(text: str, stretch: TextRange, cuts: Iterable[int]) -> Iterator[TextRange]:
    """Yield the ranges between cuts; one in which nothing is visible goes to its neighbour."""
    kept: list[int] = []
    for cut in cuts:
        if text[(kept[-1] if kept else stretch.char_start) : cut].strip():
            kept.append(cut)
    if kept and not text[kept[-1] : stretch.char_end].strip():
        kept.pop()
    edges: Sequence[int] = (stretch.char_start, *kept, stretch.char_end)
    yield from (TextRange(start, end) for start, end in pairwise(edges))
