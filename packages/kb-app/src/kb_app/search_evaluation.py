"""Measuring search against judgements; the figures are made by an evaluation found by entry point.

A set with a corpus of its own goes into a temporary knowledge base; a person's golden file is asked
of their own one, which is only read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, cast

from kb_app import plugins
from kb_app.container import Container
from kb_app.embedding import embed_pending
from kb_app.library import find_document
from kb_app.text_library import CorpusText, ingested_text
from kb_app.whole_file import refuse_own_files, write_whole
from kb_app.wire_search_evaluation import EvaluatedQueryV1, SearchEvaluationV1
from kb_core import CancelToken, Citation
from kb_core.errors import (
    FeatureMissing,
    InputError,
    ModelMissing,
    NotFound,
    StoreMissing,
    VectorsMissing,
)
from kb_core.ports.embedder import Embedder, EmbedderIdentity
from kb_core.ports.store import VectorCounts
from kb_core.query import SearchMode

LEXICAL_MODES: tuple[SearchMode, ...] = ("pairs", "morphemes", "lexical")
ROWS_OPTION = "--per-query"
DEFAULT_MODES: tuple[SearchMode, ...] = ("lexical", "vector", "hybrid")

OnStep = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and how much there is."""

OnQuery = Callable[[EvaluatedQueryV1], None]
"""Called with each query in each mode, mode by mode."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What an evaluation of search is asked for.

    Attributes:
        modes: in this order; none for `DEFAULT_MODES`, or those of them that need no embedder
            where there is none or its model is missing.
        split: which judgements of a set.
        recall_at: numbers of results, ascending.
        limit: at most so many queries, the same ones every time; None for all.
    """

    modes: tuple[SearchMode, ...] = ()
    split: str = "test"
    recall_at: tuple[int, ...] = (1, 5, 10, 100)
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class UsedEmbedder:
    """The model behind the modes that use one, and how many chunks have a vector of it."""

    identity: EmbedderIdentity
    vectors: VectorCounts


@dataclass(frozen=True, slots=True)
class TextSearch:
    """Search over the texts of a corpus.

    Attributes:
        modes: to be evaluated.
        embedder: None when none of them uses one.
        index_ms: wall time that indexing took.
        search: returns the ids of at most so many texts, best first.
    """

    modes: tuple[SearchMode, ...]
    embedder: UsedEmbedder | None
    index_ms: int
    search: Callable[[SearchMode, str, int], list[str]]


@dataclass(frozen=True, slots=True)
class LibrarySearch:
    """Search over a person's own knowledge base.

    Attributes:
        modes: to be evaluated.
        embedder: None when none of them uses one.
        documents: that there are.
        search: returns the places of at most so many hits, best first.
        stored_path: the path that citations have for a path as a person writes it, or None when
            there is no such document.
    """

    modes: tuple[SearchMode, ...]
    embedder: UsedEmbedder | None
    documents: int
    search: Callable[[SearchMode, str, int], list[Citation]]
    stored_path: Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class SearchEvaluationServices:
    """What an evaluation of search works with.

    Attributes:
        path: of the set, absolute; a folder with a corpus, or a golden file.
        options: what was asked for; `modes` are those of the two searches.
        index_texts: puts texts where they can be searched until the context ends.
        open_library: opens the person's knowledge base.
        on_step: to be called as the work goes on.
        on_query: to be called with each query in each mode.
        cancel: may be set meanwhile.
    """

    path: Path
    options: SearchOptions
    index_texts: Callable[[Sequence[CorpusText]], AbstractContextManager[TextSearch]]
    open_library: Callable[[], LibrarySearch]
    on_step: OnStep
    on_query: OnQuery
    cancel: CancelToken


class SearchEvaluator(Protocol):
    """The evaluation behind the entry point `search` in `kb.evaluations`."""

    def __call__(self, services: SearchEvaluationServices) -> SearchEvaluationV1:
        """Ask the queries of a set, and measure what is found."""
        ...


def evaluate_search(
    container: Container,
    path: Path,
    options: SearchOptions | None = None,
    *,
    on_step: OnStep = lambda _step, _done, _total: None,
    on_query: OnQuery = lambda _row: None,
    cancel: CancelToken | None = None,
) -> SearchEvaluationV1:
    """Measure search on a set of queries.

    A folder with a corpus leaves the person's knowledge base alone; a golden file is asked of it,
    and nothing is written.

    Raises:
        FeatureMissing: kb-eval, or what makes vectors for a mode that was asked for, is missing.
        InputError: the set cannot be used.
        StoreMissing: a golden file, and no knowledge base.
        VectorsMissing: a mode was asked for that needs vectors, and there are none.
        ModelError: the model of meaning cannot be used.
        Cancelled: a stop was asked for before anything could be searched.
    """
    if not path.exists():
        raise InputError(path, "no such file or folder")
    options, cancel = options or SearchOptions(), cancel or CancelToken()
    evaluator = cast("SearchEvaluator", plugins.load_evaluation("search"))

    def index_texts(texts: Sequence[CorpusText]) -> AbstractContextManager[TextSearch]:
        return _indexed(container, texts, options.modes, on_step, cancel)

    return evaluator(
        SearchEvaluationServices(
            path=path.resolve(),
            options=options,
            index_texts=index_texts,
            open_library=lambda: _library(container, options.modes),
            on_step=on_step,
            on_query=on_query,
            cancel=cancel,
        )
    )


def check_rows_file(container: Container, out: Path, path: Path) -> None:
    """Refuse a file for rows that belongs to the knowledge base or to the set at `path`.

    Rows come at the end of long work, so a folder that is not there is refused as early.

    Raises:
        InputError: it does, or its folder is missing.
    """
    with suppress(StoreMissing):
        refuse_own_files(container, out, option=ROWS_OPTION)
    target, root = out.resolve(), path.resolve()
    reason = None
    if target.exists() and root.exists() and (target.samefile(root) or root in target.parents):
        reason = "it belongs to the set and is not written over"
    elif not target.parent.is_dir():
        reason = "no such folder"
    if reason is not None:
        raise InputError(out, reason, hint=f"name another file with {ROWS_OPTION}")


def write_rows(out: Path, rows: Iterable[EvaluatedQueryV1]) -> None:
    """Write a line of JSON for each query in each mode, the file whole or not at all.

    Raises:
        InputError: `out` cannot be written.
    """
    content = "".join(f"{row.model_dump_json()}\n" for row in rows).encode()
    write_whole(out, lambda file: file.write(content), option=ROWS_OPTION)


@contextmanager
def _indexed(
    own: Container,
    texts: Sequence[CorpusText],
    modes: tuple[SearchMode, ...],
    on_step: OnStep,
    cancel: CancelToken,
) -> Iterator[TextSearch]:
    """Put texts into a knowledge base that lasts as long as the context."""
    embedder = _embedder_for(own, modes)
    with TemporaryDirectory(prefix="kb-eval-") as folder:
        settings = own.settings.model_copy(update={"data_dir": Path(folder)})
        container = Container(settings, embedder=embedder)
        try:
            started_s = time.perf_counter()
            names = _store_texts(container, texts, on_step, cancel)
            if embedder is not None:
                embed_pending(
                    container,
                    on_progress=lambda done: on_step("vectors", done.embedded, done.chunks),
                    cancel=cancel,
                )
            index_s = time.perf_counter() - started_s
            retriever_for = cache(container.retriever_for)

            def search(mode: SearchMode, query: str, limit: int) -> list[str]:
                return [names[each] for each in retriever_for(mode).rank_chunks(query, limit=limit)]

            yield TextSearch(
                modes=_modes(modes, embedder),
                embedder=_used(container, embedder),
                index_ms=round(index_s * 1000),
                search=search,
            )
        finally:
            container.close()


def _store_texts(
    container: Container, texts: Sequence[CorpusText], on_step: OnStep, cancel: CancelToken
) -> dict[str, str]:
    """Store the texts that hold anything; return their ids in the corpus by those of chunks."""
    container.create_store()
    names: dict[str, str] = {}
    for number, text in enumerate(texts, start=1):
        cancel.raise_if_cancelled()
        if text.text.strip():
            ingested = ingested_text(text)
            container.store.put_document(ingested)
            names[ingested.chunks[0].chunk_id] = text.doc_id
        on_step("texts", number, len(texts))
    return names


def _library(container: Container, modes: tuple[SearchMode, ...]) -> LibrarySearch:
    embedder = _embedder_for(container, modes)
    used = _used(container, embedder)
    if used is not None and not used.vectors.embedded:
        if modes:
            raise VectorsMissing
        embedder = used = None
    retriever_for = cache(container.retriever_for)

    def search(mode: SearchMode, query: str, limit: int) -> list[Citation]:
        return [hit.citation for hit in retriever_for(mode).search(query, limit=limit)]

    return LibrarySearch(
        modes=_modes(modes, embedder),
        embedder=used,
        documents=len(container.store.list_documents()),
        search=search,
        stored_path=lambda name: _stored_path(container, name),
    )


def _stored_path(container: Container, name: str) -> str | None:
    try:
        return find_document(container, name).workspace_path
    except NotFound:
        return None


def _embedder_for(container: Container, modes: tuple[SearchMode, ...]) -> Embedder | None:
    """Return what makes vectors, where a mode needs them."""
    if not modes:
        return _present_embedder(container)
    if set(modes) <= set(LEXICAL_MODES):
        return None
    if container.embedder is None:
        raise VectorsMissing
    return container.embedder


def _present_embedder(container: Container) -> Embedder | None:
    try:
        embedder = container.embedder
        if embedder is not None:
            _ = embedder.identity
    except (FeatureMissing, ModelMissing):
        return None
    return embedder


def _modes(modes: tuple[SearchMode, ...], embedder: Embedder | None) -> tuple[SearchMode, ...]:
    if modes or embedder is not None:
        return tuple(dict.fromkeys(modes)) or DEFAULT_MODES
    return tuple(mode for mode in DEFAULT_MODES if mode in LEXICAL_MODES)


def _used(container: Container, embedder: Embedder | None) -> UsedEmbedder | None:
    if embedder is None:
        return None
    identity = embedder.identity
    return UsedEmbedder(identity, container.store.vector_counts(identity.vector_version))
