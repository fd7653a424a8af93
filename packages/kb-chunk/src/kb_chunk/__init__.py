"""Deterministic chunkers of kb."""

from kb_chunk.audio_segment import AudioSegmentV1Chunker
from kb_chunk.md_heading import MdHeadingV1Chunker
from kb_chunk.pdf_page import PdfPageV1Chunker

__all__ = ["AudioSegmentV1Chunker", "MdHeadingV1Chunker", "PdfPageV1Chunker"]
