"""The physics of an antipodal grasp: friction cone, squeeze, outcome.

The object is called the cube. Both jaws press along the horizontal; friction alone carries its weight.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

GRAVITY_M_S2 = 9.81  # MuJoCo's default, and the lesson's


def cone_ratio(mu: float, normal_forces_N: ArrayLike, mass_kg: float, gravity_m_s2: float = GRAVITY_M_S2) -> float:
    """Friction's reserve, mu (N1 + N2) / (m g): below 1 the cube slides out of the jaws.

    Source: Lynch & Park, Modern Robotics, chapter 12; lesson 16, step 1.
    """
    return float(mu * np.sum(normal_forces_N) / (mass_kg * gravity_m_s2))


def max_mass(mu: float, normal_forces_N: ArrayLike, gravity_m_s2: float = GRAVITY_M_S2) -> float:
    """The heaviest cube, in kg, that friction holds at rest under these normal forces (lesson 16, step 1)."""
    return float(mu * np.sum(normal_forces_N) / gravity_m_s2)


def cone_use(force_N: ArrayLike, mu: ArrayLike) -> np.ndarray:
    """The used part of the friction cone, |tangential| / (mu normal); at 1 a contact is about to slide.

    `force_N` has shape (..., 3), in the contact frame: normal, tangent 1, tangent 2, the order of `mj_contactForce`.
    `mu` has shape (...). Normal forces must be positive. Source: lesson 16, step 2.
    """
    force_N = np.asarray(force_N, dtype=float)
    return np.hypot(force_N[..., 1], force_N[..., 2]) / (np.asarray(mu) * force_N[..., 0])


def squeeze_from_cap(cap_Nm: float, lever_arm_m: float) -> float:
    """N1 + N2 in newtons of a jaw stalled at its torque cap: cap / arm, which the other jaw answers in full.

    Source: lesson 16, step 3.
    """
    return 2 * cap_Nm / lever_arm_m


def lift_acceleration(lift_m: float, lift_s: float) -> float:
    """Largest upward acceleration in m/s^2 of a minimum-jerk lift or descent: 10 / sqrt(3) times distance over time squared.

    It is the largest second derivative of 10 u^3 - 15 u^4 + 6 u^5, at u = 1/2 - 1/sqrt(12).
    """
    return 10 / math.sqrt(3) * abs(lift_m) / lift_s**2


def outcome(lift_m: float, touches_both: bool, closed: bool, min_lift_m: float, inside: bool = False) -> str:
    """How a pick ended: "held", or "not closed" or "dropped" by whether the grip had formed (lesson 16, step 5); "jaws inside"
    of one whose jaws were too deep `inside` the cube to say any of these.
    """
    if inside:
        return "jaws inside"
    if lift_m >= min_lift_m and touches_both:
        return "held"
    return "dropped" if closed else "not closed"
