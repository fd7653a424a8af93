"""What every adapter does with the numbers of its model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kb_core.ports.embedder import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STORED_TYPE = np.dtype("<f2")


def as_vector(numbers: NDArray[np.floating]) -> Vector:
    """Return numbers as a vector of length 1; without a direction, the first axis."""
    exact = numbers.astype(np.float64)
    length = float(np.linalg.norm(exact))
    if not np.isfinite(length) or length == 0.0:
        exact, length = np.eye(1, len(exact))[0], 1.0
    return (exact / length).astype(_STORED_TYPE).tobytes()
