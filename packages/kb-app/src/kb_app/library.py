"""Looking at what is stored: list, inspect, status."""

from __future__ import annotations

import os
from pathlib import Path

from kb_app.container import Container
from kb_app.present import blocks_v1, chunk_v1, runs_v1, segments_v1, summary_v1
from kb_app.staleness import StalenessCheck
from kb_app.wire import (
    ChunkV1,
    DocumentListV1,
    DocumentV1,
    ErrorV1,
    StaleDocumentV1,
    StatusV1,
)
from kb_core import CanonicalDocument
from kb_core.errors import KbError, NotFound
from kb_core.ports.store import StoredDocument
from kb_core.query import StoredPassage

MIN_ID_PREFIX_CHARS = 6


def list_documents(container: Container) -> DocumentListV1:
    """Return all documents, ordered by path."""
    documents = container.store.list_documents()
    return DocumentListV1(documents=tuple(summary_v1(document) for document in documents))


def inspect_document(container: Container, name: str) -> DocumentV1:
    """Return a document by its id, the beginning of its id, its path, or its file.

    Raises:
        NotFound: there is none, or several begin like that.
    """
    stored, document = load_document(container, name)
    return DocumentV1(
        summary=summary_v1(stored),
        asset_id=stored.asset_id,
        checksum=stored.checksum,
        source_path=stored.source_path,
        versions=stored.versions,
        stale_reasons=_stale_reasons(container, stored),
        segments=segments_v1(document),
        blocks=blocks_v1(document),
        metadata=document.metadata.model_dump(mode="json", exclude_defaults=True),
        chunk_ids=tuple(container.store.chunk_ids(stored.doc_id)),
        runs=runs_v1(stored),
    )


def inspect_chunk(container: Container, chunk_id: str) -> ChunkV1:
    """Return a chunk by its id or the beginning of it.

    Raises:
        NotFound: there is none, or several begin like that.
    """
    return chunk_v1(find_passage(container, chunk_id))


def status(container: Container) -> StatusV1:
    """Return how much there is, what is stale and why, and which files are gone."""
    settings = container.settings
    documents = container.store.list_documents()
    stale, problem = _stale_documents(container, documents)
    embedding, chunks_embedded = _embedding(container)
    return StatusV1(
        data_dir=str(settings.data_dir),
        database_path=str(settings.database_path),
        workspace_root=str(settings.workspace.root) if settings.workspace.root else None,
        engine=settings.asr.engine,
        model=settings.asr.model,
        documents=len(documents),
        chunks=sum(document.chunk_count for document in documents),
        chunks_embedded=chunks_embedded,
        embedding=embedding,
        language_model=container.language_model_id,
        sound_ms=sum(document.duration_ms or 0 for document in documents),
        stale=stale,
        problem=problem,
        missing=tuple(
            doc.workspace_path for doc in documents if not os.path.exists(doc.source_path)
        ),
    )


def _embedding(container: Container) -> tuple[str | None, int]:
    """Return the model of meaning, and how many chunks have its vectors.

    What is wrong with it is told by `kb doctor`.
    """
    try:
        if container.embedder is None:
            return None, 0
        identity = container.embedder.identity
        counts = container.store.vector_counts(identity.vector_version)
        return identity.model_id, counts.embedded
    except KbError:
        return container.settings.embedding.engine, 0


def _stale_documents(
    container: Container, documents: list[StoredDocument]
) -> tuple[tuple[StaleDocumentV1, ...], ErrorV1 | None]:
    """Return what is stale, and what kept us from knowing."""
    check = StalenessCheck(container)
    stale: list[StaleDocumentV1] = []
    for document in documents:
        try:
            reasons = check.reasons(document)
        except KbError as error:
            return tuple(stale), ErrorV1.of(error)
        if reasons:
            stale.append(
                StaleDocumentV1(
                    doc_id=document.doc_id, doc_path=document.workspace_path, reasons=reasons
                )
            )
    return tuple(stale), None


def _stale_reasons(container: Container, stored: StoredDocument) -> tuple[str, ...]:
    try:
        return StalenessCheck(container).reasons(stored)
    except KbError as error:
        return (f"not known: {error.message}",)


def find_document(container: Container, name: str) -> StoredDocument:
    """Return the row of a document named by id, beginning of an id, path or file.

    Raises:
        NotFound: there is none, or several begin like that.
    """
    from kb_source_fs import workspace_path_of

    store = container.store
    root = container.settings.workspace.root
    found = store.find_document(name) or store.find_document_by_path(name)
    if found is None and os.path.exists(name):
        found = store.find_document_by_path(workspace_path_of(Path(name), root))
    if found is None and len(name) >= MIN_ID_PREFIX_CHARS:
        matches = [doc for doc in store.list_documents() if doc.doc_id.startswith(name)]
        found = matches[0] if len(matches) == 1 else None
    if found is None:
        raise NotFound("document", name, hint="`kb list` shows paths, `kb list --json` ids too")
    return found


def load_document(container: Container, name: str) -> tuple[StoredDocument, CanonicalDocument]:
    """Return the row and the whole of a document, named as for `find_document`.

    Raises:
        NotFound: there is none, or several begin like that.
    """
    stored = find_document(container, name)
    document = container.store.load_document(stored.doc_id)
    if document is None:
        raise NotFound("document", name)
    return stored, document


def find_passage(container: Container, chunk_id: str) -> StoredPassage:
    """Return a stored chunk by its id or the beginning of it.

    Raises:
        NotFound: there is none, or several begin like that.
    """
    store = container.store
    passages = store.load_passages([chunk_id])
    if not passages and len(chunk_id) >= MIN_ID_PREFIX_CHARS:
        matches = list(store.iter_chunk_ids(chunk_id))
        passages = store.load_passages(matches) if len(matches) == 1 else []
    if not passages:
        raise NotFound("chunk", chunk_id, hint="`kb search --json` prints chunk ids")
    return passages[0]
