"""Windows over a session that is longer than a model reads at once, and one partition from all.

The rule, from the first unit to the last:

1. A window takes as many units as fit: at most `max_units`, and at most `max_tokens` of prompt.
2. All its scenes but the last are final. The last is open, for it may go on after the window.
3. If the open scene takes no more than half a window (units and tokens), the next window begins
   with it and divides it again. Else the next window begins at most `overlap_units` before the end
   of this one, with no more than half a window. What is not shown again stays as it is, and the
   first scene of the next answer is the rest of the open scene.
4. The window that reaches the last unit is the last one, and all its scenes are final.

What is shown again never takes more than half a window and no unit takes more than the other half,
so that each window shows at least one new unit: it ends after at most as many windows as units.
Each answer is a partition of its window, and each join leaves no gap and no overlap: the result is
a partition of the whole. Which units a window holds depends on sizes and answers alone, so that the
same answers give the same scenes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kb_chunk_llm.scene_policy import PlacedScene
from kb_chunk_llm.scene_reply import Scene


class WindowLimits(NamedTuple):
    """How large a window may be.

    Attributes:
        max_tokens: of its units; no unit alone takes more than half of it.
        max_units: at least 2.
        overlap_units: shown again at most where the open scene is too long for that; at least 1, or
            no scene could begin with the first new unit.
    """

    max_tokens: int
    max_units: int
    overlap_units: int


class Window(NamedTuple):
    """Units `start` to `end` of the document, half-open; `total` is how many windows are likely."""

    start: int
    end: int
    number: int
    total: int


class CutScene(NamedTuple):
    """Units `start` to `end`, half-open, and what was said of them.

    Attributes:
        parts: the words of each window that saw a part of it, in order.
    """

    start: int
    end: int
    parts: tuple[Scene, ...]


Ask = Callable[[Window, CutScene | None], Sequence[PlacedScene]]
"""Gets a window and the open scene of the one before; returns a partition of the window."""


def cut_into_scenes(costs: Sequence[int], limits: WindowLimits, ask: Ask) -> Iterator[CutScene]:
    """Yield the scenes of a document, as soon as they are final.

    Args:
        costs: tokens of each unit in a prompt; at least one unit.
        limits: of each window.
        ask: is called once for each window, in order.
    """
    start, number = 0, 1
    open_scene: CutScene | None = None
    while True:
        end = _window_end(costs, start, limits)
        total = number + _windows_after(costs, end, limits)
        placed = ask(Window(start, end, number, total), open_scene)
        scenes = [
            CutScene(start + each.first, start + each.last + 1, (each.scene,)) for each in placed
        ]
        if open_scene is not None and open_scene.start < start:
            rest = scenes[0]
            scenes[0] = CutScene(open_scene.start, rest.end, open_scene.parts + rest.parts)
        if end == len(costs):
            yield from scenes
            return
        yield from scenes[:-1]
        open_scene = scenes[-1]
        start = _next_start(costs, end, open_scene.start, limits)
        number += 1


def _window_end(costs: Sequence[int], start: int, limits: WindowLimits) -> int:
    last = min(len(costs), start + limits.max_units)
    end, tokens = start + 1, costs[start]
    while end < last and tokens + costs[end] <= limits.max_tokens:
        tokens += costs[end]
        end += 1
    return end


def _next_start(costs: Sequence[int], end: int, open_start: int, limits: WindowLimits) -> int:
    earliest = _half_window_before(costs, end, limits)
    if open_start >= earliest:
        return open_start
    return max(earliest, end - limits.overlap_units)


def _half_window_before(costs: Sequence[int], end: int, limits: WindowLimits) -> int:
    """Return the first of the units before `end` that together are at most half a window."""
    start, tokens = end, 0
    while (
        start > 0
        and end - start < limits.max_units // 2
        and tokens + costs[start - 1] <= limits.max_tokens // 2
    ):
        start -= 1
        tokens += costs[start]
    return start


def _windows_after(costs: Sequence[int], end: int, limits: WindowLimits) -> int:
    """Return how many windows follow one that ends at `end`, if no open scene is shown whole."""
    count = 0
    while end < len(costs):
        start = max(_half_window_before(costs, end, limits), end - limits.overlap_units)
        end = _window_end(costs, start, limits)
        count += 1
    return count
