"""What an ingest has to do: compares the files that are there with the documents that are stored.

Nothing is parsed here and nothing written but file stamps. A file whose stamp (size, modification
time, inode) is the stored one is taken as unchanged without being read; any other is hashed, and
its bytes decide. A new path whose bytes belong to a document whose own file is gone is that
document, moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kb_app.container import Container
from kb_app.staleness import StalenessCheck
from kb_app.wire import IngestItemV1, ItemKind
from kb_core import MediaType, RawAsset
from kb_core.errors import InputError, UnreadableFile, UnsupportedMedia, printable
from kb_core.ports.store import DocumentStore, FileStamp, StoredDocument
from kb_core.runtime import CancelToken, StepWarning
from kb_source_fs import (
    FoundFile,
    SkippedPath,
    make_asset,
    scan,
    sniff,
    workspace_path_of,
)

_MISMATCH_HINT = "rename the file to what it is, or fetch it again"


@dataclass(frozen=True, slots=True)
class IngestTask:
    """A file that must be parsed and stored."""

    asset: RawAsset
    stamp: FileStamp
    kind: ItemKind
    replaces: tuple[str, ...] = ()
    moved_from: str | None = None
    reasons: tuple[str, ...] = ()


@dataclass(slots=True)
class IngestPlan:
    """Tasks to do, documents to remove, and what is settled already."""

    tasks: list[IngestTask] = field(default_factory=list)
    removals: list[StoredDocument] = field(default_factory=list)
    settled: list[IngestItemV1] = field(default_factory=list)
    scanned: int = 0


class IngestPlanner:
    """Makes the plan for one run."""

    def __init__(self, container: Container, cancel: CancelToken) -> None:
        self._container = container
        self._cancel = cancel
        self._store: DocumentStore = container.store
        self._root = container.settings.workspace.root
        self._staleness = StalenessCheck(container)
        self._documents = {doc.workspace_path: doc for doc in self._store.list_documents()}
        self._plan = IngestPlan()
        self._seen_paths: set[str] = set()
        self._blocked_paths: list[str] = []
        self._moved_ids: set[str] = set()

    def plan(self, paths: Sequence[Path]) -> IngestPlan:
        """Look at `paths` and return what is to be done, in a fixed order."""
        explicit = {path for path in paths if not path.is_dir()}
        unknown: list[tuple[FoundFile, str]] = []
        for found in scan(paths, own_folders=self._own_folders()):
            self._cancel.raise_if_cancelled()
            if isinstance(found, SkippedPath):
                self._note_skipped(found)
                continue
            self._plan.scanned += 1
            workspace_path = workspace_path_of(found.path, self._root)
            self._seen_paths.add(workspace_path)
            stored = self._documents.get(workspace_path)
            if stored is None:
                unknown.append((found, workspace_path))
            else:
                self._compare(found, workspace_path, stored)
        for found, workspace_path in unknown:
            self._cancel.raise_if_cancelled()
            self._consider_new(found, workspace_path, named=found.path in explicit)
        self._plan_removals(path for path in paths if path.is_dir())
        return self._plan

    def _own_folders(self) -> tuple[Path, ...]:
        settings = self._container.settings
        return (settings.data_dir, settings.models_dir)

    def _note_skipped(self, skipped: SkippedPath) -> None:
        workspace_path = self._workspace_path_for_report(skipped.path)
        if skipped.severity == "error":
            self._plan.scanned += 1
            self._blocked_paths.append(workspace_path)
            self._settle_error(workspace_path, UnreadableFile(skipped.path, skipped.reason))
        elif workspace_path not in self._documents:  # else it is removed, which says more
            warning = StepWarning(code="ignored", message=skipped.reason)
            self._settle("skipped", workspace_path, warnings=(warning,))

    def _workspace_path_for_report(self, path: Path) -> str:
        try:
            return printable(workspace_path_of(path, self._root))
        except InputError:
            return printable(str(path))

    def _compare(self, found: FoundFile, workspace_path: str, stored: StoredDocument) -> None:
        try:
            reasons = self._staleness.reasons(stored)
            if (
                found.stamp == stored.stamp
                and str(found.path) == stored.source_path
                and not reasons
            ):
                self._settle_skipped(stored)
                return
            media_type = self._media_type(found, named=True) or stored.media_type
            asset = make_asset(found.path, media_type, root=self._root)
        except InputError as error:
            self._settle_error(workspace_path, error)
            return
        if asset.asset_id == stored.asset_id and not reasons:
            self._store.restamp(stored.doc_id, asset.source_path, found.stamp)
            self._settle_skipped(stored)
            return
        if asset.asset_id != stored.asset_id:
            reasons = ("content changed", *reasons)
        self._plan.tasks.append(
            IngestTask(asset, found.stamp, "updated", replaces=(stored.doc_id,), reasons=reasons)
        )

    def _consider_new(self, found: FoundFile, workspace_path: str, *, named: bool) -> None:
        try:
            media_type = self._media_type(found, named=named)
            if media_type is None:
                warning = StepWarning(
                    code="unsupported_media", message="no installed extractor reads this kind"
                )
                self._settle("skipped", workspace_path, warnings=(warning,))
                return
            asset = make_asset(found.path, media_type, root=self._root)
        except InputError as error:
            self._settle_error(workspace_path, error)
            return
        origin = self._vanished_origin(asset)
        if origin is None:
            self._plan.tasks.append(IngestTask(asset, found.stamp, "new"))
            return
        self._moved_ids.add(origin.doc_id)
        self._plan.tasks.append(
            IngestTask(
                asset,
                found.stamp,
                "moved",
                replaces=(origin.doc_id,),
                moved_from=origin.workspace_path,
            )
        )

    def _media_type(self, found: FoundFile, *, named: bool) -> MediaType | None:
        """Return the file's kind, or None for one that a folder may hold and kb does not read."""
        sniffed = sniff(found.path)
        if sniffed.mismatch is not None:
            raise UnsupportedMedia(found.path, sniffed.mismatch, hint=_MISMATCH_HINT)
        if self._container.extractor_for(sniffed.media_type) is not None:
            return sniffed.media_type
        if named:
            kind = sniffed.content_says or sniffed.media_type
            raise UnsupportedMedia(
                found.path,
                f"no installed extractor reads {kind} files",
                hint="`kb doctor` lists what can be read here",
            )
        return None

    def _vanished_origin(self, asset: RawAsset) -> StoredDocument | None:
        for document in self._documents.values():
            if (
                document.asset_id == asset.asset_id
                and document.doc_id not in self._moved_ids
                and document.workspace_path not in self._seen_paths
                and not Path(document.source_path).exists()
            ):
                return document
        return None

    def _plan_removals(self, folders: Iterable[Path]) -> None:
        prefixes = [workspace_path_of(folder, self._root) for folder in folders]
        for path, document in self._documents.items():
            if (
                path not in self._seen_paths
                and document.doc_id not in self._moved_ids
                and any(is_under(path, prefix) for prefix in prefixes)
                and not any(is_under(path, blocked) for blocked in self._blocked_paths)
            ):
                self._plan.removals.append(document)

    def _settle(self, kind: ItemKind, doc_path: str, **fields: object) -> None:
        self._plan.settled.append(
            IngestItemV1.model_validate({"kind": kind, "doc_path": doc_path, **fields})
        )

    def _settle_skipped(self, stored: StoredDocument) -> None:
        self._plan.settled.append(item_of_stored("skipped", stored))

    def _settle_error(self, doc_path: str, error: InputError) -> None:
        self._plan.settled.append(error_item(doc_path, error))


def item_of_stored(kind: ItemKind, stored: StoredDocument) -> IngestItemV1:
    """Return the report's item for a document as it is stored."""
    return IngestItemV1(
        kind=kind,
        doc_path=stored.workspace_path,
        doc_id=stored.doc_id,
        asset_id=stored.asset_id,
        media_type=stored.media_type,
        duration_ms=stored.duration_ms,
        chunk_count=stored.chunk_count,
        versions=stored.versions,
        warnings=stored.warnings,
    )


def error_item(doc_path: str, error: InputError) -> IngestItemV1:
    """Return the report's item for a file that could not be used."""
    return IngestItemV1(
        kind="error",
        doc_path=doc_path,
        error=error.message,
        error_code=error.code,
        error_hint=error.hint,
    )


def is_under(path: str, folder: str) -> bool:
    """Return whether a workspace path is `folder` or lies in it; `.` holds all relative ones."""
    if folder in ("", "."):
        return not path.startswith("/")
    return path == folder or path.startswith(folder.rstrip("/") + "/")
