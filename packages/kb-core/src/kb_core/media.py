"""Kinds of source files."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator

MediaFamily = Literal["audio", "video", "subtitle", "transcript-json", "markdown", "pdf", "other"]

_PLAIN: frozenset[str] = frozenset({"subtitle", "transcript-json", "markdown", "pdf", "other"})


def _check(value: str) -> str:
    family, _, subtype = value.partition("/")
    if value in _PLAIN or (family in ("audio", "video") and subtype):
        return value
    raise ValueError(f"unknown media type {value!r}")


MediaType = Annotated[str, AfterValidator(_check)]
"""`audio/*`, `video/*`, `subtitle`, `transcript-json`, `markdown`, `pdf` or `other`."""


def is_recording(media_type: str) -> bool:
    """Return whether the file holds sound (a video's sound is what kb reads)."""
    return media_type.startswith(("audio/", "video/"))
