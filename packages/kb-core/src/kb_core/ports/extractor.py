"""Port to parsers: a file becomes a canonical document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kb_core.choices import DocumentChoices
from kb_core.document import CanonicalDocument, RawAsset
from kb_core.model import Model
from kb_core.ports.transcriber import Transcriber
from kb_core.ports.transcript_cache import TranscriptCache
from kb_core.ports.voice_activity import VoiceActivityDetector
from kb_core.runtime import CancelToken, ProgressCallback, StepRuntime, no_progress
from kb_core.transcript import Transcript


class ExtractorVersions(Model):
    """What decides the parsed content beside the bytes of the file.

    `transcript_version` is None for extractors that recognise no speech; `keeps_suspects` tells
    whether their suspects are units like any other segment.
    """

    parser_version: str
    transcript_version: str | None = None
    keeps_suspects: bool = False


@dataclass(frozen=True, slots=True)
class ExtractorServices:
    """What an extractor may use beside the file; handed to its factory.

    Attributes:
        transcriber: makes or returns the recogniser; called only when its identity or its work is
            needed, and may raise `FeatureMissing` or `ModelError`.
        voice_activity: detector of speech in place of the extractor's own.
    """

    transcriber: Callable[[], Transcriber]
    voice_activity: VoiceActivityDetector | None = None


class ExtractRuntime(StepRuntime):
    """What the application hands to an extractor for one file.

    `transcript` is what a file beside a recording says was said in it: then nothing is recognised.
    """

    def __init__(
        self,
        *,
        transcripts: TranscriptCache,
        choices: DocumentChoices | None = None,
        transcript: Transcript | None = None,
        cancel: CancelToken | None = None,
        progress: ProgressCallback = no_progress,
    ) -> None:
        super().__init__(cancel=cancel, progress=progress)
        self.transcripts = transcripts
        self.choices = choices or DocumentChoices()
        self.transcript = transcript


@runtime_checkable
class Extractor(Protocol):
    """A parser for some kinds of files."""

    @property
    def name(self) -> str:
        """Short name for messages and provenance, such as `audio`."""
        ...

    def accepts(self, media_type: str) -> bool:
        """Return whether this extractor reads files of that kind."""
        ...

    def versions(self, choices: DocumentChoices) -> ExtractorVersions:
        """Return the versions of what would be made now with these choices; loads no model.

        Raises:
            ConfigError: one of the choices is not known here.
        """
        ...

    def extract(self, asset: RawAsset, runtime: ExtractRuntime) -> CanonicalDocument:
        """Parse one file.

        Raises:
            InputError: the file cannot be used; the error names it and says why.
            ConfigError: one of the choices is not known here.
            ModelError: a model that is needed is absent or failed.
            Cancelled: a stop was asked for; what was finished is in the cache.
        """
        ...


class AudioClip(Model):
    """Sound of a span: 16-bit little-endian mono samples and where they begin."""

    pcm_s16le: bytes
    sample_rate_hz: int
    start_ms: int


@runtime_checkable
class ClipReader(Protocol):
    """An extractor that can give back the sound of a span."""

    def read_clip(self, source_path: str, start_ms: int, end_ms: int) -> AudioClip:
        """Decode [start_ms, end_ms) on the player's clock.

        Raises:
            InputError: the file cannot be used.
        """
        ...


@runtime_checkable
class TranscriptReader(Protocol):
    """An extractor that reads what was said from files without sound."""

    def transcript_version(self, asset_id: str, choices: DocumentChoices) -> str:
        """Return the `transcript_version` of what `read_transcript` would give; reads nothing."""
        ...

    def read_transcript(self, asset: RawAsset, runtime: ExtractRuntime) -> Transcript:
        """Read a subtitle or transcript file; times are those of the file.

        Raises:
            InputError: the file cannot be used; the error names it and says why.
        """
        ...


@runtime_checkable
class TranscriptTaker(Protocol):
    """An extractor that takes `ExtractRuntime.transcript` in place of what it would recognise."""

    def versions_with(self, choices: DocumentChoices, transcript_version: str) -> ExtractorVersions:
        """Return the versions of what would be made with a transcript of that version.

        Needs no recogniser and no model.
        """
        ...


class Exporter(Protocol):
    """Writes a stored document in some format; found under the entry points `kb.exporters`.

    The same document gives the same text, ending in one newline.
    """

    def __call__(self, document: CanonicalDocument) -> str:
        """Return the file's text.

        Raises:
            ExportError: this format cannot hold such a document.
        """
        ...
