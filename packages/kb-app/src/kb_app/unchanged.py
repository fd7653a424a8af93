"""Keeps text out of the cache that was heard in other bytes than those it is kept under.

Between the hashing of a file and the end of its recognition lie hours, and a recorder or a sync
program may write to it meanwhile. What was heard is kept under the digest of what was hashed, so
each time before something is kept the file is looked at again.
"""

from __future__ import annotations

from pathlib import Path

from kb_core.errors import InputError
from kb_core.ports.store import FileStamp
from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_core.ports.transcript_cache import CachedTranscript, TranscriptCache
from kb_source_fs import stamp_of


class UnchangedFileCache:
    """A `TranscriptCache` for one file that keeps nothing once the file has changed."""

    def __init__(self, cache: TranscriptCache, source_path: str, stamp: FileStamp) -> None:
        self._cache = cache
        self._path = Path(source_path)
        self._stamp = stamp

    def check(self) -> None:
        """Raise `InputError` when the file is not as it was when it was hashed."""
        if stamp_of(self._path) != self._stamp:
            raise InputError(
                self._path,
                "changed while it was read",
                hint="run the same command again when nothing writes to it any more",
            )

    def get_transcript(self, asset_id: str, transcript_version: str) -> CachedTranscript | None:
        """Return the finished transcript, or None."""
        return self._cache.get_transcript(asset_id, transcript_version)

    def put_transcript(self, asset_id: str, cached: CachedTranscript) -> None:
        """Keep a finished transcript."""
        self.check()
        self._cache.put_transcript(asset_id, cached)

    def get_window(
        self, asset_id: str, recognition_version: str, samples: tuple[int, int]
    ) -> RecognisedWindow | None:
        """Return what was heard in that range, or None."""
        return self._cache.get_window(asset_id, recognition_version, samples)

    def put_window(
        self,
        asset_id: str,
        recognition_version: str,
        samples: tuple[int, int],
        window: RecognisedWindow,
    ) -> None:
        """Keep one finished window."""
        self.check()
        self._cache.put_window(asset_id, recognition_version, samples, window)

    def get_languages(
        self, asset_id: str, recognition_version: str, samples: tuple[int, int]
    ) -> HeardLanguages | None:
        """Return which languages that range may be in, or None."""
        return self._cache.get_languages(asset_id, recognition_version, samples)

    def put_languages(
        self,
        asset_id: str,
        recognition_version: str,
        samples: tuple[int, int],
        languages: HeardLanguages,
    ) -> None:
        """Keep the languages of one range."""
        self.check()
        self._cache.put_languages(asset_id, recognition_version, samples, languages)
