"""Opening a PDF: what MuPDF says is translated here, and kept off the terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kb_core.errors import DecodeFailed, EncryptedFile, UnreadableFile

PdfDocument = Any
"""`pymupdf.Document`; its annotations are too few for strict checking."""

PdfPage = Any
"""`pymupdf.Page`."""

_TAIL_BYTES = 2048
_BROKEN_HINT = "open it in a PDF viewer; if it opens there, save a copy and ingest that"


@contextmanager
def open_pdf(source_path: str, shown_path: str) -> Iterator[PdfDocument]:
    """Open a PDF that needs no password.

    Args:
        source_path: where to read it on this machine.
        shown_path: its name in messages.

    Raises:
        UnreadableFile: it cannot be read.
        EncryptedFile: it needs a password; one that only its owner needs is no hindrance.
        DecodeFailed: it is no PDF, or damaged beyond use.
    """
    pymupdf = load_pymupdf()
    try:
        with Path(source_path).open("rb") as file:
            file.read(1)
    except OSError as error:
        raise UnreadableFile(shown_path, error.strerror or str(error)) from error
    try:
        document = pymupdf.open(source_path, filetype="pdf")
    except mupdf_errors() as error:
        raise DecodeFailed(shown_path, "damaged, or no PDF", hint=_BROKEN_HINT) from error
    try:
        if document.needs_pass:
            raise EncryptedFile(shown_path)
        if _page_count(document) == 0:
            raise DecodeFailed(shown_path, "damaged: no page can be found", hint=_BROKEN_HINT)
        yield document
    finally:
        document.close()
        pymupdf.TOOLS.reset_mupdf_warnings()


def ends_properly(source_path: str) -> bool:
    """Return whether the mark of a PDF's end is where it should be.

    MuPDF repairs over trifles, too, so that alone does not tell a person that something is lost.
    """
    with Path(source_path).open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _TAIL_BYTES))
        return b"%%EOF" in file.read()


def load_pymupdf() -> Any:
    """Return the module, its messages kept off standard output and error."""
    import pymupdf

    tools: Any = pymupdf.TOOLS
    tools.mupdf_display_errors(False)
    tools.mupdf_display_warnings(False)
    return pymupdf


def mupdf_errors() -> tuple[type[Exception], ...]:
    """Return what PyMuPDF raises over a damaged file, beside its own errors."""
    pymupdf = load_pymupdf()
    return (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError, TypeError, IndexError, KeyError)


def _page_count(document: PdfDocument) -> int:
    try:
        return int(document.page_count)
    except mupdf_errors():
        return 0
