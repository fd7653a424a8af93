"""Writing a stored document in a format of other programs."""

from __future__ import annotations

from pathlib import Path

from kb_app import plugins
from kb_app.container import Container
from kb_app.library import find_document, load_document
from kb_app.present import chunk_v1
from kb_app.whole_file import refuse_own_files, write_whole
from kb_app.wire_export import ExportReportV1
from kb_core.errors import printable
from kb_core.ports.store import StoredDocument

CHUNKS_FORMAT = "chunks"
"""Format of every chunk of a document as `chunk.v1`, one on each line, metadata included."""


def export_text(container: Container, name: str, format_name: str) -> str:
    """Return what a file of that format would hold.

    Args:
        container: the knowledge base.
        name: id of a document, the beginning of one, its path, or its file.
        format_name: one of the installed exporters, such as `srt`, or `chunks`.

    Raises:
        NotFound: there is no such document, or several begin like that.
        ConfigError: no such format is known; the hint lists those that are.
        FeatureMissing: the package that writes it is not installed.
        ExportError: the format cannot hold this document.
    """
    _, text = _export(container, name, format_name)
    return text


def export_file(container: Container, name: str, format_name: str, out: Path) -> ExportReportV1:
    """Write the file as UTF-8, whole or not at all.

    Raises:
        InputError: `out` cannot be written, or belongs to the knowledge base.
        NotFound, ConfigError, FeatureMissing, ExportError: as `export_text`.
    """
    document, text = _export(container, name, format_name)
    refuse_own_files(container, out)
    content = text.encode()
    write_whole(out, lambda file: file.write(content))
    return ExportReportV1(
        doc_id=document.doc_id,
        doc_path=document.workspace_path,
        format=format_name,
        out_path=printable(str(out)),
        byte_len=len(content),
    )


def _export(container: Container, name: str, format_name: str) -> tuple[StoredDocument, str]:
    if format_name == CHUNKS_FORMAT:
        return _export_chunks(container, name)
    exporter = plugins.make_exporter(format_name)
    stored, document = load_document(container, name)
    return stored, exporter(document)


def _export_chunks(container: Container, name: str) -> tuple[StoredDocument, str]:
    document = find_document(container, name)
    passages = container.store.load_passages(container.store.chunk_ids(document.doc_id))
    return document, "".join(f"{chunk_v1(each).model_dump_json()}\n" for each in passages)
