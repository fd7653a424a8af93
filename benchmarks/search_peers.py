"""Which system finds the right passage: kb beside its peers over sets with judgements.

    uv run --with bm25s --with PyStemmer --with tantivy --with txtai --with lancedb \\
        python benchmarks/search_peers.py [SET ...] [--queries 1000] [--runs FOLDER] [--words]

SET is a folder as `to_beir.py` makes it; without any, all sets of the shared data are built. Every
system ranks the same texts for the same questions; what it returns is written to
RUNS/SET/SYSTEM.run, and all that is there is measured by `ranking_measures.py`. With --words
nothing is embedded and systems with vectors are left out. A peer that is not installed is left out
with a line.

Vectors of passages and questions are the same for all systems, those of kb's own model, and kept in
the cache folder, each text once. kb embeds its questions itself.

txtai needs PyTorch. qmd (npm) is left out: its search by meaning, its expansion of questions and
its ranking by a model need three models from a hub, and its search by words alone wants every word
of a question in the passage, so it finds nothing for most questions.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from ranking_measures import DEPTH, read_runs, table, write_run
from search_contenders import WITH_VECTORS, WORDS_ALONE, Contender, Corpus, Question, Search
from search_kb import kb_systems
from search_sets import Embeddings, SearchSet, build_sets, cached_embeddings, load_set

SCRATCH = Path(tempfile.gettempdir())


def main() -> None:
    """Run every system over every set, and print the tables."""
    options = _parse()
    folders = options.sets or build_sets(SCRATCH / "kb-bench-sets")
    embeddings = None if options.words else cached_embeddings(options.embedder, options.cache)
    for folder in folders:
        search_set = load_set(folder, options.queries)
        rank_all(search_set, embeddings, options.runs, options.only)
        runs = read_runs(options.runs / search_set.name)
        print(table(search_set, runs, options.against), flush=True)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--runs", type=Path, default=SCRATCH / "kb-bench-runs")
    parser.add_argument("--words", action="store_true", help="only systems of words")
    parser.add_argument("--embedder", default="kb_embedder")
    parser.add_argument("--cache", type=Path, default=SCRATCH / "kb-bench-vectors")
    parser.add_argument("--only", action="append", help="a system's name or its beginning")
    parser.add_argument("--against", help="system whose nDCG@10 the others are compared with")
    return parser.parse_args()


def rank_all(
    search_set: SearchSet, embeddings: Embeddings | None, runs: Path, only: list[str] | None
) -> None:
    """Write a run file for each system that is installed and wanted."""
    contenders = WORDS_ALONE | (WITH_VECTORS if embeddings else {})
    unsuited = "n-grams" if search_set.language == "en" else "en_stem"
    contenders = {name: each for name, each in contenders.items() if unsuited not in name}
    vectors = embeddings.passages(search_set.texts) if embeddings else None
    corpus = Corpus(search_set.texts, search_set.language, vectors)
    questions = ask(search_set, embeddings)
    with tempfile.TemporaryDirectory(prefix="kb-bench-") as scratch:
        systems: dict[str, Search] = {}
        for name, contender in contenders.items():
            if _wanted(name, only):
                systems |= _indexed(name, contender, corpus, Path(scratch))
        if _wanted("kb", only):
            systems |= kb_systems(corpus, _folder(Path(scratch), "kb"))
        for name, search in systems.items():
            started_s = time.perf_counter()
            rankings = {
                query_id: [search_set.doc_ids[row] for row in search(question, DEPTH)]
                for query_id, question in questions.items()
            }
            write_run(runs / search_set.name / f"{name}.run", name, rankings)
            seconds = time.perf_counter() - started_s
            print(f"{search_set.name}: {name}, {seconds:.1f} s", file=sys.stderr, flush=True)


def ask(search_set: SearchSet, embeddings: Embeddings | None) -> Mapping[str, Question]:
    """Return the questions with their vectors."""
    texts = list(search_set.queries.values())
    vectors = embeddings.queries(texts) if embeddings else [None] * len(texts)
    questions = map(Question, texts, vectors)
    return dict(zip(search_set.queries, questions, strict=True))


def _wanted(name: str, only: list[str] | None) -> bool:
    return only is None or any(name.startswith(beginning) for beginning in only)


def _indexed(name: str, contender: Contender, corpus: Corpus, scratch: Path) -> dict[str, Search]:
    try:
        return {name: contender(corpus, _folder(scratch, name))}
    except ModuleNotFoundError as error:
        print(f"left out: {name} ({error})", file=sys.stderr, flush=True)
        return {}


def _folder(scratch: Path, name: str) -> Path:
    folder = scratch / name.replace(" ", "-")
    folder.mkdir()
    return folder


if __name__ == "__main__":
    main()
