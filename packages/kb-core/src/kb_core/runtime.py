"""What a long-running step is handed: a way to stop, to report, and to warn.

Steps never look at signals, terminals or logs. The application makes one runtime per document and
reads the warnings back from it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from pydantic import Field

from kb_core.errors import Cancelled
from kb_core.model import Milliseconds, Model


class StepWarning(Model):
    """Something that went less than perfectly, as data.

    `code` is stable and made of lower-case words with underscores; `unit` says where, in the terms
    of the source: a time, a page, a unit id.
    """

    code: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    message: str
    unit: str | None = None


class CancelToken:
    """Set once by whoever wants a step to stop; safe to share between threads."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the step to stop at its next safe point."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether a stop was asked for."""
        return self._event.is_set()

    def wait(self, seconds: float) -> None:
        """Sleep, but no longer than until a stop is asked for."""
        self._event.wait(seconds)

    def raise_if_cancelled(self) -> None:
        """Raise `Cancelled` when a stop was asked for."""
        if self.cancelled:
            raise Cancelled


class Progress(Model):
    """How far a document is.

    Attributes:
        done_ms: sound that is transcribed, in milliseconds from its start.
        total_ms: length of the recording, None while it is not known.
        reused_ms: part of `done_ms` that came from an earlier run.
    """

    done_ms: Milliseconds
    total_ms: Milliseconds | None = None
    reused_ms: Milliseconds = 0


ProgressCallback = Callable[[Progress], None]


def no_progress(_: Progress) -> None:
    """Report to nobody."""


class StepRuntime:
    """Cancel token, progress callback and collected warnings of one step."""

    def __init__(
        self,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressCallback = no_progress,
    ) -> None:
        self.cancel = cancel or CancelToken()
        self.progress = progress
        self._warnings: list[StepWarning] = []

    def warn(self, code: str, message: str, unit: str | None = None) -> None:
        """Record a warning; the same one twice is recorded once."""
        warning = StepWarning(code=code, message=message, unit=unit)
        if warning not in self._warnings:
            self._warnings.append(warning)

    @property
    def warnings(self) -> tuple[StepWarning, ...]:
        """What was warned of so far, in order."""
        return tuple(self._warnings)
