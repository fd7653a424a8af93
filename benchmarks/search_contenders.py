"""Peers of kb's search behind one call: each indexes texts in a folder and then ranks them.

Every peer runs with its usual settings and keeps the texts as well. What differs by language is
what each offers for it: English stemming and stop words for English, none for the rest; LanceDB's
dictionaries (ICU) for languages other than English, which its manual names for them, and as a
contender of its own its n-grams of two and three characters, which do far better there. No model is
loaded from a hub, so those with vectors get kb's: txtai through its `external` method, LanceDB as a
column. A question goes to each as its words, any of which may match.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from search_sets import Matrix

BATCH_TEXTS = 1_000


@dataclass(frozen=True)
class Corpus:
    """Texts and the rows of their vectors, in the same order.

    Attributes:
        language: ISO 639-1, what peers are told.
        vectors: rows of length 1; None for systems of words alone.
    """

    texts: Collection[str]
    language: str
    vectors: Matrix | None


@dataclass(frozen=True)
class Question:
    """What a person asks, and its vector."""

    text: str
    vector: Matrix | None


Search = Callable[[Question, int], list[int]]
"""From a question and a limit to positions of texts, best first."""

Contender = Callable[[Corpus, Path], Search]
"""Indexes texts in an empty folder."""


def words_of(text: str) -> list[str]:
    """Return the words of a question, each once."""
    return list(dict.fromkeys(re.findall(r"\w+", text)))


def fts5(tokenizer: str, terms_of: Callable[[str], list[str]]) -> Contender:
    """SQLite FTS5 with its bm25, any of the terms."""

    def index(corpus: Corpus, folder: Path) -> Search:
        database = sqlite3.connect(folder / "fts5.sqlite")
        database.execute(f"create virtual table texts using fts5(text, tokenize='{tokenizer}')")
        with database:
            rows = enumerate(corpus.texts)
            database.executemany("insert into texts(rowid, text) values (?, ?)", rows)
        return lambda question, limit: search_fts5(database, terms_of(question.text), limit)

    return index


def search_fts5(database: sqlite3.Connection, terms: list[str], limit: int) -> list[int]:
    """Return the rows with any of the terms, best first."""
    if not terms:
        return []
    match = " OR ".join(f'"{term}"' for term in terms)
    query = "select rowid from texts where texts match ? order by rank limit ?"
    return [row for (row,) in database.execute(query, (match, limit))]


def trigrams_of(text: str) -> list[str]:
    """Return all trigrams of the words, each once."""
    grams = (word[at : at + 3] for word in words_of(text) for at in range(len(word) - 2))
    return list(dict.fromkeys(grams))


def bm25s(corpus: Corpus, folder: Path) -> Search:
    """bm25s with the stemmer and the stop words of its manual's first example, for English."""
    import bm25s as library
    import Stemmer

    is_english = corpus.language == "en"
    options: dict[str, Any] = {
        "stopwords": "en" if is_english else None,
        "stemmer": Stemmer.Stemmer("english") if is_english else None,
        "show_progress": False,
    }
    engine = library.BM25()
    engine.index(library.tokenize(list(corpus.texts), **options), show_progress=False)
    engine.save(folder / "bm25s", corpus=list(corpus.texts), show_progress=False)

    def search(question: Question, limit: int) -> list[int]:
        tokens = library.tokenize([question.text], return_ids=False, **options)
        if not tokens[0]:
            return []
        count = min(limit, len(corpus.texts))
        found, scores = engine.retrieve(tokens, k=count, show_progress=False)
        return [int(row) for row, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search


def tantivy(tokenizer: str) -> Contender:
    """Return tantivy with its own writer and query parser."""

    def index(corpus: Corpus, folder: Path) -> Search:
        import tantivy as library

        builder = library.SchemaBuilder()
        builder.add_text_field("text", stored=True, tokenizer_name=tokenizer)
        builder.add_integer_field("row", stored=True)
        engine = library.Index(builder.build(), path=str(folder))
        writer = engine.writer()
        for row, text in enumerate(corpus.texts):
            writer.add_document(library.Document(text=text, row=row))
        writer.commit()
        writer.wait_merging_threads()
        engine.reload()
        searcher = engine.searcher()

        def search(question: Question, limit: int) -> list[int]:
            # Lower case, so that no word is taken for an operator.
            words = " ".join(words_of(question.text)).lower()
            query, _ = engine.parse_query_lenient(words, ["text"])
            hits = searcher.search(query, limit).hits
            return [searcher.doc(address)["row"][0] for _, address in hits]

        return search

    return index


def txtai(mode: str) -> Contender:
    """Return txtai, `keyword` or `hybrid`, with content."""

    def index(corpus: Corpus, folder: Path) -> Search:
        from txtai import Embeddings

        rows = iter(()) if corpus.vectors is None else iter(corpus.vectors)
        asked: dict[str, Matrix] = {}

        def transform(texts: list[str]) -> Matrix:
            # Documents come in their order, each once; a question was told before.
            return np.stack([asked[text] if text in asked else next(rows) for text in texts])

        options: dict[str, Any] = {mode: True, "content": True}
        if mode == "hybrid":
            options |= {"method": "external", "transform": transform}
            options["instructions"] = {"query": "query: ", "data": "passage: "}
        engine = Embeddings(options)
        engine.index(enumerate(corpus.texts))
        # A function cannot be saved, and is given again to who loads the index.
        engine.config.pop("transform", None)
        engine.save(str(folder / "txtai"))

        def search(question: Question, limit: int) -> list[int]:
            asked.clear()
            asked[f"query: {question.text}"] = question.vector
            return [int(hit["id"]) for hit in engine.search(question.text, limit)]

        return search

    return index


def lancedb(mode: str, *, grams: bool = False) -> Contender:
    """Return LanceDB, `fts` or `hybrid` fused by its RRF, without an index over vectors."""

    def index(corpus: Corpus, folder: Path) -> Search:
        import lancedb as library
        from lancedb.index import FTS
        from lancedb.rerankers import RRFReranker

        table = library.connect(folder).create_table("texts", data=_batches(corpus, mode))
        options: dict[str, Any] = {"stem": False, "remove_stop_words": False}
        if grams:
            options |= {"base_tokenizer": "ngram", "ngram_min_length": 2, "ngram_max_length": 3}
        elif corpus.language == "en":
            options = {}
        else:
            options["base_tokenizer"] = "icu"
        table.create_index("text", config=FTS(**options))

        def search(question: Question, limit: int) -> list[int]:
            words = " ".join(words_of(question.text))
            if mode == "fts":
                query = table.search(words, query_type="fts")
            else:
                both = table.search(query_type="hybrid").vector(question.vector).text(words)
                query = both.rerank(RRFReranker())
            return [hit["row"] for hit in query.limit(limit).to_list()]

        return search

    return index


def _batches(corpus: Corpus, mode: str) -> Iterator[Any]:
    import pyarrow

    texts: list[str] = []
    for row, text in enumerate(corpus.texts, start=1):
        texts.append(text)
        if len(texts) == BATCH_TEXTS or row == len(corpus.texts):
            columns: dict[str, Any] = {"row": range(row - len(texts), row), "text": texts}
            if mode == "hybrid" and corpus.vectors is not None:
                flat = np.ascontiguousarray(corpus.vectors[row - len(texts) : row]).ravel()
                size = corpus.vectors.shape[1]
                columns["vector"] = pyarrow.FixedSizeListArray.from_arrays(flat, size)
            yield pyarrow.RecordBatch.from_pydict(columns)
            texts = []


def matrix_product(corpus: Corpus, folder: Path) -> Search:
    """Return the closest vectors by one numpy product, exact: the limit of a search by meaning."""
    assert corpus.vectors is not None  # noqa: S101 - a mistake of the script
    np.save(folder / "vectors.npy", corpus.vectors)
    matrix = np.ascontiguousarray(corpus.vectors, dtype=np.float32)
    return lambda question, limit: closest_rows(matrix, question.vector, limit)


def closest_rows(matrix: Matrix, vector: Matrix | None, limit: int) -> list[int]:
    """Return the rows with the largest product, largest first."""
    products = matrix @ vector
    best = np.argpartition(-products, limit)[:limit] if limit < len(products) else None
    rows = np.arange(len(products)) if best is None else best
    return [int(row) for row in rows[np.lexsort((rows, -products[rows]))]]


WORDS_ALONE: dict[str, Contender] = {
    "FTS5 unicode61": fts5("unicode61", words_of),
    "FTS5 trigram, words": fts5("trigram", words_of),
    "FTS5 trigram, trigrams": fts5("trigram", trigrams_of),
    "bm25s": bm25s,
    "tantivy": tantivy("default"),
    "tantivy en_stem": tantivy("en_stem"),
    "txtai keyword": txtai("keyword"),
    "LanceDB words": lancedb("fts"),
    "LanceDB n-grams": lancedb("fts", grams=True),
}
WITH_VECTORS: dict[str, Contender] = {
    "vectors, exact": matrix_product,
    "txtai hybrid": txtai("hybrid"),
    "LanceDB hybrid": lancedb("hybrid"),
    "LanceDB hybrid n-grams": lancedb("hybrid", grams=True),
}
