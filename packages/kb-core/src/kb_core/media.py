"""Kinds of source files."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator

MediaFamily = Literal[
    "audio",
    "video",
    "subtitle",
    "transcript-json",
    "transcript-text",
    "markdown",
    "text",
    "pdf",
    "other",
]

TRANSCRIPT_TYPES: frozenset[str] = frozenset({"subtitle", "transcript-json", "transcript-text"})
"""Files that hold what was said without its sound."""

_PLAIN: frozenset[str] = TRANSCRIPT_TYPES | {"markdown", "text", "pdf", "other"}


def _check(value: str) -> str:
    family, _, subtype = value.partition("/")
    if value in _PLAIN or (family in ("audio", "video") and subtype):
        return value
    raise ValueError(f"unknown media type {value!r}")


MediaType = Annotated[str, AfterValidator(_check)]
"""`audio/*`, `video/*` or one of the plain names of `MediaFamily`."""


def is_recording(media_type: str) -> bool:
    """Return whether the file holds sound (a video's sound is what kb reads)."""
    return media_type.startswith(("audio/", "video/"))


def is_transcript_file(media_type: str) -> bool:
    """Return whether the file holds what was said, with times or without, and no sound."""
    return media_type in TRANSCRIPT_TYPES
