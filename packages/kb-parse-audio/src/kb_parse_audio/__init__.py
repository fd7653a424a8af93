"""Audio and video extractor of kb.

Importing this package loads neither FFmpeg nor numpy; `create_extractor` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_config import Settings
    from kb_core.ports.extractor import ExtractorServices
    from kb_parse_audio.extractor import AudioExtractor

__all__ = ["create_extractor"]


def create_extractor(settings: Settings, services: ExtractorServices) -> AudioExtractor:
    """Return the extractor for recordings; the entry point `audio` in `kb.extractors`."""
    from kb_parse_audio.channel_speakers import ChannelDiarizer
    from kb_parse_audio.extractor import AudioExtractor, AudioOptions
    from kb_parse_audio.speech import SileroDetector

    asr = settings.asr
    options = AudioOptions(asr.languages, asr.speakers, asr.keep_suspect, asr.chinese)
    return AudioExtractor(
        services.transcriber,
        options,
        detector=services.voice_activity or SileroDetector(),
        diarizers=[ChannelDiarizer()],
    )
