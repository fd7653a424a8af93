"""The diarizer of calls keeps to the port."""

import wave
from array import array
from pathlib import Path

import pytest

from kb_core.ports.diarizer import Diarizer
from kb_parse_audio.channel_speakers import ChannelDiarizer
from kb_testing.diarizer_conformance import DIARIZER_CHECKS, Call, DiarizerCheck

AUDIO = Path(__file__).parents[3] / "fixtures" / "audio"


def spoken(name: str, samples: int) -> array:
    with wave.open(str(AUDIO / name), "rb") as file:
        return array("f", (each / 32_768 for each in array("h", file.readframes(samples))))


@pytest.fixture(scope="module")
def call() -> Call:
    """4.5 s of one person, then 3.8 s of the other one."""
    english, korean = spoken("jfk.wav", 72_000), spoken("leopard_ko.wav", 61_000)
    left = english + array("f", bytes(4 * len(korean)))
    right = array("f", bytes(4 * len(english))) + korean
    return memoryview(left), memoryview(right)


@pytest.mark.parametrize("check", DIARIZER_CHECKS, ids=lambda check: check.__name__)
def test_channel_diarizer_is_a_diarizer(check: DiarizerCheck, call: Call):
    diarizer: Diarizer = ChannelDiarizer()
    check(diarizer, call)
