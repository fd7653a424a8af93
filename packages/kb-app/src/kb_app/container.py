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
from kb_app.chunk_modules import DEFAULT_MODULE, select_modules
from kb_app.replies import AssetReplies, NoReplies
from kb_config import Settings
from kb_core import (
    LANGUAGE_MODEL,
    ChunkRuntime,
    DocumentChoices,
    ModuleVersion,
    module_options,
)
from kb_core.errors import FeatureMissing, ModelError, VectorsMissing
from kb_core.ports.embedder import Embedder
from kb_core.ports.extractor import (
    Extractor,
    ExtractorServices,
    ExtractorVersions,
    TranscriptReader,
    TranscriptTaker,
)
from kb_core.ports.language_model import ModelClient
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
        language_model: what is asked in place of what the settings name.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        transcriber: Transcriber | None = None,
        detector: VoiceActivityDetector | None = None,
        embedder: Embedder | None = None,
        language_model: ModelClient | None = None,
    ) -> None:
        self.settings = settings
        self._given_embedder = embedder
        self._given_language_model = language_model
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

    @property
    def language_model_id(self) -> str | None:
        """Name of the language model that would be asked; None where the settings name none."""
        if self._given_language_model is not None:
            return self._given_language_model.model_id
        return self.settings.llm.model if self.settings.llm.url else None

    def language_model_for(self, asset_id: str | None) -> ModelClient | None:
        """Return a client of the language model, or None where the settings name none.

        Args:
            asset_id: of the file that it is asked about, with which its replies are kept; None
                keeps none.

        Raises:
            FeatureMissing: its package is not installed.
            ConfigError: nobody knows such an engine, or no model is named.
        """
        if self._given_language_model is not None:
            return self._given_language_model
        if self.settings.llm.url is None:
            return None
        replies = NoReplies() if asset_id is None else AssetReplies(self.store, asset_id)
        return plugins.make_language_model(self.settings, replies)

    def module_versions(
        self, media_type: str, choices: DocumentChoices
    ) -> tuple[ModuleVersion, ...]:
        """Return what a document of that kind would be cut with now."""
        model_id = self.language_model_id
        selection = select_modules(self.settings, media_type, choices)
        return tuple(each.version(model_id) for each in selection.modules)

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
        return DocumentVersions(
            **self._extractor_versions(extractor, choices, companion).model_dump(),
            modules=self.module_versions(media_type, choices),
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
        """Raise an error for a choice that is known to nobody who looks at it.

        Raises:
            ConfigError: an extractor or a chunk module does not know what was chosen.
            MissingCapability: a chosen module asks a language model, and there is none.
            FeatureMissing: a chosen module is not installed.
        """
        for choice in choices.chunkers or ():
            if choice.key != DEFAULT_MODULE:
                spec = plugins.make_chunker(choice.key).spec
                module_options(spec, choice.options)
                if LANGUAGE_MODEL in spec.requires and self.language_model_id is None:
                    ChunkRuntime().require_language_model(spec.key)
        for extractor in self.extractors:
            # What is not there yet, such as a model, is told of by the files that need it.
            with suppress(ModelError, FeatureMissing):
                extractor.versions(choices)

    def close(self) -> None:
        """Close what was opened."""
        store = self.__dict__.pop("store", None)
        if store is not None:
            store.close()
