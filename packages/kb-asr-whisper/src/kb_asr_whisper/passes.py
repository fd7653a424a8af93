"""Whether the engine listens to a window once more.

The engine may stop before the end of the sound, where its last segment ends, and would go on from
there in a pass of the encoder that costs as much as the first, however little is left.
"""

from __future__ import annotations

from collections.abc import Callable

from kb_asr_whisper.decoding import LEAST_HEARD_MS, LEAST_REST_MS


class Passes:
    """Asked by the engine before each pass of the encoder whether to make it.

    Attributes:
        stopped_at_ms: where the engine stopped listening to leave the rest to the next window;
            None while it did not.
    """

    def __init__(self, last_end_ms: Callable[[], int], duration_ms: int) -> None:
        self._last_end_ms = last_end_ms
        self._duration_ms = duration_ms
        self._is_first = True
        self.stopped_at_ms: int | None = None

    def __call__(self, *_: object) -> bool:
        """Return whether to make the pass; the arguments are the engine's own."""
        if self._is_first:
            self._is_first = False
            return True
        heard_ms = self._last_end_ms()
        if self._duration_ms - heard_ms < LEAST_REST_MS:
            return False
        if heard_ms >= LEAST_HEARD_MS:
            self.stopped_at_ms = heard_ms
            return False
        return True
