"""Where something stands in its source: lines of a text, a page, a stretch of time."""

from __future__ import annotations

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
