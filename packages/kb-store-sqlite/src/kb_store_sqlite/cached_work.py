"""What took long and is kept by content: `TranscriptCache` and `ReplyStore` over one file."""

from __future__ import annotations

from kb_core.ports.language_model import StoredReply
from kb_core.ports.transcriber import HeardLanguages, RecognisedWindow
from kb_core.ports.transcript_cache import CachedTranscript
from kb_store_sqlite import cache
from kb_store_sqlite.connection import Database


class CachedWork:
    """The caches of a knowledge base; every method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get_reply(self, request_digest: str, model_id: str) -> StoredReply | None:
        """Return the reply to exactly that request, or None; also when its row cannot be read."""
        with self._database.read() as connection:
            return cache.get_reply(connection, request_digest, model_id)

    def put_reply(
        self, asset_id: str, request_digest: str, model_id: str, reply: StoredReply
    ) -> None:
        """Keep a reply until the file is no document any more and garbage is collected."""
        with self._database.write() as connection:
            cache.put_reply(connection, asset_id, (request_digest, model_id), reply)

    def get_transcript(self, asset_id: str, transcript_version: str) -> CachedTranscript | None:
        """Return the finished transcript, or None; one that cannot be read is as good as none."""
        with self._database.read() as connection:
            return cache.get_transcript(connection, asset_id, transcript_version)

    def put_transcript(self, asset_id: str, cached: CachedTranscript) -> None:
        """Keep a finished transcript."""
        with self._database.write() as connection:
            cache.put_transcript(connection, asset_id, cached)

    def get_window(
        self, asset_id: str, recognition_version: str, samples: tuple[int, int]
    ) -> RecognisedWindow | None:
        """Return what was heard in that range, or None; also when its row cannot be read."""
        key = (asset_id, recognition_version, *samples)
        with self._database.read() as connection:
            return cache.get_window(connection, key)

    def put_window(
        self,
        asset_id: str,
        recognition_version: str,
        samples: tuple[int, int],
        window: RecognisedWindow,
    ) -> None:
        """Keep one finished window."""
        key = (asset_id, recognition_version, *samples)
        with self._database.write() as connection:
            cache.put_window(connection, key, window)

    def get_languages(
        self, asset_id: str, recognition_version: str, samples: tuple[int, int]
    ) -> HeardLanguages | None:
        """Return which languages that range may be in, or None."""
        key = (asset_id, recognition_version, *samples)
        with self._database.read() as connection:
            return cache.get_languages(connection, key)

    def put_languages(
        self,
        asset_id: str,
        recognition_version: str,
        samples: tuple[int, int],
        languages: HeardLanguages,
    ) -> None:
        """Keep the languages of one range."""
        key = (asset_id, recognition_version, *samples)
        with self._database.write() as connection:
            cache.put_languages(connection, key, languages)
