"""kb's own side of the benchmarks of search: texts into a knowledge base, and its modes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from search_contenders import Corpus, Question, Search
from search_sets import Matrix

from kb_app.container import Container
from kb_app.setup import init
from kb_config import load_settings
from kb_core.canonical import digest_hex
from kb_core.ports.store import IngestedDocument
from kb_core.query import SearchMode
from kb_testing.documents import make_note

TEXTS_PER_NOTE = 100


@dataclass(frozen=True)
class KbMode:
    """One way in which kb searches.

    Attributes:
        search: all of it: the vector of the question is made, passages are loaded and marked.
        rank: the ranking alone; with meaning, the vector of the question is made as well.
        legs: `words`, `meaning`, or both: the bare searches that are its limit.
        command: the whole command that asks a question in this mode.
    """

    search: Search
    rank: Search
    legs: tuple[str, ...]
    command: Callable[[Question], list[str]]


def kb_systems(corpus: Corpus, folder: Path) -> dict[str, Search]:
    """Return kb's modes by name, each over the same texts and vectors as the peers'.

    What they give is the ranking alone, as with the peers: nothing is loaded to be shown.
    """
    return {name: mode.rank for name, mode in kb_modes(corpus, folder).items()}


def kb_modes(corpus: Corpus, folder: Path) -> dict[str, KbMode]:
    """Return kb's modes by name over the texts; the knowledge base is made where there is none."""
    rows = {chunk_id: row for row, chunk_id in enumerate(index_texts(corpus, folder))}
    container = Container(load_settings(folder))

    def made(mode: SearchMode) -> KbMode:
        def search(question: Question, limit: int) -> list[int]:
            hits = retriever.search(question.text, limit=limit)
            return [rows[hit.passage.chunk.chunk_id] for hit in hits]

        def rank(question: Question, limit: int) -> list[int]:
            chunk_ids = retriever.rank_chunks(question.text, limit=limit)
            return [rows[chunk_id] for chunk_id in chunk_ids]

        def command(question: Question) -> list[str]:
            kb = [sys.executable, "-m", "kb_cli", "--data-dir", str(folder)]
            return [*kb, "search", "--json", "--mode", mode, "--", question.text]

        retriever = container.retriever_for(mode)
        legs = {"vector": ("meaning",), "hybrid": ("words", "meaning")}.get(mode, ("words",))
        return KbMode(search, rank, legs, command)

    return {f"kb {mode}": made(mode) for mode in _modes(corpus)}


def _modes(corpus: Corpus) -> list[SearchMode]:
    words: list[SearchMode] = ["pairs", "morphemes", "lexical"]
    return words if corpus.vectors is None else [*words, "vector", "hybrid"]


def index_texts(corpus: Corpus, folder: Path) -> list[str]:
    """Store each text as a chunk of its own, unless it was done before; return the ids in order."""
    listed = folder / "chunk-ids.txt"
    if listed.exists():
        return listed.read_text(encoding="utf-8").split()
    folder.mkdir(parents=True, exist_ok=True)
    init(load_settings(folder), folder)
    container = Container(load_settings(folder))
    chunk_ids: list[str] = []
    for number, texts in enumerate(_batches(corpus)):
        note = make_note(f"{number:06}.md", texts)
        container.store.put_document(note)
        chunk_ids += [chunk.chunk_id for chunk in note.chunks]
        if corpus.vectors is not None:
            _store_vectors(container, note, corpus.vectors[number * TEXTS_PER_NOTE :])
    container.store.rebuild_vector_file(only_if_behind=True)
    container.close()
    listed.write_text("\n".join(chunk_ids), encoding="utf-8")
    return chunk_ids


def _store_vectors(container: Container, note: IngestedDocument, rows: Matrix) -> None:
    embedder = container.embedder
    if embedder is None:
        raise SystemExit("the setting embedding.engine is none")
    vectors = {
        digest_hex(chunk.text.encode()): row.astype("<f2").tobytes()
        for chunk, row in zip(note.chunks, rows, strict=False)
    }
    container.store.put_vectors(embedder.identity.vector_version, vectors)


def index_words(corpus: Corpus, folder: Path) -> None:
    """Store the texts without their vectors."""
    index_texts(replace(corpus, vectors=None), folder)


def index_both(corpus: Corpus, folder: Path) -> None:
    """Store the texts and their vectors."""
    index_texts(corpus, folder)


def _batches(corpus: Corpus) -> Iterator[Sequence[str]]:
    texts: list[str] = []
    for text in corpus.texts:
        texts.append(text)
        if len(texts) == TEXTS_PER_NOTE:
            yield texts
            texts = []
    if texts:
        yield texts
