"""The parameters that a contact really has, after MuJoCo's own rules.

Of two geoms the one with the higher priority decides alone; at equal priority friction and condim are the larger ones, and
solref and solimp are averaged (direct solref: the smaller ones). Margins are added. So they stand in mjContact, friction at
least 1e-5. The solver then brings solimp into its range, raises a positive time constant of solref to two timesteps and takes
the default where one number of solref is positive and the other is not, which shows in its rows alone (MuJoCo documentation,
Modeling, Contact parameters and Solver parameters).
"""

import math

import mujoco
import numpy as np

LOW, HIGH = mujoco.mjMINIMP, mujoco.mjMAXIMP
SOLIMP_RANGE = ([LOW, LOW, 0, LOW, 1], [HIGH, HIGH, math.inf, HIGH, math.inf])


def effective(data: mujoco.MjData, index: int) -> dict | None:
    """Friction (5,), condim, solref (2,), solimp (5,) and margin in metres with which contact `index` acts in the solver.

    friction: two sliding, torsional in m, two rolling in m. solref: time constant in s and damping ratio, or, neither above
    0, -stiffness and -damping. None where the contact takes no part in the solver, for want of memory for example.
    """
    contact = data.contact[index]
    if contact.efc_address < 0:
        return None
    solimp, direct = np.clip(contact.solimp, *SOLIMP_RANGE), not np.any(contact.solref > 0)
    return {
        "friction": contact.friction.tolist(),
        "condim": int(contact.dim),
        "solref": _solref(data.efc_KBIP[contact.efc_address], solimp[1], direct=direct),
        "solimp": solimp.tolist(),
        "margin_m": float(contact.includemargin),
    }


def _solref(kbip: np.ndarray, dmax: float, direct: bool) -> list[float]:
    """solref out of the stiffness k and damping b of a constraint row, to 12 digits; what is below them is rounding.

    k = 1 / (dmax timeconst dampratio)^2 and b = 2 / (dmax timeconst), or, direct, k = stiffness / dmax^2 and b = damping / dmax
    (MuJoCo documentation, Modeling, Solver parameters).
    """
    k, b = kbip[:2]
    if direct:
        solref = 0 - k * dmax**2, 0 - b * dmax  # so that no damping is 0 and not -0
    else:
        timeconst_s = 2 / (dmax * b)
        solref = timeconst_s, 1 / (dmax * timeconst_s * math.sqrt(k))
    return [float(f"{value:.12g}") for value in solref]
