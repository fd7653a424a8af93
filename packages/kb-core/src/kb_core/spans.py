"""Where something stands in its source: lines of a text, a page, a stretch of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from kb_core.model import Milliseconds, Model


class LineSpan(Model):
    """Lines `start` to `end` of a text file, 1-based, both included."""

    kind: Literal["line"] = "line"
    start: int = Field(ge=1)
    end: int = Field(ge=1)

    @model_validator(mode="after")
    def _ordered(self) -> LineSpan:
        if self.end < self.start:
            raise ValueError(f"line span ends at {self.end}, before its start at {self.start}")
        return self


class PageSpan(Model):
    """A page (1-based) and, where known, a half-open code-point range of its stored text."""

    kind: Literal["page"] = "page"
    page: int = Field(ge=1)
    char_start: int | None = Field(default=None, ge=0)
    char_end: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> PageSpan:
        if (self.char_start is None) != (self.char_end is None):
            raise ValueError("a page span has both character offsets or neither")
        if (self.char_end or 0) < (self.char_start or 0):
            raise ValueError("page span ends before its start")
        return self


class TimeSpan(Model):
    """A stretch of a recording, in milliseconds on the player's clock."""

    kind: Literal["time"] = "time"
    start_ms: Milliseconds
    end_ms: Milliseconds

    @model_validator(mode="after")
    def _ordered(self) -> TimeSpan:
        if self.end_ms < self.start_ms:
            raise ValueError(f"time span ends at {self.end_ms} ms, before its start")
        return self


SourceSpan = Annotated[LineSpan | PageSpan | TimeSpan, Field(discriminator="kind")]


def cover(spans: Sequence[SourceSpan]) -> SourceSpan:
    """Return the smallest span that holds all of `spans`, of which there is at least one.

    A span names one page and is of one kind; spans of another page or kind than the first are left
    out.
    """
    first = spans[0]
    if isinstance(first, TimeSpan):
        times = [span for span in spans if isinstance(span, TimeSpan)]
        return TimeSpan(
            start_ms=min(span.start_ms for span in times), end_ms=max(span.end_ms for span in times)
        )
    if isinstance(first, LineSpan):
        lines = [span for span in spans if isinstance(span, LineSpan)]
        return LineSpan(
            start=min(span.start for span in lines), end=max(span.end for span in lines)
        )
    return _cover_page(
        [span for span in spans if isinstance(span, PageSpan) and span.page == first.page]
    )


def overlap(one: SourceSpan, other: SourceSpan) -> bool:
    """Whether two spans of one document have a place in common.

    Times that only touch have none; neither have spans of different kinds, of which it is not
    known.
    """
    if isinstance(one, TimeSpan) and isinstance(other, TimeSpan):
        if one.start_ms == one.end_ms or other.start_ms == other.end_ms:
            return one.start_ms <= other.end_ms and other.start_ms <= one.end_ms
        return one.start_ms < other.end_ms and other.start_ms < one.end_ms
    if isinstance(one, LineSpan) and isinstance(other, LineSpan):
        return one.start <= other.end and other.start <= one.end
    if isinstance(one, PageSpan) and isinstance(other, PageSpan):
        return one.page == other.page and _ranges_overlap(one, other)
    return False


def _ranges_overlap(one: PageSpan, other: PageSpan) -> bool:
    ranges = (one.char_start, one.char_end, other.char_start, other.char_end)
    if None in ranges:
        return True  # one of them is the whole page
    start, end, other_start, other_end = (place for place in ranges if place is not None)
    return start < other_end and other_start < end


def _cover_page(spans: Sequence[PageSpan]) -> PageSpan:
    starts = [span.char_start for span in spans if span.char_start is not None]
    ends = [span.char_end for span in spans if span.char_end is not None]
    if len(starts) < len(spans):
        return PageSpan(page=spans[0].page)  # one of them is the whole page
    return PageSpan(page=spans[0].page, char_start=min(starts), char_end=max(ends))
