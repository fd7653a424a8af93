"""Texts that are longer than a model's limit: windows, and one vector of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Item = TypeVar("_Item")


def windows_of(items: Sequence[_Item], size: int) -> list[Sequence[_Item]]:
    """Return neighbouring windows of at most `size` items; one, empty, where there is none."""
    return [items[start : start + size] for start in range(0, max(1, len(items)), size)]


def pooled(vectors: Iterable[NDArray[np.floating]], lengths: Iterable[int]) -> NDArray[np.float64]:
    """Return the mean of the windows' vectors, not of length 1.

    Args:
        vectors: one for each window.
        lengths: of the windows, which are the weights; an empty window counts as one of length 1.
    """
    weights = [max(1, length) for length in lengths]
    total = sum(
        np.asarray(vector, dtype=np.float64) * weight
        for vector, weight in zip(vectors, weights, strict=True)
    )
    return np.asarray(total / sum(weights))
