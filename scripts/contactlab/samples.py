"""What samples of controls must be to drive a run; nothing here needs MuJoCo."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

GAP = 1.5  # times the usual distance of two samples, from where on one is missing between them
SLACK = 0.01  # of that distance, by which times may be rounded when they are written


def require_samples(times_s: ArrayLike, names: Sequence[str], values: ArrayLike) -> float:
    """The usual distance of two samples in s, 0 of one alone. times_s: (n,); values: (n, m), a column for each of the names.

    Raises ValueError, in one line that goes on from what the recording is called, where a number is not finite, where times do
    not rise from 0 on, and where there is a gap between two.
    """
    times_s, values = np.asarray(times_s, dtype=float), np.asarray(values, dtype=float)
    if times_s.ndim != 1 or not len(times_s) or values.shape != (len(times_s), len(names)):
        found = f"{times_s.shape} times and {values.shape} values of {len(names)} actuators"
        raise ValueError(f"which has {found}; allowed: a number for each time and actuator")
    for name, column in (("time_s", times_s), *zip(names, values.T, strict=True)):
        for sample in np.flatnonzero(~np.isfinite(column)):
            raise ValueError(f"where {name} is {column[sample]} in sample {sample}; allowed: a finite number")
    return _require_times(times_s)


def _require_times(times_s: np.ndarray) -> float:
    apart_s = np.diff(times_s)
    usual_s = float(np.median(apart_s)) if len(apart_s) else 0.0
    if abs(times_s[0]) > SLACK * usual_s:
        raise ValueError(f"which begins at {times_s[0]} s; allowed: a first sample at 0 s")
    for sample in np.flatnonzero(apart_s <= 0):
        raise ValueError(f"where {times_s[sample + 1]} s follows {times_s[sample]} s; allowed: times that rise")
    for sample in np.flatnonzero(apart_s > GAP * usual_s):
        gap = f"from {times_s[sample]} s to {times_s[sample + 1]} s"
        raise ValueError(f"which has a gap {gap}; allowed: a sample about every {usual_s:.6g} s")
    return usual_s
