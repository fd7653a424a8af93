"""From cues as a file has them to segments on one timeline.

A cue without a time that can be read gets the stretch between its neighbours, so that the moment
lies inside what is cited. Overlaps are kept; cues of one start stay in the order of the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb_core import (
    LineSpan,
    SegmentFlag,
    TimedText,
    TranscriptSegment,
    Word,
    repair_timeline,
)
from kb_parse_subtitle.cue import Cue, Cues, joined_lines
from kb_parse_subtitle.languages import language_code
from kb_parse_subtitle.rolling import fold_rolling

_NEVER_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Placed:
    """The segments of a file.

    Attributes:
        folded_cues: cues that repeated what the one before showed.
        problems: what is wrong with the file, as (line, words), in the order of its lines.
    """

    segments: tuple[TranscriptSegment, ...]
    folded_cues: int
    problems: tuple[tuple[int, str], ...]


def clean_text(text: str) -> str:
    """Return the text without control characters and halves of characters."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", _NEVER_TEXT.sub("", text))


def place(found: Cues) -> Placed:
    """Return the segments of the cues that have text."""
    cues = [cue for cue in found.cues if _clean(cue) or found.is_final]
    problems = [*found.problems, *((c.first_line, c.problem) for c in cues if c.problem)]
    problems.sort(key=lambda each: each[0])
    folded = 0
    if found.timed:
        _place_untimed(cues)
        if not found.in_text_order:
            cues.sort(key=lambda cue: cue.start_ms or 0)
        _end_open(cues, found.length_ms)
        if found.may_roll:
            cues, folded = fold_rolling(cues)
    times_ms = [time_ms for cue in cues for time_ms in (cue.start_ms, cue.end_ms)]
    duration_ms = max((time_ms for time_ms in times_ms if time_ms is not None), default=0)
    duration_ms = max(0, duration_ms)  # an offset may move every cue before the beginning
    raw = [_timed_text(cue, is_timed=found.timed) for cue in cues]
    return Placed(repair_timeline(raw, duration_ms), folded, tuple(problems))


def _clean(cue: Cue) -> bool:
    text = clean_text(cue.text)
    if text != cue.text:  # a control character may have stood between text and white space
        cue.text = joined_lines(text.split("\n"))
    cue.speaker = " ".join(clean_text(cue.speaker or "").split()) or None
    return bool(cue.text.strip())


def _place_untimed(cues: Sequence[Cue]) -> None:
    following_ms: list[int | None] = []
    next_ms: int | None = None
    for cue in reversed(cues):
        following_ms.append(next_ms)
        next_ms = next_ms if cue.start_ms is None else cue.start_ms
    following_ms.reverse()
    floor_ms = 0
    for cue, ceiling_ms in zip(cues, following_ms, strict=True):
        if cue.start_ms is not None:
            floor_ms = cue.start_ms if cue.end_ms is None else max(cue.start_ms, cue.end_ms)
            continue
        cue.flags = (*cue.flags, SegmentFlag(code="time_repaired", detail=cue.problem))
        if ceiling_ms is None:
            cue.start_ms = floor_ms
            cue.end_ms = max(floor_ms, cue.end_ms or 0)
        else:
            cue.start_ms = min(floor_ms, ceiling_ms)
            cue.end_ms = ceiling_ms


def _end_open(cues: Sequence[Cue], length_ms: int | None) -> None:
    """End cues without an end where a later one begins, or else with the recording."""
    later_ms = length_ms
    next_ms = length_ms
    for cue in reversed(cues):
        start_ms = cue.start_ms or 0
        if next_ms is not None and start_ms < next_ms:
            later_ms = next_ms
        if cue.end_ms is None:
            latest_word_ms = max((word.end_ms for word in cue.words), default=start_ms)
            cue.end_ms = max(start_ms, latest_word_ms if later_ms is None else later_ms)
            if cue.problem:
                cue.flags = (*cue.flags, SegmentFlag(code="time_repaired", detail=cue.problem))
        next_ms = start_ms


def _timed_text(cue: Cue, *, is_timed: bool) -> TimedText:
    start_ms, end_ms = cue.start_ms or 0, cue.end_ms or 0
    segment = TranscriptSegment(
        start_ms=0,
        end_ms=0,
        text=cue.text,
        speaker=cue.speaker,
        confidence=None if cue.confidence is None else min(1.0, max(0.0, cue.confidence)),
        language=language_code(cue.language),
        words=tuple(_clean_words(cue.words)) if is_timed else (),
        flags=cue.flags,
        source_lines=LineSpan(start=cue.first_line, end=max(cue.first_line, cue.last_line)),
    )
    return TimedText(start_ms, end_ms, segment)


def _clean_words(words: Sequence[Word]) -> list[Word]:
    cleaned = []
    for word in words:
        text = clean_text(word.text).strip()
        if text:
            cleaned.append(word if text == word.text else word.model_copy(update={"text": text}))
    return cleaned
