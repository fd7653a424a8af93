"""Small sound files made from nothing but the standard library."""

from __future__ import annotations

import math
import wave
from array import array
from collections.abc import Sequence
from pathlib import Path

SAMPLE_RATE_HZ = 16_000


def write_beeps(
    path: Path, duration_s: float, beeps_s: Sequence[float] = (), *, beep_s: float = 0.5
) -> Path:
    """Write a mono 16-bit WAV file of silence with 1 kHz beeps, and return its path.

    Args:
        path: of the file.
        duration_s: its length in seconds.
        beeps_s: when each beep begins, in seconds.
        beep_s: how long each beep is, in seconds.
    """
    samples = array("h", bytes(2 * round(duration_s * SAMPLE_RATE_HZ)))
    tone = array(
        "h",
        (
            round(20_000 * math.sin(2 * math.pi * 1000 * place / SAMPLE_RATE_HZ))
            for place in range(round(beep_s * SAMPLE_RATE_HZ))
        ),
    )
    for beep in beeps_s:
        start = round(beep * SAMPLE_RATE_HZ)
        samples[start : start + len(tone)] = tone
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        file.writeframes(samples.tobytes())
    return path
