"""Large collections for benchmarks of search: real sentences and vectors, combined anew.

Each chunk is made of sentences of one set, drawn from any of its documents, up to about 500 tokens
(UTF-8 bytes // 4). Its vector is that of some passage of the sets plus noise, made length 1 again;
it has nothing to do with the text, which does not matter for time and room. The same sets, count
and seed give the same bytes.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
from search_contenders import Corpus, Question
from search_sets import Embeddings, Matrix, SearchSet

CHUNK_BYTES = 2_000
NOISE_LENGTH = 0.5
"""Length of the noise beside a vector of length 1: about 0.89 of cosine is left."""

BASE_TEXTS = 500
"""So many passages of each set have their vectors made."""

BATCH_ROWS = 10_000
SEED = 0


class TextLines(Collection[str]):
    """Texts in a file, one a line, read anew each time, so that they take no memory."""

    def __init__(self, path: Path, count: int) -> None:
        self._path = path
        self._count = count

    def __iter__(self) -> Iterator[str]:
        with self._path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                yield line.rstrip("\n")

    def __len__(self) -> int:
        return self._count

    def __contains__(self, text: object) -> bool:
        return any(each == text for each in self)


def make_corpus(
    sets: Sequence[SearchSet], embeddings: Embeddings | None, count: int, folder: Path
) -> Path:
    """Write a collection below `folder`, unless it is there from another run; return its place."""
    names = "+".join(sorted(each.name for each in sets))
    place = folder / f"{names}-{count}-{embeddings.name if embeddings else 'words'}"
    if not (place / "done").exists():
        place.mkdir(parents=True, exist_ok=True)
        _write_texts(sets, count, place / "texts.txt")
        if embeddings:
            _write_vectors(_base_vectors(sets, embeddings), count, place / "vectors.npy")
        (place / "done").touch()
    return place


def open_corpus(place: Path) -> Corpus:
    """Open what `make_corpus` wrote; its `texts.txt` has a line for each text."""
    with (place / "texts.txt").open("rb") as lines:
        count = sum(1 for _ in lines)
    path = place / "vectors.npy"
    vectors = np.load(path, mmap_mode="r") if path.exists() else None
    return Corpus(TextLines(place / "texts.txt", count), "mul", vectors)


def sample_questions(
    sets: Sequence[SearchSet], embeddings: Embeddings | None, count: int
) -> list[Question]:
    """Return questions of all sets in turn, the same every time."""
    chance = random.Random(SEED)  # noqa: S311 - the same sample every time
    each = -(-count // len(sets))
    sampled = [chance.sample(list(one.queries.values()), each) for one in sets]
    texts = [text for several in zip(*sampled, strict=True) for text in several][:count]
    if embeddings is None:
        return [Question(text, None) for text in texts]
    return list(map(Question, texts, embeddings.queries(texts)))


def _write_texts(sets: Sequence[SearchSet], count: int, path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - the same texts every time
    sentences = [_sentences(each) for each in sets]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in range(count):
            file.write(_chunk(chance, sentences[row % len(sentences)]) + "\n")


def _sentences(search_set: SearchSet) -> list[str]:
    text = unicodedata.normalize("NFC", "\n".join(search_set.texts))
    sentences = re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\s*\n\s*", text)
    return [" ".join(sentence.split()) for sentence in sentences if sentence.strip()]


def _chunk(chance: random.Random, sentences: Sequence[str]) -> str:
    chosen: list[str] = []
    byte_len = 0
    while byte_len < CHUNK_BYTES:
        sentence = chance.choice(sentences)
        chosen.append(sentence)
        byte_len += len(sentence.encode("utf-8")) + 1
    return " ".join(chosen)


def _base_vectors(sets: Sequence[SearchSet], embeddings: Embeddings) -> Matrix:
    return np.concatenate([embeddings.passages(each.texts[:BASE_TEXTS]) for each in sets])


def _write_vectors(base: Matrix, count: int, path: Path) -> None:
    chance = np.random.default_rng(SEED)
    shape = (count, base.shape[1])
    rows = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    for start in range(0, count, BATCH_ROWS):
        chosen = base[chance.integers(0, len(base), size=min(BATCH_ROWS, count - start))]
        noise = chance.standard_normal(chosen.shape, dtype=np.float32)
        made = chosen + noise * np.float32(NOISE_LENGTH / base.shape[1] ** 0.5)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        # As precise as what is stored, so that all sides compare the same numbers.
        rows[start : start + len(made)] = made.astype(np.float16)
    rows.flush()
