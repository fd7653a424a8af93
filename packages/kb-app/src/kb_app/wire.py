"""Wire objects: what `--json` prints.

Each carries `schema_version`. Their JSON Schemas are generated into `docs/wire/` and a test keeps
the two equal, so a change here is a change that somebody reviews. Fields are only ever added within
a version.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from kb_app.wire_chunk_evaluation import ChunkEvaluationV1
from kb_app.wire_evaluation import AsrEvaluationV1
from kb_app.wire_export import ExportReportV1
from kb_app.wire_search import CitationV1, SearchHitV1, SearchResponseV1
from kb_app.wire_search_evaluation import EvaluatedQueryV1, SearchEvaluationV1
from kb_app.wire_upkeep import ForgetReportV1, GcReportV1
from kb_core import Model
from kb_core.errors import KbError
from kb_core.ports.language_model import ModelUsage
from kb_core.ports.store import DocumentVersions
from kb_core.runtime import StepWarning

Ratio = Annotated[float, Field(ge=0)]
ItemKind = Literal["new", "updated", "skipped", "moved", "removed", "error"]
Text = Annotated[str, StringConstraints(min_length=1)]


class ErrorV1(Model):
    """What went wrong, and the way out.

    Beside the codes of docs/errors.md, `usage` is a command line that kb does not understand and
    `bug` an error of kb itself.
    """

    schema_version: Literal["error.v1"] = "error.v1"
    code: str
    message: str
    hint: str | None = None

    @classmethod
    def of(cls, error: KbError) -> ErrorV1:
        """Return the wire form of an error."""
        return cls(code=error.code, message=error.message, hint=error.hint)


class IngestItemV1(Model):
    """What became of one file."""

    kind: ItemKind
    doc_path: str
    doc_id: str | None = None
    asset_id: str | None = None
    media_type: str | None = None
    duration_ms: int | None = None
    chunk_count: int | None = None
    versions: DocumentVersions | None = None
    moved_from: str | None = None
    transcript_path: str | None = Field(
        default=None, description="the subtitle file that a recording's transcript was read from"
    )
    reasons: tuple[str, ...] = Field(default=(), description="why a document was done again")
    warnings: tuple[StepWarning, ...] = ()
    model_usage: ModelUsage | None = Field(
        default=None, description="what asking a language model took; null when none was asked"
    )
    error: str | None = None
    error_code: str | None = None
    error_hint: str | None = None


class IngestReportV1(Model):
    """Summary of one `kb ingest`.

    Where nothing at all has changed among a thousand files or more, `skipped` counts the files and
    `items` does not name them.
    """

    schema_version: Literal["ingest_report.v1"] = "ingest_report.v1"
    scanned: int
    new: int
    updated: int
    skipped: int
    moved: int
    removed: int
    errors: int
    cancelled: bool = False
    duration_ms: int
    chunks_embedded: int = Field(
        default=0, description="chunks that are found by meaning, too, since this run"
    )
    warnings: tuple[StepWarning, ...] = Field(
        default=(), description="what went less than perfectly for the run as a whole"
    )
    items: tuple[IngestItemV1, ...]


class IngestProgressV1(Model):
    """How far a run of `kb ingest` is.

    `realtime_factor` is sound transcribed in this run per second spent on it; `eta_ms` is an
    estimate from the bytes that are still to do.
    """

    schema_version: Literal["ingest_progress.v1"] = "ingest_progress.v1"
    event: Literal[
        "looking", "planned", "file_started", "file_progress", "cutting", "file_done", "vectors"
    ]
    file_index: int = Field(ge=0, description="files of this run that are finished")
    file_count: int = Field(ge=0, description="files that this run has to do")
    doc_path: str | None = None
    kind: ItemKind | None = None
    done_ms: int | None = None
    total_ms: int | None = None
    reused_ms: int | None = None
    realtime_factor: Ratio | None = None
    eta_ms: int | None = None
    chunks_embedded: int | None = Field(
        default=None, description="chunks that are found by meaning, too"
    )
    chunk_count: int | None = Field(default=None, description="all chunks there are")
    module: str | None = Field(default=None, description="chunk module at work")
    parts_done: int | None = Field(default=None, description="parts that it has finished")
    part_count: int | None = None
    unit: str | None = Field(default=None, description="the part, such as `window 2 of 5`")


class DocumentSummaryV1(Model):
    """One row of `kb list`."""

    doc_id: str
    doc_path: str
    title: str
    media_type: str
    lang: str | None
    duration_ms: int | None
    page_count: int | None = None
    line_count: int | None = None
    transcript_path: str | None = Field(
        default=None, description="the subtitle file that a recording's transcript was read from"
    )
    speakers: tuple[str, ...]
    segment_count: int
    chunk_count: int
    warnings: tuple[StepWarning, ...] = ()


class DocumentListV1(Model):
    """Answer of `kb list`."""

    schema_version: Literal["document_list.v1"] = "document_list.v1"
    documents: tuple[DocumentSummaryV1, ...]


class WordV1(Model):
    """A word and its time."""

    start_ms: int
    end_ms: int
    text: str
    confidence: float | None


class SegmentV1(Model):
    """A transcript segment as it is stored."""

    unit_id: str
    start_ms: int
    end_ms: int
    text: str
    speaker: str | None
    confidence: float | None
    language: str | None
    flags: tuple[str, ...]
    suppressed: bool = Field(description="whether it stays out of chunks, search and answers")
    words: tuple[WordV1, ...]
    citation: CitationV1


class BlockV1(Model):
    """A block of a text document as it is stored."""

    block_id: str
    kind: str
    text: str
    heading_path: tuple[str, ...]
    citation: CitationV1


class ChunkV1(Model):
    """A chunk as it is stored: answer of `kb inspect chunk`."""

    schema_version: Literal["chunk.v1"] = "chunk.v1"
    chunk_id: str
    doc_id: str
    doc_path: str
    module: str = Field(description="chunk module that made it")
    index: int = Field(description="from 0, among the chunks of its module")
    text: str
    heading_path: tuple[str, ...]
    unit_ids: tuple[str, ...]
    block_ids: tuple[str, ...]
    citations: tuple[CitationV1, ...]
    token_estimate: int
    chunker_version: str
    policy_hash: str
    metadata: dict[str, Any]


class ChunkRunV1(Model):
    """What one chunk module made of a document."""

    module: str
    chunker_version: str
    policy_hash: str
    model_id: str | None = Field(description="language model that it could ask")
    target_tokens: int | None = None
    options: dict[str, Any] | None = Field(
        default=None, description="null where an earlier kb did not keep them"
    )
    chunk_count: int
    warnings: tuple[StepWarning, ...] = ()


class DocumentV1(Model):
    """A document as it is stored: answer of `kb inspect doc`."""

    schema_version: Literal["document.v1"] = "document.v1"
    summary: DocumentSummaryV1
    asset_id: str
    checksum: str
    source_path: str
    versions: DocumentVersions
    stale_reasons: tuple[str, ...]
    segments: tuple[SegmentV1, ...]
    blocks: tuple[BlockV1, ...] = ()
    metadata: dict[str, Any] = Field(
        default_factory=dict,
        description="tags, dates, encoding, page labels and what else the file says of itself; "
        "keys that kb does not know are under `user`",
    )
    chunk_ids: tuple[str, ...] = Field(description="module after module, as in `runs`")
    runs: tuple[ChunkRunV1, ...] = ()


class ChunkModuleV1(Model):
    """A chunk module that is installed."""

    key: str
    version: str
    requires: tuple[str, ...]
    uses: tuple[str, ...]
    provides: tuple[str, ...]
    options: dict[str, Any] = Field(description="JSON Schema of its options")
    used_for: tuple[str, ...] = Field(
        description="kinds of documents that the settings name it for"
    )


class ChunkModuleListV1(Model):
    """Answer of `kb inspect modules`."""

    schema_version: Literal["chunk_module_list.v1"] = "chunk_module_list.v1"
    modules: tuple[ChunkModuleV1, ...]


class StaleDocumentV1(Model):
    """A document that `kb ingest` would do again, and why."""

    doc_id: str
    doc_path: str
    reasons: tuple[str, ...]


class StatusV1(Model):
    """Answer of `kb status`."""

    schema_version: Literal["status.v1"] = "status.v1"
    data_dir: str
    database_path: str
    workspace_root: str | None
    engine: str
    model: str
    documents: int
    chunks: int
    chunks_embedded: int = Field(default=0, description="chunks that are found by meaning, too")
    embedding: str | None = Field(default=None, description="model of meaning; null for none")
    language_model: str | None = Field(
        default=None, description="language model that may be asked; null for none"
    )
    sound_ms: int
    stale: tuple[StaleDocumentV1, ...]
    problem: ErrorV1 | None = Field(
        default=None, description="why it is not known what is stale, such as a missing model"
    )
    missing: tuple[str, ...] = Field(description="documents whose file is gone")


class ModelV1(Model):
    """One speech model."""

    name: str
    engine: str
    status: Literal["ready", "embedded", "available"]
    source: Literal["embedded", "published", "added"]
    in_use: bool
    byte_len: int | None
    digest_sha256: str | None
    path: str | None


class ModelListV1(Model):
    """Answer of `kb models list`, and of the commands that change it."""

    schema_version: Literal["model_list.v1"] = "model_list.v1"
    models: tuple[ModelV1, ...]


class FindingV1(Model):
    """One thing that `kb doctor` looked at."""

    code: str
    ok: bool
    message: str
    hint: str | None = None


class DoctorReportV1(Model):
    """Answer of `kb doctor`."""

    schema_version: Literal["doctor_report.v1"] = "doctor_report.v1"
    healthy: bool
    findings: tuple[FindingV1, ...]


class InitReportV1(Model):
    """Answer of `kb init`."""

    schema_version: Literal["init_report.v1"] = "init_report.v1"
    data_dir: str
    workspace_root: str
    created: bool


class PlayReportV1(Model):
    """Answer of `kb play`."""

    schema_version: Literal["play_report.v1"] = "play_report.v1"
    citation: CitationV1
    source_path: str
    out_path: str | None
    player: str | None
    duration_ms: int


WIRE_MODELS: tuple[type[Model], ...] = (
    ErrorV1,
    SearchHitV1,
    SearchResponseV1,
    IngestReportV1,
    IngestProgressV1,
    DocumentListV1,
    DocumentV1,
    ChunkV1,
    ChunkModuleListV1,
    StatusV1,
    ModelListV1,
    DoctorReportV1,
    InitReportV1,
    PlayReportV1,
    ExportReportV1,
    ForgetReportV1,
    GcReportV1,
    AsrEvaluationV1,
    SearchEvaluationV1,
    EvaluatedQueryV1,
    ChunkEvaluationV1,
)
"""Every object that a command prints by itself."""
