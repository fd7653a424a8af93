"""Speech recognition for kb on faster-whisper: a transcriber and the registry of its models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_asr_faster_whisper.registry import FasterWhisperModelRegistry
    from kb_asr_faster_whisper.transcriber import FasterWhisperTranscriber
    from kb_config import Settings

__all__ = ["create_registry", "create_transcriber"]


def create_transcriber(settings: Settings) -> FasterWhisperTranscriber:
    """Return the transcriber that the settings describe; nothing is loaded yet."""
    from kb_asr_faster_whisper.registry import FasterWhisperModelRegistry
    from kb_asr_faster_whisper.transcriber import FasterWhisperTranscriber

    registry = FasterWhisperModelRegistry(settings.models_dir)
    return FasterWhisperTranscriber(registry, settings.asr.model, threads=settings.asr.threads)


def create_registry(settings: Settings) -> FasterWhisperModelRegistry:
    """Return the registry of models in the folder that the settings name."""
    from kb_asr_faster_whisper.registry import FasterWhisperModelRegistry

    return FasterWhisperModelRegistry(settings.models_dir)
