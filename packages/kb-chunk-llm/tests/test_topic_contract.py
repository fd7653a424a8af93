"""What every chunker keeps, of `transcript/topics` without a model."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_chunk_llm import TranscriptTopicsChunker
from kb_core import CanonicalDocument, ChunkPolicy, TranscriptSegment
from kb_testing.chunker_conformance import CHUNKER_CHECKS, ChunkerCheck, check_the_budget_is_kept
from kb_testing.strategies import audio_document, audio_documents, chunk_policies

VERSION = "transcript/topics-v1"
CUTTING_CHECKS = [*CHUNKER_CHECKS, check_the_budget_is_kept]


def odd_text() -> st.SearchStrategy[str]:
    """Marks that join what stands before, line ends, and letters of several scripts."""
    return st.text(
        st.sampled_from("a .\n\r\u3000\u0301\u0489\u200d\ufe0f가각か\u3099。!👩🇰字,"), max_size=40
    )


@pytest.mark.parametrize("check", CUTTING_CHECKS)
@settings(max_examples=20, deadline=None)
@given(document=audio_documents(), chosen=chunk_policies(VERSION))
def test_the_contract_is_kept(
    check: ChunkerCheck, document: CanonicalDocument, chosen: ChunkPolicy
) -> None:
    check(TranscriptTopicsChunker(), document, chosen)


@pytest.mark.parametrize("check", CUTTING_CHECKS)
@settings(max_examples=30, deadline=None)
@given(texts=st.lists(odd_text(), max_size=8), target_tokens=st.integers(1, 12))
def test_the_contract_is_kept_whatever_characters_segments_begin_and_end_with(
    check: ChunkerCheck, texts: list[str], target_tokens: int
) -> None:
    segments = [TranscriptSegment(start_ms=0, end_ms=0, text=text) for text in texts]
    policy = ChunkPolicy(chunker_version=VERSION, target_tokens=target_tokens, overlap_tokens=0)
    check(TranscriptTopicsChunker(), audio_document(segments), policy)
