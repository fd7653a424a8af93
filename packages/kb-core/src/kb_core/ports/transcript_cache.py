"""Port to the cache of what took hours: what was heard window by window, and transcripts of it.

Windows outlive the transcript that was made from them: a better rule for times or suspects, or
speakers on request, makes another transcript from the same windows, and nothing is heard twice.

The key is the content and the way of recognising it, never a place: moving a file, re-chunking it
or restoring a backup repeats nothing.
"""

from __future__ import annotations

from typing import Protocol

from kb_core.model import Milliseconds, Model
from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_core.runtime import StepWarning
from kb_core.transcript import Transcript


class CachedTranscript(Model):
    """A finished transcript with what else the decoding told."""

    transcript: Transcript
    duration_ms: Milliseconds
    warnings: tuple[StepWarning, ...] = ()


class TranscriptCache(Protocol):
    """What was heard, and transcripts of it.

    Transcripts are kept by (asset_id, transcript_version), what was heard by (asset_id,
    recognition_version, range of samples). A range names its sound: the same recording and version
    give the same windows. Each put is durable when it returns.
    """

    def get_transcript(self, asset_id: str, transcript_version: str) -> CachedTranscript | None:
        """Return the finished transcript, or None."""
        ...

    def put_transcript(self, asset_id: str, cached: CachedTranscript) -> None:
        """Keep a finished transcript."""
        ...

    def get_window(
        self, asset_id: str, recognition_version: str, samples: tuple[int, int]
    ) -> RecognisedWindow | None:
        """Return what was heard in that half-open range, or None."""
        ...

    def put_window(
        self,
        asset_id: str,
        recognition_version: str,
        samples: tuple[int, int],
        window: RecognisedWindow,
    ) -> None:
        """Keep one finished window."""
        ...

    def get_languages(
        self, asset_id: str, recognition_version: str, samples: tuple[int, int]
    ) -> HeardLanguages | None:
        """Return which languages that half-open range may be in, or None."""
        ...

    def put_languages(
        self,
        asset_id: str,
        recognition_version: str,
        samples: tuple[int, int],
        languages: HeardLanguages,
    ) -> None:
        """Keep the languages of one range."""
        ...
