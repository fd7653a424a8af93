"""Wall time of `kb ingest` against bare whisper.cpp and faster-whisper on the same weights.

    uv run --group bench python benchmarks/asr.py [RECORDING] [--rounds 5] [--threads 2]

Each round runs every contender once, in turn, as a process of its own that loads the model, decodes
the file, detects the language and transcribes it greedily. `kb` also stores, chunks and indexes.
Prints the median of each and the median of the round-by-round ratio kb / bare whisper.cpp.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from peers import ctranslate2_model

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED_RECORDING = (
    REPOSITORY.parent / "shared" / "data" / "audio" / "en" / "long" / "built_11min_many_voices.ogg"
)
FALLBACK_RECORDING = REPOSITORY / "fixtures" / "audio" / "sonnet-2.ogg"

KB = ("kb ingest", "kb, faster-whisper")
DECODE = """
import sys, av, numpy as np
def decode(path):
    resampler = av.AudioResampler(format="flt", layout="mono", rate=16000)
    parts = []
    with av.open(path) as container:
        for frame in container.decode(audio=0):
            parts += [part.to_ndarray()[0] for part in resampler.resample(frame)]
    parts += [part.to_ndarray()[0] for part in resampler.resample(None)]
    return np.concatenate(parts)
"""
BARE_WHISPER_CPP = (
    DECODE
    + """
from pywhispercpp.model import Model
path, model, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
engine = Model(model, n_threads=threads, redirect_whispercpp_logs_to=None,
               print_progress=False, print_timestamps=False, language="auto",
               temperature=0.0, temperature_inc=0.0, token_timestamps=True)
print(len(engine.transcribe(decode(path))))
"""
)
BATCHED_FASTER_WHISPER = """
import sys
from faster_whisper import BatchedInferencePipeline, WhisperModel
path, model, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
engine = WhisperModel(model, device="cpu", compute_type="int8", cpu_threads=threads)
segments, _ = BatchedInferencePipeline(engine).transcribe(path, batch_size=8, word_timestamps=True)
print(len(list(segments)))
"""
BARE_FASTER_WHISPER = """
import sys
from faster_whisper import WhisperModel
path, model, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
engine = WhisperModel(model, device="cpu", compute_type="int8", cpu_threads=threads)
segments, _ = engine.transcribe(path, beam_size=1, temperature=0.0, word_timestamps=True,
                                condition_on_previous_text=False)
print(len(list(segments)))
"""


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = SHARED_RECORDING if SHARED_RECORDING.exists() else FALLBACK_RECORDING
    parser.add_argument("recording", nargs="?", type=Path, default=default)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=min(4, len(os.sched_getaffinity(0))))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kb-bench-") as scratch:
        contenders = _contenders(Path(scratch), options.recording, options.threads)
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        for round_number in range(options.rounds):
            for name, run in contenders.items():
                seconds[name].append(run())
                print(f"round {round_number + 1}: {name} {seconds[name][-1]:.1f} s", flush=True)
    _print_table(seconds, options)


def _print_table(seconds: dict[str, list[float]], options: argparse.Namespace) -> None:
    print(f"\n{options.recording.name}, {options.threads} threads, {options.rounds} rounds")
    for name, values in seconds.items():
        print(f"{name:<22} median {statistics.median(values):7.1f} s")
    for ours in KB:
        for theirs in (name for name in seconds if name not in KB):
            pairs = zip(seconds.get(ours, ()), seconds[theirs], strict=False)
            ratios = [mine / other for mine, other in pairs]
            if ratios:
                print(f"{ours} / {theirs}: median ratio {statistics.median(ratios):.3f}")


def _contenders(scratch: Path, recording: Path, threads: int) -> dict[str, Callable[[], float]]:
    models_dir = scratch / "models"
    ggml = ggml_model(scratch, models_dir)
    found: dict[str, Callable[[], float]] = {
        "kb ingest": lambda: kb_ingest(scratch, models_dir, recording, threads),
        "bare whisper.cpp": lambda: run_script(BARE_WHISPER_CPP, recording, ggml, threads),
    }
    try:
        import faster_whisper  # noqa: F401
    except ImportError:
        print("faster-whisper is not installed: run with `uv run --group bench`")
        return found
    weights = ctranslate2_model()
    found["kb, faster-whisper"] = lambda: kb_ingest(
        scratch, models_dir, recording, threads, "faster-whisper"
    )
    found["faster-whisper"] = lambda: run_script(BARE_FASTER_WHISPER, recording, weights, threads)
    found["faster-whisper batched"] = lambda: run_script(
        BATCHED_FASTER_WHISPER, recording, weights, threads
    )
    return found


def ggml_model(scratch: Path, models_dir: Path) -> Path:
    """Convert the embedded model outside of the timed part, and return its file."""
    jfk = REPOSITORY / "fixtures" / "audio" / "jfk.mp3"
    kb_ingest(scratch, models_dir, jfk, 2)
    return next(models_dir.glob("*.bin"))


def kb_ingest(
    scratch: Path, models_dir: Path, recording: Path, threads: int, engine: str = "whisper.cpp"
) -> float:
    """Return the seconds that an ingest into a new knowledge base takes."""
    data_dir = scratch / "data"
    shutil.rmtree(data_dir, ignore_errors=True)
    environment = {
        **os.environ,
        "KB_MODELS_DIR": str(models_dir),
        "KB_ASR__THREADS": str(threads),
        "KB_ASR__ENGINE": engine,
    }
    command = [sys.executable, "-m", "kb_cli", "--data-dir", str(data_dir), "ingest", "--json"]
    started_s = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - our own command
        [*command, str(recording)], env=environment, capture_output=True, check=True
    )
    elapsed_s = time.perf_counter() - started_s
    report = json.loads(done.stdout.splitlines()[-1])
    if report["new"] != 1:
        raise SystemExit(f"kb ingest did not do its work: {report}")
    return elapsed_s


def run_script(source: str, recording: Path, model: Path, threads: int) -> float:
    command = [sys.executable, "-c", source, str(recording), str(model), str(threads)]
    started_s = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - our own scripts
    return time.perf_counter() - started_s


if __name__ == "__main__":
    main()
