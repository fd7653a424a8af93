"""Measures of rankings: one function for every system, over run files in the format of TREC.

    uv run python benchmarks/ranking_measures.py RUNS SET ... [--queries 1000] [--against NAME]

RUNS holds a folder for each set with a file `SYSTEM.run` for each system: six columns, of which
query, document and rank count. Lines are `query Q0 document rank score system`. Prints a Markdown
table for each set: means over all queries, in brackets the 95% interval of the mean of nDCG@10
over 2,000 resamples of the queries with a fixed seed. With --against the table also has the
difference of nDCG@10 to that system, query by query, with its own interval over the same resamples:
where it does not hold 0 the two systems differ.

nDCG takes the grade as the gain and log2(rank + 1) as the discount, as trec_eval does. A query
without any answer among the results counts as 0, also when a system returned nothing.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from search_sets import SearchSet, load_set

Ranking = Sequence[str]
Values = np.ndarray[Any, np.dtype[np.float64]]

DEPTH = 100
"""So many documents a query are kept."""

MEASURES = ("nDCG@10", "recall@10", "recall@100", "MRR@10", "hit@1")
RESAMPLES = 2_000
SEED = 0


def main() -> None:
    """Read the run files and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--against")
    options = parser.parse_args()
    for folder in options.sets:
        search_set = load_set(folder, options.queries)
        print(table(search_set, read_runs(options.runs / search_set.name), options.against))


def write_run(path: Path, system: str, rankings: Mapping[str, Ranking]) -> None:
    """Write the best documents of each query, best first; the score only repeats the rank."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tag = system.replace(" ", "_")
    with path.open("w", encoding="utf-8") as file:
        for query_id, doc_ids in rankings.items():
            for rank, doc_id in enumerate(doc_ids[:DEPTH], start=1):
                file.write(f"{query_id} Q0 {doc_id} {rank} {1 / rank:.6f} {tag}\n")


def read_runs(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Return the rankings of every system of one set, by the name of its file."""
    return {path.stem: _read_run(path) for path in sorted(folder.glob("*.run"))}


def _read_run(path: Path) -> dict[str, list[str]]:
    ranked: dict[str, list[tuple[int, str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query_id, _, doc_id, rank, _, _ = line.split()
        ranked.setdefault(query_id, []).append((int(rank), doc_id))
    return {query_id: [doc_id for _, doc_id in sorted(found)] for query_id, found in ranked.items()}


def measure(search_set: SearchSet, rankings: Mapping[str, Ranking]) -> dict[str, Values]:
    """Return each measure of each query, in the order of the queries."""
    rows = [
        _measure_query(grades, rankings.get(query_id, ()))
        for query_id, grades in search_set.judgements.items()
    ]
    return dict(zip(MEASURES, np.array(rows).T, strict=True))


def _measure_query(grades: Mapping[str, int], ranking: Ranking) -> tuple[float, ...]:
    ranking = list(dict.fromkeys(ranking))
    gains = [grades.get(doc_id, 0) for doc_id in ranking[:DEPTH]]
    best = sorted(grades.values(), reverse=True)
    first = next((rank for rank, gain in enumerate(gains[:10], start=1) if gain), None)
    return (
        _discounted(gains[:10]) / _discounted(best[:10]),
        sum(map(bool, gains[:10])) / len(grades),
        sum(map(bool, gains)) / len(grades),
        1 / first if first else 0.0,
        float(first == 1),
    )


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def interval(values: Values) -> tuple[float, float]:
    """Return the 95% interval of the mean by resampling; the same resamples for equal lengths."""
    chance = np.random.default_rng(SEED)
    picks = chance.integers(0, len(values), size=(RESAMPLES, len(values)))
    low, high = np.percentile(values[picks].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def table(
    search_set: SearchSet,
    runs: Mapping[str, Mapping[str, Ranking]],
    against: str | None = None,
) -> str:
    """Return the Markdown table of one set."""
    measured = {name: measure(search_set, rankings) for name, rankings in runs.items()}
    columns = ["system", *MEASURES]
    if against is not None:
        columns.append(f"nDCG@10 less {against}")
    lines = [
        f"### {search_set.name}: {len(search_set.texts)} documents, "
        f"{len(search_set.queries)} queries\n",
        f"| {' | '.join(columns)} |",
        "|" + "---|" * len(columns),
    ]
    for name, values in measured.items():
        cells = [f"{values[measure].mean():.3f}" for measure in MEASURES]
        cells[0] += " ({:.3f}–{:.3f})".format(*interval(values["nDCG@10"]))
        if against is not None:
            cells.append(_difference(values["nDCG@10"] - measured[against]["nDCG@10"]))
        lines.append(f"| {' | '.join([name, *cells])} |")
    return "\n".join(lines) + "\n"


def _difference(values: Values) -> str:
    if not values.any():
        return ""
    low, high = interval(values)
    return f"{values.mean():+.3f} ({low:+.3f} to {high:+.3f})"


if __name__ == "__main__":
    main()
