"""Taking documents out on purpose, and clearing away what nothing needs any more."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from kb_app.container import Container
from kb_app.library import find_document
from kb_app.run_lock import only_ingest
from kb_app.wire_upkeep import ForgetReportV1, ForgottenDocumentV1, GcReportV1
from kb_core.errors import NotFound
from kb_core.ports.store import StoredDocument


def forget(container: Container, names: Sequence[str]) -> ForgetReportV1:
    """Take documents out, and keep later ingests of their folders from bringing them back.

    Cached transcripts stay until `collect_garbage`, so that a document that is named again costs
    nothing.

    Args:
        container: the knowledge base.
        names: paths of files or folders, there or gone, paths in the knowledge base, or ids.

    Raises:
        NotFound: one of the names is no document; then nothing is taken out.
        StoreError: an ingest is at work on the knowledge base.
    """
    with only_ingest(container.settings.data_dir):
        documents = container.store.list_documents()
        chosen = [_named(container, documents, name) for name in names]
        removed: dict[str, StoredDocument] = {}
        for path, below in chosen:
            container.store.forget(path)
            for document in below:
                container.store.delete_document(document.doc_id)
                removed[document.doc_id] = document
    return ForgetReportV1(
        forgotten=tuple(dict.fromkeys(path for path, _ in chosen)),
        removed=tuple(
            ForgottenDocumentV1(doc_id=document.doc_id, doc_path=document.workspace_path)
            for document in sorted(removed.values(), key=lambda each: each.workspace_path)
        ),
    )


def collect_garbage(container: Container, *, dry_run: bool = False) -> GcReportV1:
    """Clear away cached work of files that are no document any more.

    Raises:
        StoreError: an ingest is at work on the knowledge base.
    """
    with only_ingest(container.settings.data_dir):
        removed = container.store.collect_garbage(dry_run=dry_run)
    return GcReportV1(dry_run=dry_run, **removed.model_dump())


def documents_named(container: Container, names: Sequence[str]) -> list[StoredDocument]:
    """Return the documents that names stand for, as in `forget`, by path; all for no names.

    Raises:
        NotFound: one of the names is no document.
    """
    documents = container.store.list_documents()
    if not names:
        return documents
    chosen = {
        document.doc_id: document
        for name in names
        for document in _named(container, documents, name)[1]
    }
    return sorted(chosen.values(), key=lambda each: each.workspace_path)


def _named(
    container: Container, documents: Sequence[StoredDocument], name: str
) -> tuple[str, list[StoredDocument]]:
    """Return a path in the knowledge base, and the documents at it or below it."""
    try:
        document = find_document(container, name)
    except NotFound as error:
        folder = _folder_path(container, name)
        below = [each for each in documents if _is_below(each.workspace_path, folder)]
        if not below:
            raise error from None
        return folder, below
    return document.workspace_path, [document]


def _folder_path(container: Container, name: str) -> str:
    from kb_source_fs import workspace_path_of

    known = name.rstrip("/") or "/"
    if not os.path.isdir(name):
        return known
    return workspace_path_of(Path(os.path.realpath(name)), container.settings.workspace.root)


def _is_below(workspace_path: str, folder: str) -> bool:
    return folder == "." or workspace_path.startswith(folder.rstrip("/") + "/")
