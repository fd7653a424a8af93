"""Cuts the words of a window into segments, because the model gives its text in one piece.

A segment ends with a sentence. What is still long is halved: at the end of a clause that is near
the middle, or else after the longest word there, because a word is as long as the pause after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from kb_asr_faster_whisper.words import HeardWord

MOST_MS = 12_000
"""A segment that lasts longer is halved."""

_SENTENCE_ENDS = ".?!。？！…।؟"
_CLAUSE_ENDS = ",;:、，；："
_CLOSING = "\"'”’»)]}」』）】》"
_ABBREVIATION_LETTERS = 3


def cut_segments(words: Sequence[HeardWord]) -> list[list[HeardWord]]:
    """Return the words in groups, in order, none of them empty."""
    segments: list[list[HeardWord]] = []
    begins = True
    for place, word in enumerate(words):
        if begins:
            segments.append([])
        segments[-1].append(word)
        following = words[place + 1] if place + 1 < len(words) else None
        begins = following is not None and _ends_sentence(word, following)
    return [part for segment in segments for part in _halved(segment)]


def _halved(words: list[HeardWord]) -> list[list[HeardWord]]:
    start_ms, end_ms = words[0].start_ms, words[-1].end_ms
    if end_ms - start_ms <= MOST_MS or len(words) < 2:
        return [words]
    middle_ms = (start_ms + end_ms) // 2

    def rank(place: int) -> tuple[bool, int]:
        before = words[place - 1]
        if _bare(before)[-1] in _CLAUSE_ENDS:
            return False, abs(words[place].start_ms - middle_ms)
        return True, before.start_ms - before.end_ms

    places = range(1, len(words))
    near = [
        place
        for place in places
        if abs(words[place].start_ms - middle_ms) <= (end_ms - start_ms) // 4
    ]
    cut = min(near or places, key=rank)
    return [*_halved(words[:cut]), *_halved(words[cut:])]


def _ends_sentence(word: HeardWord, following: HeardWord) -> bool:
    """Whether a sentence ends here; "Dr." and "U.S." end none, nor does a number's point."""
    bare = _bare(word)
    if bare[-1] not in _SENTENCE_ENDS:
        return False
    if bare[-1] != ".":
        return True
    letters = [char for char in bare if char.isalnum()]
    is_short = len(letters) <= _ABBREVIATION_LETTERS and bare[:1].isupper()
    return following.apart and not is_short


def _bare(word: HeardWord) -> str:
    return word.text.rstrip(_CLOSING) or word.text
