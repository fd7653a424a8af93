"""Ten minutes of speech spread over an hour of room tone: `kb ingest` against bare pywhispercpp.

    uv run --group bench python benchmarks/sparse.py [RECORDING] [--rounds 3] [--threads 2]

The recording's speech is cut at its own pauses and laid out evenly over an hour of brown noise at
-46 dB. Each contender is a process of its own that loads the model and decodes the file; `kb` also
stores, cuts and indexes. Prints medians and the median of the round-by-round ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import wave
from pathlib import Path

import numpy as np
from asr import BARE_WHISPER_CPP, SHARED_RECORDING, ggml_model, kb_ingest, run_script
from peers import decode

HOUR_S = 3600
RATE_HZ = 16_000
PIECE_S = 10
NOISE_RMS = 0.005


def main() -> None:
    """Make the recording, run the rounds, print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", nargs="?", type=Path, default=SHARED_RECORDING)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=min(4, len(os.sched_getaffinity(0))))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kb-bench-") as folder:
        scratch = Path(folder)
        models_dir = scratch / "models"
        model = ggml_model(scratch, models_dir)
        sparse = scratch / "sparse.wav"
        write_sparse(decode(options.recording), sparse)
        ours, theirs = [], []
        for round_number in range(1, options.rounds + 1):
            ours.append(kb_ingest(scratch, models_dir, sparse, options.threads))
            theirs.append(run_script(BARE_WHISPER_CPP, sparse, model, options.threads))
            print(f"round {round_number}: kb {ours[-1]:.1f} s, bare {theirs[-1]:.1f} s", flush=True)
    ratios = [bare / kb for kb, bare in zip(ours, theirs, strict=True)]
    print(f"kb ingest        median {statistics.median(ours):7.1f} s")
    print(f"bare whisper.cpp median {statistics.median(theirs):7.1f} s")
    print(f"bare / kb: median ratio {statistics.median(ratios):.2f}")


def write_sparse(speech: np.ndarray, target: Path) -> None:
    """Write an hour of room tone with the first ten minutes of `speech` spread over it."""
    noise = np.cumsum(np.random.default_rng(0).standard_normal(HOUR_S * RATE_HZ))
    noise -= np.convolve(noise, np.ones(800) / 800, mode="same")
    sound = noise * (NOISE_RMS / noise.std())
    pieces = [
        speech[start : start + PIECE_S * RATE_HZ]
        for start in range(0, 600 * RATE_HZ, PIECE_S * RATE_HZ)
    ]
    apart = HOUR_S * RATE_HZ // len(pieces)
    for place, piece in enumerate(pieces):
        sound[place * apart : place * apart + len(piece)] += piece
    samples = np.rint(np.clip(sound, -1, 1) * 32767).astype("<i2")
    with wave.open(str(target), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(samples.tobytes())


if __name__ == "__main__":
    main()
