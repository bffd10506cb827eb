"""Success rates, their uncertainty, and whether two of them differ."""

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


def mcnemar(gained: int, lost: int) -> float:
    """McNemar's exact test of paired tries: the probability of a split as uneven as this one, or more, if both ways are alike.

    Of the tries that end differently in the two ways, `gained` succeed in the one alone and `lost` in the other alone. If
    neither way is better, each of these is a fair coin: p = 2 sum_(i <= min) C(gained + lost, i) / 2^(gained + lost), up to 1.
    Source: Q. McNemar, Note on the sampling error of the difference between correlated proportions or percentages (1947); exact
    for few pairs, as in A. Agresti, Categorical Data Analysis, on models for matched pairs.
    Raises ValueError for a negative number.
    """
    if min(gained, lost) < 0:
        raise ValueError(f"mcnemar: {gained} gained and {lost} lost; allowed: 0 or more")
    tail = sum(math.comb(gained + lost, i) for i in range(min(gained, lost) + 1))
    return min(1.0, 2 * tail / 2 ** (gained + lost))


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None, or None where there are none: the tries whose jaw closed."""
    happened = [value for value in values if value is not None]
    return math.fsum(happened) / len(happened) if happened else None


def band(values: Iterable[float | None]) -> tuple[float, float] | None:
    """The lowest and the highest of the values that are not None, or None where there are none."""
    happened = [value for value in values if value is not None]
    return (min(happened), max(happened)) if happened else None
