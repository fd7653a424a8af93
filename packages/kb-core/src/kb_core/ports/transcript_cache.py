"""Port to the cache of what took hours: transcripts, and the windows of unfinished ones.

The key is the content and the way of recognising it, never a place: moving a file, re-chunking it
or restoring a backup repeats nothing.
"""

from __future__ import annotations

from typing import Protocol

from kb_core.model import Milliseconds, Model
from kb_core.ports.transcriber import RecognisedWindow
from kb_core.runtime import StepWarning
from kb_core.transcript import Transcript


class CachedTranscript(Model):
    """A finished transcript with what else the decoding told."""

    transcript: Transcript
    duration_ms: Milliseconds
    warnings: tuple[StepWarning, ...] = ()


class TranscriptCache(Protocol):
    """Transcripts by (asset_id, transcript_version); windows by their sample range too.

    Each put is durable when it returns.
    """

    def get_transcript(self, asset_id: str, transcript_version: str) -> CachedTranscript | None:
        """Return the finished transcript, or None."""
        ...

    def put_transcript(self, asset_id: str, cached: CachedTranscript) -> None:
        """Keep a finished transcript and drop the windows that it was made from."""
        ...

    def get_window(
        self, asset_id: str, transcript_version: str, start_sample: int, end_sample: int
    ) -> RecognisedWindow | None:
        """Return what was heard in that range, or None."""
        ...

    def put_window(
        self,
        asset_id: str,
        transcript_version: str,
        start_sample: int,
        end_sample: int,
        window: RecognisedWindow,
    ) -> None:
        """Keep one finished window."""
        ...
