"""The clock of a window: which sample of the recording each of its samples is.

A window is made of pieces of the recording, in order, with long silences between them left out.
Milliseconds in the window become milliseconds on the player's clock by the piece that holds them;
pieces begin at whole milliseconds, so nothing is rounded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from kb_core.ports.transcriber import SAMPLES_PER_MS
from kb_parse_audio.regions import Region


class WindowClock:
    """Maps times of one window; `pieces` are ranges of samples on the player's clock."""

    def __init__(self, pieces: Sequence[Region]) -> None:
        self.pieces = tuple(pieces)
        lengths = (piece.samples for piece in pieces)
        self._offsets = list(accumulate(lengths, initial=0))[:-1]

    def piece_at(self, window_ms: int, *, is_end: bool = False) -> int:
        """Return the number of the piece that holds a time.

        At a joint, a start belongs to the piece that begins there, an end to the one that ends.
        """
        if is_end:
            window_ms -= 1
        return max(0, bisect_right(self._offsets, window_ms * SAMPLES_PER_MS) - 1)

    def to_player_ms(self, window_ms: int, *, is_end: bool = False) -> int:
        """Return the time on the player's clock; none lies outside the window's pieces."""
        place = self.piece_at(window_ms, is_end=is_end)
        piece = self.pieces[place]
        inside_ms = max(0, window_ms - self._offsets[place] // SAMPLES_PER_MS)
        return min(piece.start_ms + inside_ms, piece.end_ms)

    def around(self, regions: Sequence[Region], padding: int) -> list[Region]:
        """Return what of the pieces lies around regions; what overlaps becomes one."""
        found: list[Region] = []
        for region in regions:
            piece = next(each for each in self.pieces if region.start < each.end)
            start = max(piece.start, region.start - padding)
            end = min(piece.end, region.end + padding)
            if found and start <= found[-1].end:
                start = found.pop().start
            found.append(Region(start, end))
        return found

    def offsets(self, part: Region) -> tuple[int, int]:
        """Return where in the window a part of one of its pieces begins and ends, in samples."""
        place = next(place for place, piece in enumerate(self.pieces) if part.start < piece.end)
        offset = self._offsets[place] - self.pieces[place].start
        return offset + part.start, offset + part.end

    def to_sample(self, window_ms: int) -> int:
        """Return the sample on the player's clock where that time of the window begins."""
        place = self.piece_at(window_ms)
        return self.pieces[place].start + window_ms * SAMPLES_PER_MS - self._offsets[place]
