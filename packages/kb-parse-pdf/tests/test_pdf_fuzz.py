"""Damaged PDFs end in a document or in an error that names the file."""

from __future__ import annotations

import pymupdf
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from kb_core.errors import InputError

settings_of_fuzzing = {
    "deadline": None,
    "database": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture],
}


def small_pdf() -> bytes:
    pdf = pymupdf.open()
    for number in (1, 2):
        page = pdf.new_page()
        page.insert_text((72, 100), f"Page {number} of a small paper about exam-")
        page.insert_text((72, 114), "ples and harbours.")
        page.insert_text((72, 160), "회의에서 배포", fontname="korea")
    return pdf.tobytes(no_new_id=True, deflate=False)


PDF = small_pdf()
changes = st.lists(
    st.tuples(
        st.integers(0, len(PDF) - 1),
        st.integers(0, 40),
        st.one_of(
            st.binary(max_size=12), st.sampled_from([b"obj", b"0 R", b"<<", b"-1", b"endobj"])
        ),
    ),
    min_size=1,
    max_size=6,
)


def damaged(edits) -> bytes:
    data = bytearray(PDF)
    for position, removed, inserted in edits:
        data[position : position + removed] = inserted
    return bytes(data)


def outcome(read, data: bytes) -> str:
    try:
        document, runtime = read(data)
    except InputError as error:
        return f"{error.code} {error}"
    return document.model_dump_json() + repr(runtime.warnings)


def check(read, edits) -> None:
    data = damaged(edits)
    assert outcome(read, data) == outcome(read, data)


@seed(4)
@settings(max_examples=60, **settings_of_fuzzing)
@given(changes)
def test_a_damaged_pdf_is_read_or_refused_and_always_alike(read, edits):
    check(read, edits)


@pytest.mark.long
@seed(5)
@settings(max_examples=3000, **settings_of_fuzzing)
@given(changes)
def test_many_damaged_pdfs_are_read_or_refused_and_always_alike(read, edits):
    check(read, edits)


@seed(6)
@settings(max_examples=20, **settings_of_fuzzing)
@given(st.integers(0, len(PDF)))
def test_a_pdf_may_end_anywhere(read, length):
    outcome(read, PDF[:length])
