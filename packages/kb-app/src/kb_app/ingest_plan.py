"""What an ingest has to do: compares the files that are there with the documents that are stored.

Nothing is parsed here and nothing written but file stamps. A file whose stamp (size, modification
time, inode) is the stored one is taken as unchanged without being read; any other is hashed, and
its bytes decide. A new path whose bytes belong to a document whose own file is gone is that
document, moved.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from kb_app.companions import companions_of, neighbours_of
from kb_app.container import Container
from kb_app.ingest_items import error_item, stored_item
from kb_app.ingest_removals import RemovalRule, real_place
from kb_app.making import Source
from kb_app.staleness import StalenessCheck
from kb_app.unchanged_folders import unchanged_folders
from kb_app.wire import IngestItemV1, ItemKind
from kb_core import DocumentChoices, MediaType, RawAsset
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

_FORGOTTEN = "forgotten; `kb ingest` with its own name takes it back"


@dataclass(frozen=True, slots=True)
class IngestTask:
    """A file that must be parsed and stored."""

    asset: RawAsset
    stamp: FileStamp
    kind: ItemKind
    choices: DocumentChoices
    replaces: tuple[str, ...] = ()
    moved_from: str | None = None
    reasons: tuple[str, ...] = ()
    companion: Source | None = None


@dataclass(slots=True)
class IngestPlan:
    """Tasks to do, documents to remove, and what is settled already.

    `unchanged` counts files of which nothing more is said, because they are many.
    """

    tasks: list[IngestTask] = field(default_factory=list)
    removals: list[StoredDocument] = field(default_factory=list)
    settled: list[IngestItemV1] = field(default_factory=list)
    scanned: int = 0
    unchanged: int = 0


class IngestPlanner:
    """Makes the plan for one run."""

    def __init__(
        self,
        container: Container,
        choices: DocumentChoices,
        cancel: CancelToken,
        on_file: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Take the knowledge base, and what was chosen for the files of this run.

        `on_file` is told of each file before it is read.
        """
        self._choices = choices
        self._container = container
        self._cancel = cancel
        self._on_file = on_file
        self._store: DocumentStore = container.store
        self._root = container.settings.workspace.root
        self._staleness = StalenessCheck(container)
        self._documents: dict[str, StoredDocument] = {}
        self._plan = IngestPlan()
        self._seen_paths: set[str] = set()
        self._moved_ids: set[str] = set()
        self._named_paths: set[str] = set()
        self._forgotten: frozenset[str] = frozenset()
        self._companions: Mapping[Path, FoundFile] = {}

    def plan(self, paths: Sequence[Path]) -> IngestPlan:
        """Look at `paths` and return what is to be done, in a fixed order."""
        if self._choices == DocumentChoices() and self._settle_unchanged(paths):
            return self._plan
        self._documents = {doc.workspace_path: doc for doc in self._store.list_documents()}
        folders = [path for path in paths if os.path.isdir(path)]
        named = {Path(os.path.abspath(path)) for path in paths}
        self._forgotten = self._without_named(paths)
        removals = RemovalRule(folders)
        files: list[FoundFile] = []
        for found in scan(paths, own_folders=self._container.own_folders):
            self._cancel.raise_if_cancelled()
            if isinstance(found, SkippedPath):
                removals.note(found)
                self._note_skipped(found)
            else:
                files.append(found)
        self._pair(files, named)
        self._look_at(files, named)
        companions = {real_place(each.path) for each in self._companions.values()}
        self._plan.removals.extend(
            document
            for document in self._documents.values()
            if not self._is_accounted_for(document)
            and (real_place(Path(document.source_path)) in companions or removals.removes(document))
        )
        return self._plan

    def _settle_unchanged(self, paths: Sequence[Path]) -> bool:
        """Return whether there is nothing to do, and count what was found then."""
        trees = unchanged_folders(self._container, paths)
        if trees is None:
            return False
        unchanged = set[str]().union(*(tree.paths for tree in trees))
        self._plan.unchanged = len(unchanged)
        self._plan.scanned += len(unchanged)
        for skipped in dict.fromkeys(each for tree in trees for each in tree.skipped):
            self._note_skipped(skipped)
        return True

    def _look_at(self, files: Sequence[FoundFile], named: set[Path]) -> None:
        companions = {companion.path for companion in self._companions.values()}
        unknown: list[tuple[FoundFile, str]] = []
        for found in files:
            self._cancel.raise_if_cancelled()
            self._plan.scanned += 1
            if found.path in companions:
                continue
            workspace_path = workspace_path_of(found.path, self._root)
            stored = self._documents.get(workspace_path)
            if stored is None and self._is_forgotten(workspace_path):
                self._settle_skipped(workspace_path, "forgotten", _FORGOTTEN)
                continue
            self._seen_paths.add(workspace_path)
            if stored is None:
                unknown.append((found, workspace_path))
            else:
                self._compare(found, workspace_path, stored)
        for found, workspace_path in unknown:
            self._consider_new(found, workspace_path, named=found.path in named)

    def _pair(self, files: Sequence[FoundFile], named: set[Path]) -> None:
        """Find the subtitle files that are transcripts of recordings beside them."""
        if self._container.transcript_reader is None:
            return
        alone = [found.path for found in files if found.path in named]
        neighbours = scan(neighbours_of(alone), own_folders=self._container.own_folders)
        found = {each.path: each for each in (*neighbours, *files) if isinstance(each, FoundFile)}
        self._companions = {
            recording: companion
            for recording, companion in companions_of(found.values()).items()
            if not self._is_transcribed(recording)
        }

    def _is_transcribed(self, recording: Path) -> bool:
        """Return whether the person wants this recording heard rather than read."""
        try:
            stored = self._documents.get(workspace_path_of(recording, self._root))
        except InputError:
            return False
        earlier = stored.versions.choices if stored else DocumentChoices()
        return self._choices.or_else(earlier).transcribe is True

    def _without_named(self, paths: Sequence[Path]) -> frozenset[str]:
        """Return the forgotten paths, after taking back those that are named now."""
        forgotten = frozenset(self._store.forgotten_paths())
        for path in paths if forgotten else ():
            with suppress(InputError):
                place = Path(os.path.realpath(path)) if os.path.isdir(path) else path
                named = workspace_path_of(place, self._root)
                if named in forgotten:
                    self._store.take_back(named)
                elif not os.path.isdir(path):
                    # The folder stays forgotten, this one file of it does not.
                    self._named_paths.add(named)
        return frozenset(self._store.forgotten_paths()) if forgotten else forgotten

    def _is_forgotten(self, workspace_path: str) -> bool:
        if not self._forgotten or workspace_path in self._named_paths:
            return False
        parents = (str(parent) for parent in PurePosixPath(workspace_path).parents)
        return workspace_path in self._forgotten or any(p in self._forgotten for p in parents)

    def _is_accounted_for(self, document: StoredDocument) -> bool:
        return document.workspace_path in self._seen_paths or document.doc_id in self._moved_ids

    def _note_skipped(self, skipped: SkippedPath) -> None:
        try:
            workspace_path = workspace_path_of(skipped.path, self._root)
        except InputError:
            workspace_path = printable(str(skipped.path))
        if skipped.severity == "error":
            self._plan.scanned += 1
            self._settle_error(workspace_path, UnreadableFile(skipped.path, skipped.reason))
        elif workspace_path not in self._documents:  # else it is removed, which says more
            self._settle_skipped(workspace_path, "ignored", skipped.reason)

    def _compare(self, found: FoundFile, workspace_path: str, stored: StoredDocument) -> None:
        beside = self._companions.get(found.path)
        is_same = (found.stamp, str(found.path)) == (stored.stamp, stored.source_path)
        try:
            reasons = self._reasons(stored, beside)
            if is_same and not reasons:
                self._plan.settled.append(stored_item("skipped", stored))
                return
            companion = self._read_companion(beside)
            media_type = self._media_type(found, named=True) or stored.media_type
            asset = self._read(found, workspace_path, media_type)
        except InputError as error:
            self._settle_error(workspace_path, error)
            return
        if asset.asset_id == stored.asset_id and not reasons:
            self._store.restamp(stored.doc_id, asset.source_path, found.stamp)
            self._plan.settled.append(stored_item("skipped", stored))
            return
        if asset.asset_id != stored.asset_id:
            reasons = ("content changed", *reasons)
        self._plan.tasks.append(
            IngestTask(
                asset,
                found.stamp,
                "updated",
                self._choices.or_else(stored.versions.choices),
                replaces=(stored.doc_id,),
                reasons=reasons,
                companion=companion,
            )
        )

    def _reasons(self, stored: StoredDocument, beside: FoundFile | None) -> tuple[str, ...]:
        """Return why a document whose file may be unchanged is done again."""
        kept = stored.companion
        if beside is None:
            if kept is not None:
                return ("its subtitle file is gone",)
        elif kept is None:
            return ("a subtitle file beside it",)
        elif (kept.source_path, kept.stamp) != (str(beside.path), beside.stamp):
            return ("its subtitle file changed",)
        return self._staleness.reasons(stored, self._choices)

    def _read_companion(self, beside: FoundFile | None) -> Source | None:
        if beside is None:
            return None
        workspace_path = workspace_path_of(beside.path, self._root)
        media_type = sniff(beside.path).media_type
        return Source(self._read(beside, workspace_path, media_type), beside.stamp)

    def _consider_new(self, found: FoundFile, workspace_path: str, *, named: bool) -> None:
        try:
            media_type = self._media_type(found, named=named)
            if media_type is None:
                reason = "no installed extractor reads this kind"
                self._settle_skipped(workspace_path, "unsupported_media", reason)
                return
            companion = self._read_companion(self._companions.get(found.path))
            asset = self._read(found, workspace_path, media_type)
        except InputError as error:
            self._settle_error(workspace_path, error)
            return
        origin = self._origin_of_moved(asset)
        if origin is None:
            self._plan.tasks.append(
                IngestTask(asset, found.stamp, "new", self._choices, companion=companion)
            )
            return
        self._moved_ids.add(origin.doc_id)
        self._plan.tasks.append(
            IngestTask(
                asset,
                found.stamp,
                "moved",
                self._choices.or_else(origin.versions.choices),
                replaces=(origin.doc_id,),
                moved_from=origin.workspace_path,
                companion=companion,
            )
        )

    def _media_type(self, found: FoundFile, *, named: bool) -> MediaType | None:
        """Return the file's kind, or None for one that a folder may hold and kb does not read."""
        sniffed = sniff(found.path)
        if sniffed.mismatch is not None:
            raise UnsupportedMedia(found.path, sniffed.mismatch, hint=sniffed.hint)
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

    def _read(self, found: FoundFile, workspace_path: str, media_type: MediaType) -> RawAsset:
        self._on_file(workspace_path)
        return make_asset(
            found.path, media_type, root=self._root, check=self._cancel.raise_if_cancelled
        )

    def _origin_of_moved(self, asset: RawAsset) -> StoredDocument | None:
        """Return the document of these bytes whose file is gone, or has another name now."""
        place = real_place(Path(asset.source_path))
        for document in self._documents.values():
            if document.asset_id == asset.asset_id and not self._is_accounted_for(document):
                same_file = real_place(Path(document.source_path)) == place
                if same_file or not os.path.exists(document.source_path):
                    return document
        return None

    def _settle_skipped(self, doc_path: str, code: str, reason: str) -> None:
        warning = StepWarning(code=code, message=reason)
        self._plan.settled.append(
            IngestItemV1(kind="skipped", doc_path=printable(doc_path), warnings=(warning,))
        )

    def _settle_error(self, doc_path: str, error: InputError) -> None:
        self._plan.settled.append(error_item(doc_path, error))
