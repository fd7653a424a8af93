"""Waiting until something below some folders has changed, and has come to rest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from kb_core import CancelToken

QUIET_MS = 2_000
"""Changes count as finished when nothing more happens for so long: copies come in many writes."""

LONGEST_MS = 60_000
"""Where something never rests, such as a recording that is being made, the rest does not wait."""

_LOOK_EVERY_MS = 500


def watch(
    paths: Sequence[Path],
    *,
    cancel: CancelToken,
    own_folders: Sequence[Path] = (),
    quiet_ms: int = QUIET_MS,
) -> Iterator[int]:
    """Yield the number of changed paths each time changes below `paths` have come to rest.

    The first is 0, as soon as the watch is on; no change after that is missed.

    Args:
        paths: files and folders; folders with all that is below them.
        cancel: ends the watch; may be set from another thread or a signal handler.
        own_folders: where kb itself writes, which is no change.
        quiet_ms: how long nothing must have happened.

    Raises:
        OSError: one of the paths cannot be watched.
    """
    from watchfiles import Change
    from watchfiles import watch as changes_of

    own = tuple(os.path.realpath(folder) for folder in own_folders)

    def is_foreign(_change: Change, path: str) -> bool:
        place = os.path.realpath(path)
        return not any(place == each or place.startswith(each + os.sep) for each in own)

    is_on = False
    for changes in changes_of(
        *paths,
        watch_filter=is_foreign,
        debounce=LONGEST_MS,
        step=quiet_ms,
        stop_event=_Stop(cancel),
        rust_timeout=_LOOK_EVERY_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
    ):
        if changes or not is_on:
            is_on = True
            yield len({path for _, path in changes})


class _Stop:
    """What the library asks whether to stop."""

    def __init__(self, cancel: CancelToken) -> None:
        self._cancel = cancel

    def is_set(self) -> bool:
        return self._cancel.cancelled
