"""Wire objects of `kb forget` and `kb gc`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kb_core import Model


class ForgottenDocumentV1(Model):
    """A document that was taken out."""

    doc_id: str
    doc_path: str


class ForgetReportV1(Model):
    """Answer of `kb forget`."""

    schema_version: Literal["forget_report.v1"] = "forget_report.v1"
    forgotten: tuple[str, ...] = Field(
        description="paths that later ingests of a folder leave out, until they are named again"
    )
    removed: tuple[ForgottenDocumentV1, ...]


class GcReportV1(Model):
    """Answer of `kb gc`."""

    schema_version: Literal["gc_report.v1"] = "gc_report.v1"
    dry_run: bool
    transcripts: int = Field(description="cached transcripts of files that are no document")
    windows: int = Field(description="cached stretches of recognised speech of such files")
    languages: int = Field(description="cached languages of such stretches")
    replies: int = Field(default=0, description="replies of language models about such files")
    vectors: int = Field(default=0, description="vectors of texts that no chunk has any more")
    freed_bytes: int
