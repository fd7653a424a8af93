"""Port to the upkeep of a knowledge base: what `kb status`, `kb doctor` and `kb gc` ask of it."""

from __future__ import annotations

from typing import Protocol

from pydantic import Field

from kb_core.model import Model


class RemovedCache(Model):
    """What `StoreUpkeep.collect_garbage` took out, or would.

    Attributes:
        transcripts, windows, languages, replies: rows of the caches whose file is no document any
            more.
        vectors: those that no chunk has.
        freed_bytes: by how much the file became smaller; 0 when nothing was taken out.
    """

    transcripts: int
    windows: int
    languages: int
    replies: int = 0
    vectors: int = 0
    freed_bytes: int = 0


class HealthFinding(Model):
    """Something wrong with the knowledge base, and how to mend it.

    `code` is stable and made of lower-case words with underscores.
    """

    code: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    message: str
    hint: str


class StoreCounts(Model):
    """How much a knowledge base holds.

    Attributes:
        duration_ms: of all documents together.
        transcripts: finished ones in the cache, also of documents that are gone.
        windows: kept windows, also of documents that are gone.
    """

    documents: int
    duration_ms: int
    segments: int
    chunks: int
    transcripts: int
    windows: int


class StoreUpkeep(Protocol):
    """What `kb status` and `kb doctor` ask of a store."""

    def counts(self) -> StoreCounts:
        """Return how much there is."""
        ...

    def collect_garbage(self, *, dry_run: bool = False) -> RemovedCache:
        """Take out cached work of files that are no document any more, and give the room back."""
        ...

    def check(self) -> list[HealthFinding]:
        """Look for damage, for indexes that disagree and for files that are gone."""
        ...
