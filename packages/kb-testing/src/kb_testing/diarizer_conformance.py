"""What every `Diarizer` must do, fake or real.

Run each of `DIARIZER_CHECKS` with a diarizer and some seconds of a call, one person on each of two
channels, whom the diarizer must be able to tell apart:

    @pytest.mark.parametrize("check", DIARIZER_CHECKS)
    def test_mine_tells_people_apart(check):
        check(MyDiarizer(), (left_pcm, right_pcm))
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import TypeAlias

import pytest

from kb_core.errors import Cancelled
from kb_core.ports.diarizer import Diarization, Diarizer, SoundBlock
from kb_core.ports.transcriber import SAMPLE_RATE_HZ, SAMPLES_PER_MS
from kb_core.runtime import CancelToken

Call: TypeAlias = tuple[memoryview, memoryview]
"""Two channels of one length, float32 in -1..1 at 16 kHz (format `f`)."""
DiarizerCheck = Callable[[Diarizer, Call], None]
_NO_SOUND = memoryview(array("f"))


def people_are_told_apart(diarizer: Diarizer, call: Call) -> None:
    """There are turns of more than one speaker, and every one of them has a name and a length."""
    turns = _heard(diarizer, call).turns
    assert len({turn.speaker for turn in turns}) > 1
    assert all(turn.speaker.strip() and turn.start_ms < turn.end_ms for turn in turns)


def turns_are_ordered(diarizer: Diarizer, call: Call) -> None:
    """By start, then by end and speaker."""
    keys = [(turn.start_ms, turn.end_ms, turn.speaker) for turn in _heard(diarizer, call).turns]
    assert keys == sorted(keys)


def turns_lie_inside_the_recording(diarizer: Diarizer, call: Call) -> None:
    """Wherever the recording ends, in the middle of a turn or of a millisecond."""
    for share in (1, 2, 3, 5):
        sample_count = len(call[0]) // share - 1
        duration_ms = -(-sample_count // SAMPLES_PER_MS)
        turns = _heard(diarizer, (call[0][:sample_count], call[1][:sample_count])).turns
        assert all(turn.end_ms <= duration_ms for turn in turns)


def the_same_sound_has_the_same_turns(diarizer: Diarizer, call: Call) -> None:
    """A new stream has heard nothing yet, whatever others heard before it."""
    first = _heard(diarizer, call)
    _heard(diarizer, (call[1], call[0]))
    assert _heard(diarizer, call) == first


def how_the_sound_is_cut_does_not_matter(diarizer: Diarizer, call: Call) -> None:
    """Blocks may have any length of up to a second."""
    by_the_second = _heard(diarizer, call)
    for block_samples in (997, 4096, 16_000 - 1):
        assert _heard(diarizer, call, block_samples=block_samples) == by_the_second


def streams_know_nothing_of_each_other(diarizer: Diarizer, call: Call) -> None:
    """Two recordings that are heard in turns have the turns that each has alone."""
    backwards = (call[1][: len(call[1]) // 2], call[0][: len(call[0]) // 2])
    one, other = diarizer.stream(), diarizer.stream()
    for block, other_block in zip_longest(_blocks(call), _blocks(backwards)):
        one.hear(block)
        if other_block is not None:
            other.hear(other_block)
    assert other.finish() == _heard(diarizer, backwards)
    assert one.finish() == _heard(diarizer, call)


def the_sound_stays_the_callers(diarizer: Diarizer, call: Call) -> None:
    """Nothing is written to the buffers, and what becomes of them later changes nothing."""
    expected = _heard(diarizer, call)
    stream = diarizer.stream()
    for block in _blocks(call):
        buffers = (block.mono, *block.channels)
        before = [buffer.tobytes() for buffer in buffers]
        stream.hear(block)
        assert [buffer.tobytes() for buffer in buffers] == before
        for buffer in buffers:
            buffer[:] = memoryview(array("f", [0.5]) * len(buffer))
    assert stream.finish() == expected


def nothing_heard_has_no_turns(diarizer: Diarizer, call: Call) -> None:
    """A recording may be empty."""
    assert diarizer.stream().finish().turns == ()
    stream = diarizer.stream()
    stream.hear(SoundBlock(0, _NO_SOUND, (_NO_SOUND, _NO_SOUND)))
    assert stream.finish().turns == ()


def channels_may_come_and_go(diarizer: Diarizer, call: Call) -> None:
    """Sound of one channel, or of a number that changes, is no error."""
    duration_ms = -(-len(call[0]) // SAMPLES_PER_MS)
    for counts in ((1,), (2, 1), (1, 2, 3)):
        stream = diarizer.stream()
        for place, block in enumerate(_blocks(call)):
            channels = (block.mono, *block.channels)[: counts[place % len(counts)]]
            stream.hear(SoundBlock(block.start_sample, block.mono, channels))
        assert all(turn.end_ms <= duration_ms for turn in stream.finish().turns)


def a_stop_is_heeded(diarizer: Diarizer, call: Call) -> None:
    """Whoever asks for a stop gets no turns; a token that nobody used changes nothing."""
    token = CancelToken()
    assert _heard(diarizer, call, cancel=token) == _heard(diarizer, call)
    token.cancel()
    with pytest.raises(Cancelled):
        _heard(diarizer, call, cancel=token)


def name_and_version_are_stable(diarizer: Diarizer, call: Call) -> None:
    """Neither changes with use."""
    before = diarizer.name, diarizer.version
    assert all(each.strip() for each in before)
    _heard(diarizer, call)
    assert (diarizer.name, diarizer.version) == before


DIARIZER_CHECKS: tuple[DiarizerCheck, ...] = (
    people_are_told_apart,
    turns_are_ordered,
    turns_lie_inside_the_recording,
    the_same_sound_has_the_same_turns,
    how_the_sound_is_cut_does_not_matter,
    streams_know_nothing_of_each_other,
    the_sound_stays_the_callers,
    nothing_heard_has_no_turns,
    channels_may_come_and_go,
    a_stop_is_heeded,
    name_and_version_are_stable,
)


def _blocks(call: Call, block_samples: int = SAMPLE_RATE_HZ) -> Iterator[SoundBlock]:
    """Yield blocks of fresh buffers; the mixed sound is the mean of both channels."""
    for start in range(0, len(call[0]), block_samples):
        left, right = (array("f", channel[start : start + block_samples]) for channel in call)
        mono = array("f", (0.5 * (a + b) for a, b in zip(left, right, strict=True)))
        yield SoundBlock(start, memoryview(mono), (memoryview(left), memoryview(right)))


def _heard(
    diarizer: Diarizer,
    call: Call,
    *,
    block_samples: int = SAMPLE_RATE_HZ,
    cancel: CancelToken | None = None,
) -> Diarization:
    stream = diarizer.stream()
    for block in _blocks(call, block_samples):
        stream.hear(block)
    return stream.finish(cancel)
