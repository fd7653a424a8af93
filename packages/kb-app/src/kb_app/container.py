"""Composition root: the only place that wires adapters to ports.

`Container` makes each part when it is first asked for, so that a search loads no model library and
a `kb list` no analyser. Use cases take a container and see ports only.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kb_app import plugins
from kb_config import Settings
from kb_core import Chunker, ChunkPolicy, DocumentChoices
from kb_core.errors import FeatureMissing, ModelError, VectorsMissing
from kb_core.ports.embedder import Embedder
from kb_core.ports.extractor import (
    Extractor,
    ExtractorServices,
    ExtractorVersions,
    TranscriptReader,
    TranscriptTaker,
)
from kb_core.ports.models import ModelRegistry
from kb_core.ports.store import DocumentVersions
from kb_core.ports.transcriber import Transcriber
from kb_core.ports.voice_activity import VoiceActivityDetector
from kb_core.query import SearchMode

if TYPE_CHECKING:
    from kb_search import Meaning, PassageRetriever
    from kb_store_sqlite import SqliteStore

NO_EMBEDDING = "none"
"""The engine that makes no vectors."""


class Container:
    """The parts of one knowledge base under one set of settings.

    Args:
        settings: of the knowledge base.
        transcriber: recogniser in place of the one that the settings name.
        detector: detector of speech in place of the extractors' own.
        embedder: what makes vectors in place of what the settings name.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        transcriber: Transcriber | None = None,
        detector: VoiceActivityDetector | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.settings = settings
        self._given_embedder = embedder
        self._given_transcriber = transcriber
        self._given_detector = detector

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
        services = ExtractorServices(
            transcriber=lambda: self.transcriber, voice_activity=self._given_detector
        )
        return plugins.make_extractors(self.settings, services)

    @cached_property
    def model_registry(self) -> ModelRegistry:
        """The model files of the chosen engine."""
        return plugins.make_model_registry(self.settings)

    @cached_property
    def embedder(self) -> Embedder | None:
        """What makes vectors of meaning, or None where search is by words alone.

        Its model is loaded on first use.

        Raises:
            FeatureMissing: its package is not installed.
            ConfigError: nobody knows such an engine.
        """
        if self._given_embedder is not None:
            return self._given_embedder
        if self.settings.embedding.engine == NO_EMBEDDING:
            return None
        return plugins.make_embedder(self.settings)

    def retriever_for(self, mode: SearchMode) -> PassageRetriever:
        """Return the search over the store; `hybrid` is by words alone while nothing has a vector.

        Raises:
            VectorsMissing: the mode is `vector`, and nothing has a vector.
            FeatureMissing, ConfigError, ModelError: the mode needs vectors, and what makes them
                cannot be used.
        """
        from kb_search import PassageRetriever

        meaning = self._meaning() if mode in ("hybrid", "vector") else None
        if mode == "vector" and meaning is None:
            raise VectorsMissing
        return PassageRetriever(
            self.store,
            self.store,
            meaning,
            mode=mode,
            fusion=self.settings.search.fusion,
        )

    def _meaning(self) -> Meaning | None:
        """Return the search by vectors, or None while nothing has one of the present model."""
        from kb_search import Meaning

        embedder = self.embedder
        if embedder is None or not self.store.has_vectors(embedder.identity.vector_version):
            return None
        return Meaning(self.store, embedder)

    @property
    def own_folders(self) -> tuple[Path, Path]:
        """Folders of kb itself, which are never taken for the person's."""
        return self.settings.data_dir, self.settings.models_dir

    def extractor_for(self, media_type: str) -> Extractor | None:
        """Return the extractor that reads files of that kind, or None."""
        return next((each for each in self.extractors if each.accepts(media_type)), None)

    def chunker_for(self, media_type: str) -> tuple[Chunker, ChunkPolicy]:
        """Return the chunk module for a medium, and the policy to run it with."""
        chunking = self.settings.chunking
        chunker = plugins.make_chunker(chunking.for_family(media_type).chunker)
        return chunker, chunking.policy_for(media_type, chunker.chunker_version())

    @cached_property
    def transcript_reader(self) -> TranscriptReader | None:
        """What reads subtitle files for the recordings beside them, or None."""
        readers = (each for each in self.extractors if isinstance(each, TranscriptReader))
        return next(readers, None)

    def current_versions(
        self, media_type: str, choices: DocumentChoices, *, companion: str | None = None
    ) -> DocumentVersions | None:
        """Return what a document of that kind would be made with now; None if nothing reads it.

        Args:
            media_type: of the file.
            choices: made for it.
            companion: asset id of the subtitle file that a recording takes its transcript from.
        """
        extractor = self.extractor_for(media_type)
        if extractor is None:
            return None
        chunker, policy = self.chunker_for(media_type)
        return DocumentVersions(
            **self._extractor_versions(extractor, choices, companion).model_dump(),
            chunker_version=chunker.chunker_version(),
            policy_hash=chunker.policy_hash(policy),
            choices=choices,
        )

    def _extractor_versions(
        self, extractor: Extractor, choices: DocumentChoices, companion: str | None
    ) -> ExtractorVersions:
        if companion is None:
            return extractor.versions(choices)
        if self.transcript_reader is None:
            raise FeatureMissing("reading subtitle files", "kb-parse-subtitle")
        if not isinstance(extractor, TranscriptTaker):
            raise FeatureMissing("taking a transcript from a subtitle file", "kb-parse-audio")
        version = self.transcript_reader.transcript_version(companion, choices)
        return extractor.versions_with(choices, version)

    def check_choices(self, choices: DocumentChoices) -> None:
        """Raise `ConfigError` when one of the choices is known to no extractor that looks at it."""
        for extractor in self.extractors:
            # What is not there yet, such as a model, is told of by the files that need it.
            with suppress(ModelError, FeatureMissing):
                extractor.versions(choices)

    def close(self) -> None:
        """Close what was opened."""
        store = self.__dict__.pop("store", None)
        if store is not None:
            store.close()
