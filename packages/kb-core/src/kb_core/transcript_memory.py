"""A `TranscriptCache` that lasts as long as the object: for measuring, and for the fake store."""

from __future__ import annotations

from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_core.ports.transcript_cache import CachedTranscript

_Range = tuple[str, str, tuple[int, int]]


class TranscriptMemory:
    """Transcripts and what was heard, in dictionaries."""

    def __init__(self) -> None:
        self._transcripts: dict[tuple[str, str], CachedTranscript] = {}
        self._windows: dict[_Range, RecognisedWindow] = {}
        self._languages: dict[_Range, HeardLanguages] = {}

    def get_transcript(self, asset_id: str, transcript_version: str) -> CachedTranscript | None:
        """Return the finished transcript, or None."""
        return self._transcripts.get((asset_id, transcript_version))

    def put_transcript(self, asset_id: str, cached: CachedTranscript) -> None:
        """Keep a finished transcript."""
        self._transcripts[asset_id, cached.transcript.transcript_version] = cached

    def get_window(
        self, asset_id: str, recognition_version: str, samples: tuple[int, int]
    ) -> RecognisedWindow | None:
        """Return what was heard in that range, or None."""
        return self._windows.get((asset_id, recognition_version, samples))

    def put_window(
        self,
        asset_id: str,
        recognition_version: str,
        samples: tuple[int, int],
        window: RecognisedWindow,
    ) -> None:
        """Keep one finished window."""
        self._windows[asset_id, recognition_version, samples] = window

    def get_languages(
        self, asset_id: str, recognition_version: str, samples: tuple[int, int]
    ) -> HeardLanguages | None:
        """Return which languages that range may be in, or None."""
        return self._languages.get((asset_id, recognition_version, samples))

    def put_languages(
        self,
        asset_id: str,
        recognition_version: str,
        samples: tuple[int, int],
        languages: HeardLanguages,
    ) -> None:
        """Keep the languages of one range."""
        self._languages[asset_id, recognition_version, samples] = languages
