"""Chunk modules that ask a language model: scenes of a game, topics of a talk."""

from kb_chunk_llm.scenes import DndScenesChunker
from kb_chunk_llm.topics import TranscriptTopicsChunker

__all__ = ["DndScenesChunker", "TranscriptTopicsChunker"]
