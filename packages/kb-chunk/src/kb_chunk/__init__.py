"""Deterministic chunkers of kb."""

from kb_chunk.audio_segment import AudioSegmentV1Chunker

__all__ = ["AudioSegmentV1Chunker"]
