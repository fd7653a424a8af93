import pytest

from kb_core import LineSpan, PageSpan, SourceSpan, TimeSpan
from kb_core.spans import cover, overlap


@pytest.mark.parametrize(
    ("spans", "covering"),
    [
        ([TimeSpan(start_ms=5, end_ms=9), TimeSpan(start_ms=6, end_ms=7)], (5, 9)),
        ([TimeSpan(start_ms=5, end_ms=9), TimeSpan(start_ms=20, end_ms=30)], (5, 30)),
    ],
)
def test_times_are_covered_from_first_start_to_last_end(
    spans: list[SourceSpan], covering: tuple[int, int]
) -> None:
    assert cover(spans) == TimeSpan(start_ms=covering[0], end_ms=covering[1])


def test_lines_are_covered_whole() -> None:
    assert cover([LineSpan(start=3, end=4), LineSpan(start=8, end=9)]) == LineSpan(start=3, end=9)


def test_characters_of_one_page_are_covered() -> None:
    spans = [PageSpan(page=2, char_start=5, char_end=9), PageSpan(page=2, char_start=1, char_end=3)]
    assert cover(spans) == PageSpan(page=2, char_start=1, char_end=9)


def test_a_whole_page_stays_a_whole_page() -> None:
    spans = [PageSpan(page=2, char_start=5, char_end=9), PageSpan(page=2)]
    assert cover(spans) == PageSpan(page=2)


def test_a_citation_over_pages_names_the_first() -> None:
    assert cover([PageSpan(page=2), PageSpan(page=3)]) == PageSpan(page=2)


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (TimeSpan(start_ms=0, end_ms=10), TimeSpan(start_ms=9, end_ms=20), True),
        (TimeSpan(start_ms=0, end_ms=10), TimeSpan(start_ms=10, end_ms=20), False),
        (TimeSpan(start_ms=10, end_ms=10), TimeSpan(start_ms=10, end_ms=20), True),
        (TimeSpan(start_ms=0, end_ms=10), TimeSpan(start_ms=11, end_ms=11), False),
        (LineSpan(start=1, end=3), LineSpan(start=3, end=3), True),
        (LineSpan(start=1, end=2), LineSpan(start=3, end=9), False),
        (PageSpan(page=1), PageSpan(page=1, char_start=3, char_end=9), True),
        (PageSpan(page=1), PageSpan(page=2), False),
        (
            PageSpan(page=1, char_start=0, char_end=3),
            PageSpan(page=1, char_start=3, char_end=9),
            False,
        ),
        (
            PageSpan(page=1, char_start=0, char_end=4),
            PageSpan(page=1, char_start=3, char_end=9),
            True,
        ),
        (LineSpan(start=1, end=9), PageSpan(page=1), False),
    ],
)
def test_spans_overlap_where_they_share_a_place(
    one: SourceSpan, other: SourceSpan, shared: bool
) -> None:
    assert overlap(one, other) is shared
    assert overlap(other, one) is shared
