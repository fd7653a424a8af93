"""Texts that are longer than a model's limit: windows, and one vector of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Item = TypeVar("_Item")


def windows_of(items: Sequence[_Item], size: int) -> list[Sequence[_Item]]:
    """Return neighbouring windows of at most `size` items; one, empty, where there is none."""
    return [items[start : start + size] for start in range(0, max(1, len(items)), size)]


def pooled(
    windows: Sequence[Sequence[_Item]],
    vector_of: Callable[[Sequence[_Item]], NDArray[np.floating]],
) -> NDArray[np.float64]:
    """Return the mean of the windows' vectors, each weighted by its items; not of length 1."""
    weights = [max(1, len(window)) for window in windows]
    total = sum(
        np.asarray(vector_of(window), dtype=np.float64) * weight
        for window, weight in zip(windows, weights, strict=True)
    )
    return np.asarray(total / sum(weights))
