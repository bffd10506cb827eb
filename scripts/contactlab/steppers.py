"""Three ways to take a timestep, written for arrays of states (lesson 02, steps 1 to 4).

Position x and velocity v have any shape; a timestep h, in s, broadcasts against them. The test bench is a mass of 1 kg on a
spring, a = -omega^2 x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # importing it would import mujoco, which nothing here needs
    from contactlab.drop import Scene

Array = np.ndarray
Acceleration = Callable[[Array, Array], Array]


def explicit_euler(x: Array, v: Array, acceleration: Acceleration, h: float | Array) -> tuple[Array, Array]:
    """Move with the velocity before the step. MuJoCo has no such integrator."""
    return x + h * v, v + h * acceleration(x, v)


def semi_implicit_euler(
    x: Array, v: Array, acceleration: Acceleration, h: float | Array, implicit_damping: float = 0.0
) -> tuple[Array, Array]:
    """Move with the velocity after the step, as MuJoCo's Euler does.

    `implicit_damping` is a damping coefficient per unit of inertia, in 1/s, that `acceleration` holds at the old velocity and
    that is to act at the new one: (1 + h c)(v' - v) = h a (MuJoCo documentation, Computation, Numerical integration).
    """
    v = v + h * acceleration(x, v) / (1 + h * implicit_damping)
    return x + h * v, v


def rk4(x: Array, v: Array, acceleration: Acceleration, h: float | Array) -> tuple[Array, Array]:
    """The classic fourth-order Runge-Kutta step: four accelerations, weighted 1, 2, 2, 1."""

    def slope(state: Array) -> Array:
        return np.stack([state[1], acceleration(state[0], state[1])])

    state = np.stack(np.broadcast_arrays(x, v, subok=False)) + np.zeros(np.shape(h))
    first = slope(state)
    second = slope(state + h / 2 * first)
    third = slope(state + h / 2 * second)
    fourth = slope(state + h * third)
    x, v = state + h / 6 * (first + 2 * second + 2 * third + fourth)
    return x, v


STEPPERS = {"explicit_euler": explicit_euler, "semi_implicit_euler": semi_implicit_euler, "rk4": rk4}


def spring(omega: float) -> Acceleration:
    """a = -omega^2 x, omega in rad/s."""
    return lambda x, v: -(omega**2) * x


def trajectory(stepper, acceleration: Acceleration, x0: float, h: float | Array, steps: int) -> tuple[Array, Array]:
    """Positions and velocities from rest at `x0`, both of shape (steps + 1, *h.shape), the start included."""
    x = np.full(np.shape(h), float(x0))
    states = [(x, np.zeros_like(x))]
    for _ in range(steps):
        states.append(stepper(*states[-1], acceleration, h))
    x, v = np.array(states).swapaxes(0, 1)
    return x, v


def energy(x: Array, v: Array, omega: float) -> Array:
    """Energy per unit of mass of the spring, v^2/2 + omega^2 x^2/2, in J/kg."""
    return v**2 / 2 + omega**2 * x**2 / 2


def explicit_euler_energy_ratio(h_omega: float | Array, steps: int) -> float | Array:
    """Closed form: explicit Euler multiplies a spring's energy by 1 + (h omega)^2 in every step."""
    return (1 + h_omega**2) ** steps


def growth(stepper, acceleration: Acceleration, h: float | Array, **options) -> Array:
    """Growth per step of a linear motion: the largest |eigenvalue| of the step's 2 x 2 matrix, of shape `h.shape`.

    The matrix's columns are the step applied to (x, v) = (1, 0) and (0, 1). Above 1 every step amplifies the motion.
    """
    h = np.asarray(h, float)
    unit = np.eye(2).reshape(2, 2, *[1] * h.ndim) + np.zeros(h.shape)
    step = np.array(stepper(unit[0], unit[1], acceleration, h, **options))  # (x or v, column, *h.shape)
    return np.abs(np.linalg.eigvals(np.moveaxis(step, (0, 1), (-2, -1)))).max(axis=-1)


def first_overlap(scene: Scene, h: Array) -> Array:
    """Centre height in m at the first step of free fall that overlaps the table, for each timestep in `h`; nan without one.

    No contact acts before the first overlap, so MuJoCo's Euler falls in exactly this way.
    """
    h = np.asarray(h, float)
    z, v = np.full(h.shape, scene.start_m), np.zeros(h.shape)
    first = np.full(h.shape, np.nan)
    while (z + scene.half_m > scene.bottom_m).any():
        z, v = semi_implicit_euler(z, v, lambda z, v: -scene.gravity, h)
        first = np.where(np.isnan(first) & scene.overlaps(z), z, first)
    return first
