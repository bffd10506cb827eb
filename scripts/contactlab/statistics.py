"""Success rates and their uncertainty."""

import math
from collections.abc import Iterable


def wilson(successes: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's score interval (low, high) of a success rate, for `successes` out of `n` tries.

    `z` is the normal quantile of the confidence level; 1.96 stands for 95 % in lesson 16, step 5.
    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference (1927).
    Raises ValueError unless n >= 1 and 0 <= successes <= n.
    """
    if not (n >= 1 and 0 <= successes <= n):
        raise ValueError(f"wilson: {successes} of {n} is no success rate; allowed is 0 <= successes <= n, n >= 1")
    rate, spread = successes / n, z * z / n
    centre = rate + spread / 2
    half = math.sqrt(spread * rate * (1 - rate) + spread * spread / 4)
    return max(0.0, (centre - half) / (1 + spread)), min(1.0, (centre + half) / (1 + spread))


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None, or None where there are none: the tries whose jaw closed."""
    happened = [value for value in values if value is not None]
    return math.fsum(happened) / len(happened) if happened else None


def band(values: Iterable[float | None]) -> tuple[float, float] | None:
    """The lowest and the highest of the values that are not None, or None where there are none."""
    happened = [value for value in values if value is not None]
    return (min(happened), max(happened)) if happened else None
