"""Speech recognition for kb on whisper.cpp: a transcriber and the registry of its models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_asr_whisper.registry import WhisperModelRegistry
    from kb_asr_whisper.transcriber import WhisperCppTranscriber
    from kb_config import Settings

__all__ = ["create_registry", "create_transcriber"]


def create_transcriber(settings: Settings) -> WhisperCppTranscriber:
    """Return the transcriber that the settings describe; nothing is loaded yet."""
    from kb_asr_whisper.registry import WhisperModelRegistry
    from kb_asr_whisper.transcriber import WhisperCppTranscriber

    registry = WhisperModelRegistry(settings.models_dir)
    return WhisperCppTranscriber(registry, settings.asr.model, threads=settings.asr.threads)


def create_registry(settings: Settings) -> WhisperModelRegistry:
    """Return the registry of models in the folder that the settings name."""
    from kb_asr_whisper.registry import WhisperModelRegistry

    return WhisperModelRegistry(settings.models_dir, base_url=settings.models_url)
