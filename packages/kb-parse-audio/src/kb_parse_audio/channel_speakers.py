"""The `Diarizer` for calls that were recorded with one person on each of two channels.

Levels are taken for every 20 ms of each channel, in whole decibels, and nothing else is kept: two
bytes a frame, 3.6 MB for ten hours. When all was heard, `channel_turns` finds the turns.

Which channel is whose is certain only if the recording is a call. Where both channels hold the same
sound, the difference of their levels hardly changes; in a call it swings with every turn, and even
two people who talk at once are seldom equally loud for long. See `channel_turns.hold_same_sound`.

Levels come from sums of integers and from comparisons with a table: the same sound has the same
turns on every machine.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kb_core import CancelToken, StepWarning
from kb_core.ports.diarizer import Diarization, SoundBlock
from kb_parse_audio.channel_turns import (
    FRAME_SAMPLES,
    TURN_RULES,
    Levels,
    channel_turns,
    hold_same_sound,
)
from kb_parse_audio.downmix import quantised

SPEAKERS = ("S1", "S2")
_LOUDEST_DB = 91
_POWERS = np.array([round(10 ** (level_db / 10)) for level_db in range(1, _LOUDEST_DB)], np.int64)
"""Least mean square of a frame at 1, 2 … dB over one step of 16 bits."""


class ChannelDiarizer:
    """`Diarizer` that calls the person on the first channel S1 and the one on the second S2.

    Where it cannot tell people apart it returns no turns, and says why by a warning of the code
    `speakers_unknown`. `silent_channel` tells that one of the two has no speech of its own.
    """

    @property
    def name(self) -> str:
        """`channels`."""
        return "channels"

    @property
    def version(self) -> str:
        """The rules and their numbers."""
        return TURN_RULES

    def stream(self) -> ChannelStream:
        """Return one that has heard nothing yet."""
        return ChannelStream()


class ChannelStream:
    """One recording from its beginning."""

    def __init__(self) -> None:
        self._levels = (bytearray(), bytearray())
        self._pending: npt.NDArray[np.int64] = np.zeros((2, 0), np.int64)
        self._channel_counts: set[int] = set()
        self._sample_count = 0

    def hear(self, block: SoundBlock) -> None:
        """Take the block that follows the last one."""
        self._sample_count += len(block.mono)
        count = len(block.channels)
        if count == 2:
            self._channel_counts.add(count)
            self._add(np.stack([quantised(np.asarray(channel)) for channel in block.channels]))
            return
        if count not in self._channel_counts and np.asarray(block.mono).any():
            self._channel_counts.add(count)
        self._add(np.zeros((2, len(block.mono)), np.int64))

    def finish(self, cancel: CancelToken | None = None) -> Diarization:
        """Return the turns of all that was heard.

        Raises:
            Cancelled: a stop was asked for.
        """
        if cancel is not None:
            cancel.raise_if_cancelled()
        rest = -self._pending.shape[1] % FRAME_SAMPLES
        self._add(np.zeros((2, rest), np.int64))
        if self._channel_counts and self._channel_counts != {2}:
            return _no_turns(self._why_not_two())
        first, second = (np.frombuffer(levels, np.uint8) for levels in self._levels)
        if hold_same_sound(first, second):
            return _no_turns("both channels hold the same sound")
        turns = channel_turns((first, second), SPEAKERS, self._sample_count)
        return Diarization(turns=turns, warnings=_silent({turn.speaker for turn in turns}))

    def _why_not_two(self) -> str:
        if self._channel_counts == {1}:
            return "one channel only"
        counts = " or ".join(str(count) for count in sorted(self._channel_counts))
        return f"{counts} channels rather than two"

    def _add(self, sound: npt.NDArray[np.int64]) -> None:
        """Take sound of shape (2, samples)."""
        sound = np.concatenate((self._pending, sound), axis=1)
        whole = sound.shape[1] // FRAME_SAMPLES * FRAME_SAMPLES
        self._pending = sound[:, whole:].copy()
        frames = sound[:, :whole].reshape(2, -1, FRAME_SAMPLES)
        for levels, channel in zip(self._levels, _levels_db(frames), strict=True):
            levels.extend(channel.tobytes())


def _levels_db(frames: npt.NDArray[np.int64]) -> Levels:
    """Return the level of each frame without its mean, which is no sound."""
    sums = frames.sum(axis=-1)
    squares = (frames * frames).sum(axis=-1)
    powers = (FRAME_SAMPLES * squares - sums * sums) // FRAME_SAMPLES**2
    levels_db: Levels = np.searchsorted(_POWERS, powers, side="right").astype(np.uint8)
    return levels_db


def _no_turns(why: str) -> Diarization:
    message = f"{why}, speakers cannot be told apart by channel"
    return Diarization(turns=(), warnings=(StepWarning(code="speakers_unknown", message=message),))


def _silent(speakers: set[str]) -> tuple[StepWarning, ...]:
    if len(speakers) != 1:
        return ()
    silent = "first" if "S2" in speakers else "second"
    message = f"the {silent} channel holds no speech of its own, everything is by one speaker"
    return (StepWarning(code="silent_channel", message=message),)
