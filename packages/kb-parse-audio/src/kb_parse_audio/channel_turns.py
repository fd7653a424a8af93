"""From the levels of two channels to the turns of two speakers.

A channel is heard where it is well above its own noise and not far below the other channel: the
voice of the other person leaks in, some 20 dB down and a moment longer than it lasts. Two limits
each, so that a doubtful frame neither begins nor ends anything: a stretch needs a few frames over
the higher limits and lasts as long as the lower ones are kept. Short gaps are closed, those in
which the other one has a stretch only if they are very short, and what is short after that is left
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kb_core import SpeakerTurn
from kb_core.ports.transcriber import SAMPLES_PER_MS

Levels: TypeAlias = npt.NDArray[np.uint8]
"""Level of each frame in dB over one step of 16 bits: 0 for silence, 90 for full scale."""
Stretch: TypeAlias = tuple[int, int]
_Mask: TypeAlias = npt.NDArray[np.bool_]

FRAME_MS = 20
FRAME_SAMPLES = FRAME_MS * SAMPLES_PER_MS

BEGIN_OVER_NOISE_DB = 9
KEEP_OVER_NOISE_DB = 6
BEGIN_UNDER_OTHER_DB = 6
KEEP_UNDER_OTHER_DB = 12
MAX_UNDER_LOUD_DB = 35
MIN_LEVEL_DB = 25
NOISE_PERCENT = 10
LOUD_PERCENT = 95
ENVELOPE_MS = 40
ECHO_MS = 300
MIN_CERTAIN_MS = 60
MAX_GAP_MS = 500
MAX_CONTESTED_GAP_MS = 300
MIN_TURN_MS = 240
SAME_SPREAD_DB = 4
SAME_OFFSET_DB = 12
SAME_PERCENT = 60

TURN_RULES = (
    f"channel-turns-v1/frame={FRAME_MS}/noise={NOISE_PERCENT}"
    f"/over={BEGIN_OVER_NOISE_DB},{KEEP_OVER_NOISE_DB}"
    f"/under={BEGIN_UNDER_OTHER_DB},{KEEP_UNDER_OTHER_DB}"
    f"/loud={LOUD_PERCENT},{MAX_UNDER_LOUD_DB}/least={MIN_LEVEL_DB}"
    f"/envelope={ENVELOPE_MS}/echo={ECHO_MS}/certain={MIN_CERTAIN_MS}"
    f"/gap={MAX_GAP_MS},{MAX_CONTESTED_GAP_MS}/turn={MIN_TURN_MS}"
    f"/same={SAME_SPREAD_DB},{SAME_OFFSET_DB},{SAME_PERCENT}"
)
"""Names the rules and their numbers."""


def channel_turns(
    levels: tuple[Levels, Levels], speakers: tuple[str, str], sample_count: int
) -> tuple[SpeakerTurn, ...]:
    """Return the turns of both speakers, ordered by start, end and speaker.

    Args:
        levels: of each channel, equally many.
        speakers: of each channel.
        sample_count: length of the recording; no turn ends after it.
    """
    duration_ms = -(-sample_count // SAMPLES_PER_MS)
    first, second = levels
    heard = (_stretches(first, second), _stretches(second, first))
    turns = [
        SpeakerTurn(
            start_ms=start * FRAME_MS, end_ms=min(end * FRAME_MS, duration_ms), speaker=speaker
        )
        for speaker, own, other in zip(speakers, heard, reversed(heard), strict=True)
        for start, end in _joined(own, other)
        if (end - start) * FRAME_MS >= MIN_TURN_MS
    ]
    return tuple(sorted(turns, key=lambda turn: (turn.start_ms, turn.end_ms, turn.speaker)))


def hold_same_sound(first: Levels, second: Levels) -> bool:
    """Return whether the channels are one sound twice, or one room as two microphones hear it.

    They are if the difference of their levels stays within 4 dB of its median in at least 60 % of
    the frames with sound, and that median is less than 12 dB: more of a difference means that one
    channel holds what leaks in from the other.
    """
    sounding = (first >= _begin_db(first)) | (second >= _begin_db(second))
    differences_db = first[sounding].astype(np.int16) - second[sounding]
    if not len(differences_db):
        return False
    median_db = int(np.sort(differences_db)[len(differences_db) // 2])
    close = int(np.count_nonzero(abs(differences_db - median_db) <= SAME_SPREAD_DB))
    return abs(median_db) < SAME_OFFSET_DB and close * 100 >= SAME_PERCENT * len(differences_db)


def _begin_db(levels: Levels) -> int:
    """Return the level at which speech may begin in a channel."""
    counts = np.bincount(levels, minlength=2)
    counts[0] = 0
    noise_db = _percentile_db(counts, NOISE_PERCENT)
    loud_db = _percentile_db(counts, LOUD_PERCENT)
    return max(noise_db + BEGIN_OVER_NOISE_DB, loud_db - MAX_UNDER_LOUD_DB, MIN_LEVEL_DB)


def _percentile_db(counts: npt.NDArray[np.intp], percent: int) -> int:
    """Return the least level that `percent` of the counted frames do not exceed."""
    cumulated = np.cumsum(counts)
    return int(np.searchsorted(cumulated * 100, int(cumulated[-1]) * percent))


def _stretches(own: Levels, other: Levels) -> list[Stretch]:
    """Return half-open ranges of frames in which the own channel is heard."""
    begin_db = _begin_db(own)
    keep_db = begin_db - (BEGIN_OVER_NOISE_DB - KEEP_OVER_NOISE_DB)
    lead_db = _envelope(own, 0).astype(np.int16) - _envelope(other, ECHO_MS)
    certain = (own >= begin_db) & (lead_db >= -BEGIN_UNDER_OTHER_DB)
    heard = (own >= keep_db) & (lead_db >= -KEEP_UNDER_OTHER_DB)
    certain_before = np.concatenate(([0], np.cumsum(certain)))
    return [
        (start, end)
        for start, end in _runs(heard)
        if (certain_before[end] - certain_before[start]) * FRAME_MS >= MIN_CERTAIN_MS
    ]


def _envelope(levels: Levels, back_ms: int) -> Levels:
    """Return the greatest level around each frame, and in the time before it."""
    around = ENVELOPE_MS // FRAME_MS
    greatest = levels.copy()
    for shift in range(1, around + back_ms // FRAME_MS + 1):
        np.maximum(greatest[shift:], levels[:-shift], out=greatest[shift:])
        if shift <= around:
            np.maximum(greatest[:-shift], levels[shift:], out=greatest[:-shift])
    return greatest


def _runs(mask: _Mask) -> Iterator[Stretch]:
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    return zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _joined(own: Sequence[Stretch], other: Sequence[Stretch]) -> list[Stretch]:
    """Return the own stretches without the short gaps between them."""
    joined: list[Stretch] = []
    place = 0
    for start, end in own:
        if joined:
            gap_start = joined[-1][1]
            while place < len(other) and other[place][1] <= gap_start:
                place += 1
            is_contested = place < len(other) and other[place][0] < start
            max_gap_ms = MAX_CONTESTED_GAP_MS if is_contested else MAX_GAP_MS
            if (start - gap_start) * FRAME_MS <= max_gap_ms:
                joined[-1] = (joined[-1][0], end)
                continue
        joined.append((start, end))
    return joined
