"""What holds for every chunker, over generated documents."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_chunk import AudioSegmentV1Chunker, MdHeadingV1Chunker, PdfPageV1Chunker
from kb_core import CanonicalDocument, ChunkPolicy
from kb_testing.chunker_conformance import CHUNKER_CHECKS, ChunkerCheck, check_the_budget_is_kept
from kb_testing.strategies import audio_documents, chunk_policies
from kb_testing.text_documents import note_documents, overlapping_policies, paper_documents

CUTTING_CHECKS = (*CHUNKER_CHECKS, check_the_budget_is_kept)
DOCUMENTS = {
    "md-heading-v1": (MdHeadingV1Chunker(), note_documents()),
    "pdf-page-v1": (PdfPageV1Chunker(), paper_documents()),
}


@pytest.mark.parametrize("key", list(DOCUMENTS))
@pytest.mark.parametrize("check", CUTTING_CHECKS, ids=lambda check: check.__name__)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_a_chunker_of_text_keeps_the_contract(
    check: ChunkerCheck, key: str, data: st.DataObject
) -> None:
    chunker, documents = DOCUMENTS[key]
    document: CanonicalDocument = data.draw(documents)
    check(chunker, document, data.draw(overlapping_policies(key)))


@pytest.mark.parametrize("check", CHUNKER_CHECKS, ids=lambda check: check.__name__)
@settings(max_examples=30, deadline=None)
@given(document=audio_documents(), policy=chunk_policies("audio-segment-v1"))
def test_the_chunker_of_transcripts_keeps_the_contract(
    check: ChunkerCheck, document: CanonicalDocument, policy: ChunkPolicy
) -> None:
    check(AudioSegmentV1Chunker(), document, policy)
