"""Wire object of `kb export`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kb_core import Model


class ExportReportV1(Model):
    """Answer of `kb export --out`; without `--out` the file's text itself is the answer."""

    schema_version: Literal["export_report.v1"] = "export_report.v1"
    doc_id: str
    doc_path: str
    format: str = Field(description="the name that was given, such as `srt`")
    out_path: str
    byte_len: int = Field(ge=0)
