from array import array

import pytest

from kb_core import SpeakerTurn, StepWarning
from kb_core.ports.diarizer import Diarization, SoundBlock
from kb_testing.diarizer_conformance import (
    DIARIZER_CHECKS,
    DiarizerCheck,
    a_stop_is_heeded,
    how_the_sound_is_cut_does_not_matter,
    nothing_heard_has_no_turns,
    people_are_told_apart,
    streams_know_nothing_of_each_other,
    the_sound_stays_the_callers,
    turns_are_ordered,
    turns_lie_inside_the_recording,
)
from kb_testing.fake_diarizer import ScriptedDiarizer

TURNS = (
    SpeakerTurn(start_ms=1900, end_ms=9000, speaker="Kim"),
    SpeakerTurn(start_ms=100, end_ms=1500, speaker="Lee"),
    SpeakerTurn(start_ms=100, end_ms=1500, speaker="Kim"),
)


def silence(sample_count: int) -> memoryview:
    return memoryview(array("f", bytes(4 * sample_count)))


CALL = silence(40_000), silence(40_000)


@pytest.mark.parametrize("check", DIARIZER_CHECKS, ids=lambda check: check.__name__)
def test_scripted_diarizer_is_a_diarizer(check: DiarizerCheck):
    check(ScriptedDiarizer(TURNS), CALL)


def test_turns_are_as_told_up_to_the_end_of_the_recording():
    warning = StepWarning(code="doubtful", message="told so")
    diarizer = ScriptedDiarizer(TURNS, warnings=[warning])
    stream = diarizer.stream()
    stream.hear(SoundBlock(0, silence(16_000), ()))
    stream.hear(SoundBlock(16_000, silence(15_999), (silence(15_999),)))
    found = stream.finish()
    assert found.warnings == (warning,)
    assert [(turn.start_ms, turn.end_ms, turn.speaker) for turn in found.turns] == [
        (100, 1500, "Kim"),
        (100, 1500, "Lee"),
        (1900, 2000, "Kim"),
    ]
    assert diarizer.heard_samples == [31_999]


def test_what_it_was_told_is_its_version():
    assert ScriptedDiarizer(TURNS).version == ScriptedDiarizer(TURNS[::-1]).version
    assert ScriptedDiarizer(TURNS).version != ScriptedDiarizer(TURNS[1:]).version


@pytest.mark.parametrize(
    "block",
    [SoundBlock(1, silence(10), ()), SoundBlock(0, silence(10), (silence(10), silence(9)))],
    ids=["gap", "lengths"],
)
def test_blocks_that_do_not_fit_are_refused(block):
    with pytest.raises(ValueError, match=r"follow|differ"):
        ScriptedDiarizer(TURNS).stream().hear(block)


class Misbehaving(ScriptedDiarizer):
    """A diarizer whose streams say what a function makes of the right answer and the blocks."""

    def __init__(self, answer, turns=TURNS, hear=lambda block: None):
        super().__init__(turns)
        self._answer = answer
        self._hear = hear
        self.shared = []

    def stream(self):
        inner, answer, hear, shared = super().stream(), self._answer, self._hear, self.shared
        shared.clear()

        class Stream:
            def __init__(self):
                self.blocks = []

            def hear(self, block):
                hear(block)
                self.blocks.append(block)
                shared.append(block)
                inner.hear(block)

            def finish(self, cancel=None):
                found = inner.finish(None if answer is deaf_to_a_stop else cancel)
                turns = answer(found.turns, self.blocks, shared)
                return Diarization(turns=tuple(turns))

        return Stream()


def as_it_is(turns, blocks, shared):
    return turns


def deaf_to_a_stop(turns, blocks, shared):
    return turns


def last_first(turns, blocks, shared):
    return turns[::-1]


def too_long(turns, blocks, shared):
    return [turn.model_copy(update={"end_ms": turn.end_ms + 1}) for turn in turns]


def by_one(turns, blocks, shared):
    return [turn for turn in turns if turn.speaker == "Kim"]


def one_a_block(turns, blocks, shared):
    return turns[: len(blocks)]


def one_a_shared_block(turns, blocks, shared):
    return turns if len(shared) == len(blocks) else ()


def unless_loud_now(turns, blocks, shared):
    return () if any(block.mono[0] for block in blocks if len(block.mono)) else turns


def always_one(turns, blocks, shared):
    return turns or (SpeakerTurn(start_ms=0, end_ms=0, speaker="Kim"),)


def scribble(block):
    if len(block.mono):
        block.mono[0] = 0.25


@pytest.mark.parametrize(
    ("check", "diarizer"),
    [
        (people_are_told_apart, Misbehaving(by_one)),
        (turns_are_ordered, Misbehaving(last_first)),
        (turns_lie_inside_the_recording, Misbehaving(too_long)),
        (how_the_sound_is_cut_does_not_matter, Misbehaving(one_a_block, TURNS * 2)),
        (streams_know_nothing_of_each_other, Misbehaving(one_a_shared_block)),
        (the_sound_stays_the_callers, Misbehaving(unless_loud_now)),
        (the_sound_stays_the_callers, Misbehaving(as_it_is, hear=scribble)),
        (nothing_heard_has_no_turns, Misbehaving(always_one)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_diarizer_that_breaks_a_rule_is_found_out(check, diarizer):
    with pytest.raises(AssertionError):
        check(diarizer, CALL)


def test_a_diarizer_that_does_not_stop_is_found_out():
    with pytest.raises(pytest.fail.Exception):
        a_stop_is_heeded(Misbehaving(deaf_to_a_stop), CALL)
