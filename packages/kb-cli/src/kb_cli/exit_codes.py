"""What the exit code of every command means; the one place that knows the numbers."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of `kb`.

    Attributes:
        OK: done.
        NOTHING_FOUND: a search without a hit.
        ERROR: nothing was done; `error:` on stderr says why.
        UNHEALTHY: a check found something wrong.
        PARTLY_DONE: stopped, or some inputs failed; what was finished is kept.
    """

    OK = 0
    NOTHING_FOUND = 1
    ERROR = 2
    UNHEALTHY = 3
    PARTLY_DONE = 4
