"""A hit in a long block cites the lines, or the stretch of the page, that it shows."""

from __future__ import annotations

import pytest

from kb_core import (
    Chunk,
    LineSpan,
    PageSpan,
    PassageUnit,
    SourceSpan,
    StoredPassage,
    TimeSpan,
)
from kb_search import cite

TEXT = "one\ntwo\nthree\nfour"


def passage(span: SourceSpan) -> StoredPassage:
    chunk = Chunk(
        chunk_id="c",
        doc_id="d",
        index=0,
        block_ids=("b",),
        unit_ids=("b",),
        text=TEXT,
        source_spans=(span,),
        token_estimate=1,
        chunker_version="v",
        policy_hash="0" * 16,
    )
    unit = PassageUnit(unit_id="b", char_start=0, char_end=len(TEXT), span=span)
    return StoredPassage(
        chunk=chunk,
        module="testing",
        doc_path="a",
        doc_title="a",
        media_type="markdown",
        lang=None,
        units=(unit,),
    )


@pytest.mark.parametrize(
    ("span", "shown", "cited"),
    [
        (LineSpan(start=5, end=8), (4, 13), LineSpan(start=6, end=7)),
        (LineSpan(start=5, end=8), (5, 6), LineSpan(start=6, end=6)),
        (LineSpan(start=5, end=8), (0, 18), LineSpan(start=5, end=8)),
        (LineSpan(start=5, end=5), (4, 13), LineSpan(start=5, end=5)),  # lines of another file
        (
            PageSpan(page=3, char_start=100, char_end=118),
            (4, 13),
            PageSpan(page=3, char_start=104, char_end=113),
        ),
        (PageSpan(page=3), (4, 13), PageSpan(page=3)),
        (TimeSpan(start_ms=10, end_ms=90), (4, 13), TimeSpan(start_ms=10, end_ms=90)),
    ],
)
def test_no_more_is_cited_than_is_shown(
    span: SourceSpan, shown: tuple[int, int], cited: SourceSpan
) -> None:
    found = passage(span)
    assert cite(found, found.units, shown).span == cited
    assert cite(found, found.units).span == span
