"""Samples of one measure over a run, and the number that they come to."""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

REDUCE = {
    "largest": max,
    "smallest": min,
    "mean": statistics.fmean,
    "spread": lambda values: max(values) - min(values),
}


@dataclass
class Samples:
    """The samples of a run and how they are reduced: `at` start, end, a time in s or a word of REDUCE, over a window in s.

    of_state: there is one of the start too; else the first is that of the first step
    first_time: not the samples count but when the first one is that holds
    """

    at: str | float
    from_s: float
    to_s: float
    of_state: bool
    first_time: bool
    values: list = field(default_factory=list)

    def reduced(self, times_s: Sequence[float], timestep_s: float) -> object:
        """The number, or the list, that the samples come to; None without one. times_s: from the start on."""
        times_s, slack_s = times_s if self.of_state else times_s[1:], timestep_s / 2
        if self.at == "start":
            return self.values[0]
        if isinstance(self.at, int | float):
            return self.values[min(bisect_left(times_s, self.at - slack_s), len(self.values) - 1)]
        window = slice(bisect_left(times_s, self.from_s - slack_s), bisect_right(times_s, self.to_s + slack_s))
        values = self.values[window]
        if self.first_time:
            return next((now_s for now_s, holds in zip(times_s[window], values, strict=True) if holds), None)
        if self.at == "end":
            return values[-1] if values else None
        known = [value for value in values if value is not None]
        return REDUCE[self.at](known) if known else None
