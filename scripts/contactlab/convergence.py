"""Does a number converge as the timestep goes to 0, how fast, and to what: Richardson extrapolation, Grid Convergence Index.

A number f that depends on the timestep h as f(0) + C h^p has the order p. Three timesteps give p, f(0) and the distance of the
finest number from f(0); that distance times a factor of safety is the Grid Convergence Index.
Sources: P. J. Roache, Perspective: a method for uniform reporting of grid refinement studies, J. Fluids Eng. 116, 405 (1994);
I. B. Celik et al., Procedure for estimation and reporting of uncertainty due to discretization in CFD applications, J. Fluids
Eng. 130, 078001 (2008).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

CONVERGES, SAME = "converges", "same at all timesteps"
OSCILLATES, DIVERGES, UNSETTLED, NOISE, TOO_FEW = "oscillates", "diverges", "unsettled", "noise", "too few timesteps"

SAFETY = 1.25  # Roache's factor where three or more timesteps give the order
ROUNDING = 1e-12  # of a number: differences that the rounding of some thousand steps makes
LARGEST_ORDER = 20.0  # beyond that of any integrator: what seems to converge so fast has jumped at the coarsest timestep


@dataclass(frozen=True)
class Convergence:
    """What a number does as the timestep goes to 0.

    verdict: CONVERGES, or why there is no value at 0: SAME; OSCILLATES, the finest two differences have other signs; DIVERGES,
        they grow; UNSETTLED, the finest three converge and the next do not, or faster than anything does; NOISE, a difference
        is no larger than the noise; TOO_FEW
    order: the observed order of the finest three; coarser_order: that of the next three, None without a fourth timestep
    value_at_0, index: the value extrapolated to 0, and the Grid Convergence Index of the finest number, in the number's unit
    """

    verdict: str
    order: float | None = None
    coarser_order: float | None = None
    value_at_0: float | None = None
    index: float | None = None


def study(timesteps_s: Sequence[float], values: Sequence[float], noise: float = 0.0) -> Convergence:
    """Study numbers (n,) at n timesteps, in any order; the refinement ratios may differ.

    `noise` is how far two numbers may be apart for reasons that have nothing to do with the timestep, in their unit.
    Raises ValueError for two numbers at one timestep, and for a timestep that is not above 0.
    """
    if len(set(timesteps_s)) < len(timesteps_s) or min(timesteps_s, default=1.0) <= 0:
        raise ValueError(f"timesteps {list(timesteps_s)}: allowed is each once, above 0")
    pairs = sorted(zip(timesteps_s, values, strict=True))
    h, f = [timestep_s for timestep_s, _ in pairs], [value for _, value in pairs]
    if len(h) < 3:
        return Convergence(TOO_FEW)
    if len(set(f)) == 1:
        return Convergence(SAME)
    noise = max(noise, ROUNDING * max(map(abs, f)))
    verdict, order = _of_three(h[:3], f[:3], noise)
    next_verdict, coarser = _of_three(h[1:4], f[1:4], noise) if len(h) > 3 else (CONVERGES, None)
    if verdict != CONVERGES:
        return Convergence(verdict, order, coarser)
    if next_verdict != CONVERGES:
        return Convergence(UNSETTLED, order, coarser)
    step = (f[0] - f[1]) / math.expm1(order * math.log(h[1] / h[0]))
    return Convergence(CONVERGES, order, coarser, f[0] + step, SAFETY * abs(step))


def _of_three(h: list[float], f: list[float], noise: float) -> tuple[str, float | None]:
    """The verdict on three numbers, the finest first, and their order."""
    finer, coarser = f[1] - f[0], f[2] - f[1]
    if min(abs(finer), abs(coarser)) <= noise:
        return NOISE, None
    if coarser / finer < 0:
        return OSCILLATES, None
    order = observed_order(h, coarser / finer)
    return (DIVERGES if order <= 0 else CONVERGES if order < LARGEST_ORDER else UNSETTLED), order


def observed_order(timesteps_s: Sequence[float], ratio: float) -> float:
    """The order p of three numbers f(0) + C h^p at growing timesteps h, from the coarser difference over the finer one.

    That is (h3^p - h2^p) / (h2^p - h1^p), which grows with p, so that one p fits; bisected between -LARGEST_ORDER and that.
    The fixed point of Celik et al., equation 3, is the same p where it is above 0.
    """
    first, second = (math.log(later / earlier) for earlier, later in pairwise(timesteps_s))
    low, high = -LARGEST_ORDER, LARGEST_ORDER
    while (order := (low + high) / 2) not in (low, high):
        found = second / first if order == 0 else math.expm1(second * order) / -math.expm1(-first * order)
        low, high = (order, high) if found < ratio else (low, order)
    return order
