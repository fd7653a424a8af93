"""How windows are heard to their end, with an engine that says what it is told to."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from kb_asr_faster_whisper.engine import EncodedWindow, HeardPass
from kb_asr_faster_whisper.listening import hear, longest_gap_ms
from kb_asr_faster_whisper.words import Piece

SECOND_SAMPLES = 16_000


def piece(text: str, start_s: float, end_s: float) -> Piece:
    return Piece(text, int(start_s * 1000), int(end_s * 1000), (0.9,))


@dataclass
class ScriptedEngine:
    at_first: list[Piece]
    passes: list[HeardPass] = field(default_factory=list)
    encoded_s: list[float] = field(default_factory=list)

    def encode(self, samples):
        self.encoded_s.append(len(samples) / SECOND_SAMPLES)
        return EncodedWindow(np.zeros((1, 1, 1), np.float32), len(samples) // 160)

    def recognise(self, windows, language):
        return [self.at_first for _ in windows]

    def recognise_with_times(self, window, language):
        return self.passes.pop(0)


def heard(engine: ScriptedEngine, duration_s: int = 20) -> list[tuple[str, int, int]]:
    samples = np.zeros(duration_s * SECOND_SAMPLES, np.float32)
    (pieces,) = hear(engine, [(samples, engine.encode(samples))], "en")
    return [(each.text, each.start_ms, each.end_ms) for each in pieces]


def test_window_that_is_heard_to_its_end_takes_no_pass():
    full = [piece(f" {place}", place, place + 1) for place in range(19)]
    engine = ScriptedEngine(full)
    assert len(heard(engine)) == 19
    assert engine.encoded_s == [20]


@pytest.mark.parametrize(
    "at_first",
    [
        [piece(" stopped", 0, 1), piece(" early", 1, 2)],
        [piece(" began", 0, 18), piece(" late", 18, 20)],
    ],
)
def test_what_was_left_out_is_heard_in_passes_that_follow_each_other(at_first):
    passes = [
        HeardPass([piece(" one", 0, 2.5), piece(" two", 2.5, 9)], 6_000),
        HeardPass([piece(" three", 0.5, 4), piece(" four", 4, 10)], 9_000),
        HeardPass([piece(" five", 0, 4)], None),
    ]
    engine = ScriptedEngine(at_first, passes)
    assert heard(engine) == [
        (" one", 0, 2500),
        (" two", 2500, 6000),
        (" three", 6500, 10_000),
        (" four", 10_000, 15_000),
        (" five", 15_000, 19_000),
    ]
    assert engine.encoded_s == [20, 14, 5]


def test_passes_that_leave_out_more_are_not_taken():
    at_first = [piece(" a", 0, 4), piece(" b", 4, 20 - 1)]
    engine = ScriptedEngine(at_first, [HeardPass([piece(" c", 0, 1)], 19_500)])
    assert [text for text, _, _ in heard(engine)] == [" a", " b"]


def test_pass_without_text_or_progress_is_the_last_one():
    at_first = [piece(" a", 0, 1)]
    for last in (HeardPass([], 15_000), HeardPass([piece(" b", 0, 15)], 0)):
        engine = ScriptedEngine(at_first, [last])
        heard(engine)
        assert engine.encoded_s == [20]


def test_window_without_text_stays_empty():
    engine = ScriptedEngine([])
    assert heard(engine) == []
    assert longest_gap_ms([], 20_000) == 0
