"""Captions that roll: each line comes two or three times, and is said once.

Live captions show the last line again above the new one, and between two steps for some
milliseconds alone; some grow word by word. A file rolls when at least two captions, and a
quarter of all, go on where the one before them stood: elsewhere a line that comes twice was said
twice. Only what stands in the caption directly before, without a pause in between, is taken away;
so a sentence that is said again later is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from kb_core import Word
from kb_parse_subtitle.cue import Cue

_MAX_PAUSE_MS = 250
_FLASH_MS = 60
_MIN_ROLLING = 2
_MIN_SHARE = 0.25


class _Shown(NamedTuple):
    lines: tuple[str, ...]
    start_ms: int
    end_ms: int
    speaker: str | None
    has_words: bool

    @property
    def is_flash(self) -> bool:
        """Whether nobody could say anything in its time."""
        return self.end_ms - self.start_ms <= _FLASH_MS

    @classmethod
    def of(cls, cue: Cue) -> _Shown:
        """Return what a cue with times shows."""
        lines = tuple([" ".join(line.split()) for line in cue.text.split("\n")])
        start_ms = cue.start_ms or 0
        end_ms = start_ms if cue.end_ms is None else cue.end_ms
        return cls(lines, start_ms, end_ms, cue.speaker, bool(cue.words))


class _Carried(NamedTuple):
    """What the top of a caption repeats: whole lines, then the beginning of the next one.

    Attributes:
        is_set_before: its words had times of their own the first time, and have none now.
    """

    line_count: int = 0
    word_count: int = 0
    is_set_before: bool = False

    def __bool__(self) -> bool:
        return bool(self.line_count or self.word_count)

    def is_all_of(self, shown: _Shown) -> bool:
        return self.line_count == len(shown.lines)


_NOTHING = _Carried()


def fold_rolling(cues: Sequence[Cue]) -> tuple[list[Cue], int]:
    """Return the cues with each line once, with its first time, and how many cues are gone.

    Args:
        cues: with times, in order of their start.
    """
    shown = [_Shown.of(cue) for cue in cues]
    carried = [_NOTHING, *(_carried(before, now) for before, now in pairwise(shown))][: len(cues)]
    rolls = _rolls(shown, carried)
    kept = []
    for cue, now, again in zip(cues, shown, carried, strict=True):
        if again and (rolls or (again.is_all_of(now) and now.is_flash)):
            if again.is_all_of(now):
                continue
            cue = _rest(cue, again)
        kept.append(cue)
    return kept, len(cues) - len(kept)


def _carried(before: _Shown, now: _Shown) -> _Carried:
    if now.speaker != before.speaker or now.start_ms - before.end_ms > _MAX_PAUSE_MS:
        return _NOTHING
    most = min(len(before.lines), len(now.lines))
    for count in range(most, 0, -1):
        if before.lines[-count:] == now.lines[:count]:
            was_set = before.has_words and not now.has_words
            return _Carried(line_count=count, is_set_before=was_set)
    last = before.lines[-1]
    for count in range(most, 0, -1):
        is_same = before.lines[-count:-1] == now.lines[: count - 1]
        if is_same and now.lines[count - 1].startswith(f"{last} "):
            return _Carried(line_count=count - 1, word_count=len(last.split()))
    return _NOTHING


def _rolls(shown: Sequence[_Shown], carried: Iterable[_Carried]) -> bool:
    goes_on = sum(
        1
        for now, again in zip(shown, carried, strict=True)
        if again and (now.is_flash or not again.is_all_of(now) or again.is_set_before)
    )
    return goes_on >= max(_MIN_ROLLING, (len(shown) - 1) * _MIN_SHARE)


def _rest(cue: Cue, again: _Carried) -> Cue:
    lines = cue.text.split("\n")
    gone = [word for line in lines[: again.line_count] for word in line.split()]
    rest = lines[again.line_count :]
    if again.word_count:
        words = rest[0].split()
        gone += words[: again.word_count]
        rest[0] = " ".join(words[again.word_count :])
    cue.text = "\n".join(rest)
    cue.words = tuple(_after(cue.words, sum(map(len, gone))))
    return cue


def _after(words: Iterable[Word], gone_chars: int) -> list[Word]:
    kept = []
    for word in words:
        if gone_chars <= 0:
            kept.append(word)
        gone_chars -= len("".join(word.text.split()))
    return kept
