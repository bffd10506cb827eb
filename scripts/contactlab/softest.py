"""The softest contact that still keeps a falling cube: the largest time constant of solref, found by a scan and a bisection.

A bisection alone would believe that softer is always worse. The scan says whether it is.
"""

from collections.abc import Callable

import mujoco
import numpy as np

from contactlab import drop
from contactlab.contacts import subtree_geoms
from contactlab.limit import TIMED_OUT

# From the floor of two of the shortest timesteps, in steps of 8 %, to contacts that hold nothing; then steps of 0.5 % around.
COARSE_S = [float(f"{value:.6g}") for value in np.geomspace(0.001, 0.1, 61)]
FINE = np.linspace(0.92, 1.08, 33).round(3).tolist()
TOLERANCE_S = 1e-6
IMPACT = ("first_overlap_centre_m", "middle_m", "side", "outcome", "failure_mode")  # of the stiffest contact
ENDED = ("outcome", "failure_mode")
COUNTS = ("solved_steps", "at_iterations", "at_line_search")  # of the solver, over all that were tried


def bisect(keeps: Callable[[float], bool], kept_s: float, passed_s: float) -> float:
    """The largest time constant that keeps the cube between one that does and one that does not, to TOLERANCE_S below."""
    while passed_s - kept_s > TOLERANCE_S:
        middle_s = (kept_s + passed_s) / 2
        kept_s, passed_s = (middle_s, passed_s) if keeps(middle_s) else (kept_s, middle_s)
    return kept_s


def search(keeps: Callable[[float], bool]) -> dict:
    """Which time constants keep the cube.

    softest_s: the largest that keeps it, bisected; None where none keeps it, or all that are tried do
    monotone: whether every tried one below one that keeps it keeps it too
    reliable_s: the largest tried up to which all keep it; None where the stiffest does not
    kept, tried: how many keep it, of how many in the coarse and the fine scan
    """
    found = {value: keeps(value) for value in COARSE_S}
    if any(found.values()):
        softest_s = max(value for value, kept in found.items() if kept)
        found |= {value: keeps(value) for value in (softest_s * factor for factor in FINE)}
    values = sorted(found)
    kept = [found[value] for value in values]
    count, reliable = sum(kept), [*kept, False].index(False)
    last = max((index for index, one in enumerate(kept) if one), default=len(kept) - 1)
    return {
        "softest_s": bisect(keeps, *values[last : last + 2]) if last + 1 < len(values) else None,
        "monotone": reliable == count,
        "reliable_s": values[reliable - 1] if reliable else None,
        "kept": count,
        "tried": len(values),
    }


def softest(model: mujoco.MjModel, dt_ms: float, integrator: str, duration_s: float, **motion: float) -> dict:
    """`search` over drops of a scene whose cube and table take each time constant, and how the cube first overlaps the table.

    The damping ratio is the scene's. What happens before the first contact is the same for every time constant. The solver's
    steps, and those in which it stopped at a limit of its own, are counted over all drops of the search.

    Raises ValueError for a scene without a damping ratio, whose solref is a stiffness and a damping.
    """
    geoms, counts = [model.geom("table").id, *subtree_geoms(model, "cube")], dict.fromkeys(COUNTS, 0)
    for solref in model.geom_solref[geoms].tolist():
        if solref[1] <= 0:
            raise ValueError(f"solref is {solref}, without a damping ratio; allowed: a time constant and a damping ratio")

    def fall(timeconst_s: float) -> dict:
        model.geom_solref[geoms, 0] = timeconst_s
        result = drop.run(model, dt_ms, integrator, duration_s, **motion)
        counts.update({name: counts[name] + result[name] for name in COUNTS})
        return result

    found = search(lambda timeconst_s: fall(timeconst_s)["outcome"] == "kept")
    seen = fall(COARSE_S[0])
    return found | _floor(dt_ms) | {f"stiffest_{name}": seen[name] for name in IMPACT} | counts


def timed_out(dt_ms: float) -> dict:
    """What `softest` gives of a search that was ended before its time."""
    unknown = dict.fromkeys(("softest_s", "monotone", "reliable_s", "kept", "tried"))
    stiffest = {f"stiffest_{name}": TIMED_OUT if name in ENDED else None for name in IMPACT}
    return unknown | _floor(dt_ms) | stiffest | dict.fromkeys(COUNTS)


def _floor(dt_ms: float) -> dict:
    return {"floor_s": 2 * dt_ms / 1000}
