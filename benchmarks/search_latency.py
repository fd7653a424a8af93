"""How long a search takes among many chunks: kb beside bare FTS5 and a bare product of matrices.

    uv run python benchmarks/search_latency.py [SET ...] [--chunks 100000 500000]
        [--queries 200] [--rounds 9] [--data FOLDER] [--words]

Collections are made of the sets by `search_corpus.py` and kept in FOLDER, indexes as well, so that
a second run only measures; delete them when kb has changed. In a warm process every contender
answers each question in turn: kb by words, by meaning and by both, from the text of the question to
ten cited snippets, and its rankings alone; the model that makes the vector of a question, which is
part of kb by meaning; FTS5 (unicode61, the same texts, any word of the question, best 10 by its
bm25); numpy (the same matrix as 32-bit floats, a vector that is there, one product, best 10).
Prints the median and the 99th percentile, and the ratio of each to its limit: FTS5 for words, the
product for meaning, their sum for both. A first pass over some questions is not counted.

Then whole commands, cold but for the disk cache: `kb search` beside a Python process that does the
bare search and nothing else.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from search_contenders import (
    Corpus,
    Question,
    Search,
    closest_rows,
    fts5,
    search_fts5,
    words_of,
)
from search_corpus import make_corpus, open_corpus, sample_questions
from search_kb import kb_modes
from search_sets import Embed, build_sets, cached_embeddings, load_embedder, load_set

SCRATCH = Path(tempfile.gettempdir())
LIMIT = 10
WARM_UP_QUESTIONS = 5
NOTHING_FOUND = 1
MODES = ("kb lexical", "kb vector", "kb hybrid")
LIMITS = {"words": "FTS5 unicode61", "meaning": "numpy product"}

Step = Callable[[Question], object]
Command = Callable[[Question], list[str]]

COLD_FTS5 = """
import sqlite3, sys
query = "select rowid from texts where texts match ? order by rank limit 10"
print(sqlite3.connect(sys.argv[1]).execute(query, (sys.argv[2],)).fetchall())
"""
COLD_PRODUCT = """
import sys
import numpy as np
products = np.load(sys.argv[1]) @ np.array(sys.argv[2].split(), dtype=np.float32)
best = np.argpartition(-products, 10)[:10]
print(best[np.argsort(-products[best])])
"""


def main() -> None:
    """Measure every size."""
    options = _parse()
    sets = [load_set(folder) for folder in options.sets or build_sets(SCRATCH / "kb-bench-sets")]
    embeddings = None if options.words else cached_embeddings(options.embedder, options.cache)
    embed_query = None if options.words else load_embedder(options.embedder)[1]
    questions = sample_questions(sets, embeddings, options.queries)
    for count in options.chunks:
        place = make_corpus(sets, embeddings, count, options.data)
        _measure(open_corpus(place), place, questions, options.rounds, embed_query)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--chunks", nargs="+", type=int, default=[100_000, 500_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=9, help="of whole commands")
    parser.add_argument("--data", type=Path, default=SCRATCH / "kb-bench-latency")
    parser.add_argument("--words", action="store_true", help="no vectors")
    parser.add_argument("--embedder", default="kb_embedder")
    parser.add_argument("--cache", type=Path, default=SCRATCH / "kb-bench-vectors")
    return parser.parse_args()


def _measure(
    corpus: Corpus,
    place: Path,
    questions: Sequence[Question],
    rounds: int,
    embed_query: Embed | None,
) -> None:
    byte_len = sum(len(text.encode("utf-8")) for text in corpus.texts)
    print(f"### {len(corpus.texts)} chunks, {byte_len / 1e6:.0f} MB of text\n")
    kb = {name: each for name, each in kb_modes(corpus, place / "kb").items() if name in MODES}
    steps = _limit_steps(corpus, place)
    legs: dict[str, tuple[str, ...]] = {}
    for name, mode in kb.items():
        for step, search in ((name, mode.search), (f"{name}, ranking alone", mode.rank)):
            steps[step], legs[step] = partial(_answer, search), mode.legs
    if embed_query is not None:
        steps["vector of the question"] = lambda question: embed_query([question.text])
    milliseconds = _timed_in_turn(steps, questions)
    print("| warm | p50 ms | p99 ms | p50 / limit | p99 / limit |\n|---|---|---|---|---|")
    for name, values in milliseconds.items():
        limits = [milliseconds[LIMITS[leg]] for leg in legs.get(name, ())]
        print(_row(name, values, limits))
    commands = _limit_commands(corpus, place)
    for name, mode in kb.items():
        commands[name] = mode.command
    seconds = _timed_commands(commands, questions[:rounds])
    print("\n| whole command | median ms |\n|---|---|")
    for name, values in seconds.items():
        print(f"| {name} | {statistics.median(values) * 1000:.0f} |")
    print(flush=True)


def _row(name: str, values: list[float], limits: list[list[float]]) -> str:
    cells = [name]
    ours = np.percentile(values, [50, 99])
    cells += [f"{value:.1f}" for value in ours]
    theirs = sum((np.percentile(each, [50, 99]) for each in limits), np.zeros(2))
    cells += [f"{a / b:.2f}" if b else "" for a, b in zip(ours, theirs, strict=True)]
    return f"| {' | '.join(cells)} |"


def _answer(search: Search, question: Question) -> list[int]:
    return search(question, LIMIT)


def _limit_steps(corpus: Corpus, place: Path) -> dict[str, Step]:
    database = _fts5_database(corpus, place)
    steps: dict[str, Step] = {
        LIMITS["words"]: lambda question: search_fts5(database, words_of(question.text), LIMIT)
    }
    if corpus.vectors is not None:
        matrix = np.array(corpus.vectors, dtype=np.float32)
        steps[LIMITS["meaning"]] = lambda question: closest_rows(matrix, question.vector, LIMIT)
    return steps


def _fts5_database(corpus: Corpus, place: Path) -> sqlite3.Connection:
    path = place / "fts5.sqlite"
    if not (place / "fts5.done").exists():
        path.unlink(missing_ok=True)
        fts5("unicode61", words_of)(corpus, place)
        (place / "fts5.done").touch()
    return sqlite3.connect(path)


def _limit_commands(corpus: Corpus, place: Path) -> dict[str, Command]:
    database = str(place / "fts5.sqlite")
    commands: dict[str, Command] = {
        LIMITS["words"]: lambda question: [
            *(sys.executable, "-c", COLD_FTS5, database),
            " OR ".join(f'"{word}"' for word in words_of(question.text)),
        ]
    }
    if isinstance(corpus.vectors, np.memmap):
        matrix = str(corpus.vectors.filename)
        commands[LIMITS["meaning"]] = lambda question: [
            *(sys.executable, "-c", COLD_PRODUCT, matrix),
            " ".join(map(str, question.vector.tolist())) if question.vector is not None else "",
        ]
    return commands


def _timed_in_turn(
    steps: Mapping[str, Step], questions: Sequence[Question]
) -> dict[str, list[float]]:
    """Return the milliseconds of each step for each question."""
    milliseconds: dict[str, list[float]] = {name: [] for name in steps}
    for number, question in enumerate([*questions[:WARM_UP_QUESTIONS], *questions]):
        for name, step in steps.items():
            started_s = time.perf_counter()
            step(question)
            if number >= WARM_UP_QUESTIONS:
                milliseconds[name].append((time.perf_counter() - started_s) * 1000)
    return milliseconds


def _timed_commands(
    commands: Mapping[str, Command], questions: Sequence[Question]
) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for number, question in enumerate([questions[0], *questions]):
        for name, command in commands.items():
            started_s = time.perf_counter()
            done = subprocess.run(command(question), check=False, capture_output=True)  # noqa: S603
            taken_s = time.perf_counter() - started_s
            if done.returncode not in (0, NOTHING_FOUND):
                raise SystemExit(done.stderr.decode())
            if number:
                seconds[name].append(taken_s)
    return seconds


if __name__ == "__main__":
    main()
