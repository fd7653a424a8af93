"""How many threads recognition uses when nothing is set.

Threads beyond the cores that this process may use make recognisers many times slower, and beyond
four they gain little. A container's CPU quota counts, which the number of cores does not show.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

_MOST = 4
_CGROUP_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def default_threads() -> int:
    """Return a number of threads that this process has cores for, at most four."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return max(1, min(_MOST, cores, _quota_cores(_CGROUP_QUOTA)))


def _quota_cores(path: Path) -> int:
    """Return the quota of the control group in whole cores; many where there is none."""
    try:
        quota, period = path.read_text("ascii").split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError):  # no control group, or "max"
        return _MOST
