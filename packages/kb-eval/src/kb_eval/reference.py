"""What a recording is known to say."""

from __future__ import annotations

from pydantic import model_validator

from kb_core.model import Milliseconds, Model, NfcText


class _Timed(Model):
    start_ms: Milliseconds
    end_ms: Milliseconds
    text: NfcText

    @model_validator(mode="after")
    def _ordered(self) -> _Timed:
        if self.end_ms < self.start_ms:
            raise ValueError("ends before its start")
        return self


class ReferenceWord(_Timed):
    """A word and when it is said."""


class ReferencePart(_Timed):
    """A stretch of the recording: where it begins is known, where the speech in it does is not."""

    language: str | None = None
    speaker: NfcText | None = None


class Reference(Model):
    """What is said in a recording, and as much as is known of when and in which language.

    Attributes:
        text: all that is said; blank when nothing is.
        parts: in order of their start, when there is a timeline.
        words: in order of their start, when there are word times.
        language: ISO 639-1 code of the whole recording; None when unknown or more than one.
    """

    text: NfcText
    parts: tuple[ReferencePart, ...] = ()
    words: tuple[ReferenceWord, ...] = ()
    language: str | None = None

    @property
    def is_silent(self) -> bool:
        """Whether nothing is said."""
        return not self.text.strip()
