"""Composition root: the only place that wires adapters to ports.

`Container` makes each part when it is first asked for, so that a search loads no model library and
a `kb list` no analyser. Use cases take a container and see ports only.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kb_app import plugins
from kb_config import Settings
from kb_core import Chunker, ChunkPolicy
from kb_core.ports.extractor import Extractor, ExtractorServices
from kb_core.ports.models import ModelRegistry
from kb_core.ports.retriever import Retriever
from kb_core.ports.store import DocumentVersions
from kb_core.ports.transcriber import Transcriber

if TYPE_CHECKING:
    from kb_store_sqlite import SqliteStore


class Container:
    """The parts of one knowledge base under one set of settings."""

    def __init__(self, settings: Settings, *, transcriber: Transcriber | None = None) -> None:
        self.settings = settings
        self._given_transcriber = transcriber

    @cached_property
    def store(self) -> SqliteStore:
        """The knowledge base file.

        Raises:
            StoreMissing: there is none; `create_store` makes one.
        """
        from kb_store_sqlite import SqliteStore

        return SqliteStore.open(self.settings.database_path, create=False)

    def create_store(self) -> None:
        """Make the knowledge base file where there is none."""
        from kb_store_sqlite import SqliteStore

        if "store" not in self.__dict__:
            self.__dict__["store"] = SqliteStore.open(self.settings.database_path, create=True)

    @cached_property
    def transcriber(self) -> Transcriber:
        """The recogniser; its model is loaded on first use."""
        return self._given_transcriber or plugins.make_transcriber(self.settings)

    @cached_property
    def extractors(self) -> list[Extractor]:
        """Every installed extractor."""
        services = ExtractorServices(transcriber=lambda: self.transcriber)
        return plugins.make_extractors(self.settings, services)

    @cached_property
    def model_registry(self) -> ModelRegistry:
        """The model files of the chosen engine."""
        return plugins.make_model_registry(self.settings)

    @cached_property
    def retriever(self) -> Retriever:
        """The search over the store."""
        from kb_search import LexicalRetriever

        return LexicalRetriever(index=self.store, store=self.store)

    def extractor_for(self, media_type: str) -> Extractor | None:
        """Return the extractor that reads files of that kind, or None."""
        return next((each for each in self.extractors if each.accepts(media_type)), None)

    def chunker_for(self, media_type: str) -> tuple[Chunker, ChunkPolicy]:
        """Return the chunk module for a medium, and the policy to run it with."""
        chunking = self.settings.chunking
        chunker = plugins.make_chunker(chunking.for_family(media_type).chunker)
        return chunker, chunking.policy_for(media_type, chunker.chunker_version())

    def current_versions(self, media_type: str) -> DocumentVersions | None:
        """Return what a document of that kind would be made with now; None if nothing reads it."""
        extractor = self.extractor_for(media_type)
        if extractor is None:
            return None
        chunker, policy = self.chunker_for(media_type)
        versions = extractor.versions()
        return DocumentVersions(
            parser_version=versions.parser_version,
            transcript_version=versions.transcript_version,
            chunker_version=chunker.chunker_version(),
            policy_hash=chunker.policy_hash(policy),
        )

    def close(self) -> None:
        """Close what was opened."""
        store = self.__dict__.pop("store", None)
        if store is not None:
            store.close()
