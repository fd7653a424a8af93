"""From a file to everything that is stored of it: parsed, cut, with the versions of what did it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kb_app.container import Container
from kb_app.cutting import OnCutting, cut_document
from kb_app.unchanged import UnchangedFileCache
from kb_core import (
    CancelToken,
    DocumentChoices,
    Progress,
    RawAsset,
    Transcript,
)
from kb_core.errors import FeatureMissing, InputError, UnsupportedMedia
from kb_core.ports.extractor import ExtractRuntime
from kb_core.ports.language_model import ModelUsage
from kb_core.ports.store import CompanionFile, FileStamp, IngestedDocument
from kb_core.runtime import StepWarning


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was when it was hashed."""

    asset: RawAsset
    stamp: FileStamp

    def as_companion(self) -> CompanionFile:
        """Return what is stored of a file that stands beside another."""
        return CompanionFile(
            asset_id=self.asset.asset_id,
            workspace_path=self.asset.workspace_path,
            source_path=self.asset.source_path,
            stamp=self.stamp,
        )


@dataclass(frozen=True, slots=True)
class MadeDocument:
    """A document to be stored, and what asking a language model for it took."""

    ingested: IngestedDocument
    usage: ModelUsage | None


class DocumentMaker:
    """Makes documents with the parts of one container."""

    def __init__(
        self,
        container: Container,
        cancel: CancelToken,
        progress: Callable[[Progress], None],
        on_cutting: OnCutting,
    ) -> None:
        self._container = container
        self._cancel = cancel
        self._progress = progress
        self._on_cutting = on_cutting

    def make(
        self, source: Source, choices: DocumentChoices, companion: Source | None = None
    ) -> MadeDocument:
        """Parse and cut one file.

        Args:
            source: the file.
            choices: made for it.
            companion: the subtitle file that a recording takes its transcript from.

        Raises:
            InputError: one of the files cannot be used, or changed since it was hashed.
            ChunkError, ModelError, FeatureMissing, Cancelled: as extractors and chunkers do.
        """
        asset = source.asset
        media_type = asset.media_type
        extractor = self._container.extractor_for(media_type)
        if extractor is None:
            raise UnsupportedMedia(asset.source_path, f"no extractor reads {media_type}")
        transcript, warnings = self._read_transcript(companion, choices)
        unchanged = UnchangedFileCache(self._container.store, asset.source_path, source.stamp)
        runtime = ExtractRuntime(
            transcripts=unchanged,
            choices=choices,
            transcript=transcript,
            cancel=self._cancel,
            progress=self._progress,
        )
        document = extractor.extract(asset, runtime)
        unchanged.check()
        cut = cut_document(
            self._container, document, choices, on_progress=self._on_cutting, cancel=self._cancel
        )
        versions = self._container.current_versions(
            media_type, choices, companion=companion.asset.asset_id if companion else None
        )
        if versions is None:
            raise UnsupportedMedia(asset.source_path, f"no extractor reads {media_type}")
        ingested = IngestedDocument(
            asset=asset,
            stamp=source.stamp,
            document=document,
            versions=versions,
            runs=cut.runs,
            warnings=(*warnings, *runtime.warnings, *cut.warnings),
            companion=companion.as_companion() if companion else None,
        )
        return MadeDocument(ingested, cut.usage)

    def _read_transcript(
        self, companion: Source | None, choices: DocumentChoices
    ) -> tuple[Transcript | None, tuple[StepWarning, ...]]:
        if companion is None:
            return None, ()
        reader = self._container.transcript_reader
        if reader is None:
            raise FeatureMissing("reading subtitle files", "kb-parse-subtitle")
        asset = companion.asset
        unchanged = UnchangedFileCache(self._container.store, asset.source_path, companion.stamp)
        runtime = ExtractRuntime(transcripts=unchanged, choices=choices, cancel=self._cancel)
        transcript = reader.read_transcript(asset, runtime)
        unchanged.check()
        if not transcript.timed:
            raise InputError(
                asset.source_path,
                "it has no times, so the recording beside it cannot be cited by it",
                hint="rename it, or ingest the recording with --transcribe",
            )
        return transcript, runtime.warnings
