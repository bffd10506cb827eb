"""The steppers against closed forms of the linear oscillator and of free fall."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contactlab import steppers
from contactlab.drop import Scene

OMEGA = 2 * math.pi
STABLE = st.floats(1e-3, 1.999)
ANY = st.floats(1e-3, 5)


def energy_ratio(stepper, h_omega: float, steps: int) -> float:
    x, v = steppers.trajectory(stepper, steppers.spring(OMEGA), 0.1, h_omega / OMEGA, steps)
    energy = steppers.energy(x, v, OMEGA)
    return energy[-1] / energy[0]


@given(ANY)
def test_explicit_euler_multiplies_the_energy_in_every_step(h_omega):
    ratio = energy_ratio(steppers.explicit_euler, h_omega, 20)
    assert ratio == pytest.approx((1 + h_omega**2) ** 20, rel=1e-9)
    assert ratio == pytest.approx(steppers.explicit_euler_energy_ratio(h_omega, 20), rel=1e-9)


@given(ANY)
def test_explicit_euler_grows_at_every_timestep(h_omega):
    growth = steppers.growth(steppers.explicit_euler, steppers.spring(OMEGA), h_omega / OMEGA)
    assert growth == pytest.approx(math.sqrt(1 + h_omega**2))


@given(STABLE)
def test_semi_implicit_euler_is_neutral_below_two(h_omega):
    growth = steppers.growth(steppers.semi_implicit_euler, steppers.spring(OMEGA), h_omega / OMEGA)
    assert growth == pytest.approx(1, abs=1e-7)


@given(st.floats(2.001, 10))
def test_semi_implicit_euler_explodes_beyond_two(h_omega):
    """The step's matrix has determinant 1 and trace 2 - (h omega)^2."""
    half_trace = 1 - h_omega**2 / 2
    expected = -half_trace + math.sqrt(half_trace**2 - 1)
    growth = steppers.growth(steppers.semi_implicit_euler, steppers.spring(OMEGA), h_omega / OMEGA)
    assert growth == pytest.approx(expected, rel=1e-6)


@given(ANY)
def test_rk4_is_the_exponential_series_to_fourth_order(h_omega):
    z = 1j * h_omega
    expected = abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24)
    assert steppers.growth(steppers.rk4, steppers.spring(OMEGA), h_omega / OMEGA) == pytest.approx(expected, rel=1e-9)


@given(st.floats(0.001, 2), st.floats(0.1, 50))
def test_implicit_damping_of_a_free_mass(h, damping):
    """With a = -c v held implicitly, v' = v / (1 + h c): it decays at every timestep, where explicit damping explodes."""
    x, v = steppers.semi_implicit_euler(np.array(0.0), np.array(1.0), lambda x, v: -damping * v, h, damping)
    assert v == pytest.approx(1 / (1 + h * damping))
    assert x == pytest.approx(h / (1 + h * damping))


def test_implicit_damping_moves_the_stability_limit():
    k, c, h = 1.0, 30.0, 0.1
    explicit = steppers.growth(steppers.semi_implicit_euler, lambda x, v: -k * x - c * v, h)
    implicit = steppers.growth(steppers.semi_implicit_euler, lambda x, v: -k * x - c * v, h, implicit_damping=c)
    assert explicit > 1 > implicit


@pytest.mark.parametrize(("name", "order"), [("explicit_euler", 1), ("semi_implicit_euler", 1), ("rk4", 4)])
def test_order_of_convergence(name, order):
    """Halving the timestep divides the error after a quarter of a period by 2^order."""
    errors = []
    for steps in (200, 400):
        x, _ = steppers.trajectory(steppers.STEPPERS[name], steppers.spring(OMEGA), 1.0, 0.2 / steps, steps)
        errors.append(abs(x[-1] - math.cos(OMEGA * 0.2)))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.05)


@pytest.mark.parametrize("stepper", steppers.STEPPERS.values())
def test_arrays_of_states_move_as_each_state_does(stepper):
    rng = np.random.default_rng(0)
    x, v, h = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.uniform(0.01, 0.1, size=(3, 4))
    together = stepper(x, v, steppers.spring(OMEGA), h)
    for index in np.ndindex(x.shape):
        alone = stepper(x[index], v[index], steppers.spring(OMEGA), h[index])
        assert [series[index] for series in together] == list(alone)


LENGTHS = {"top_m": 0.3, "bottom_m": 0.29, "half_width_m": 0.12, "half_edge_m": 0.025, "half_m": 0.025, "start_m": 1.3}
SCENE = Scene(**LENGTHS, reach_m=LENGTHS["half_m"], margin_m=0, gravity=9.81)


@given(st.floats(1e-4, 0.06))
def test_first_overlap_lies_on_the_discrete_parabola(h):
    """Semi-implicit free fall is z0 - g h^2 n (n + 1) / 2 after n steps."""
    heights = SCENE.start_m - SCENE.gravity * h**2 * np.arange(1, 10 / h) * np.arange(2, 1 + 10 / h) / 2
    inside = heights[(heights - SCENE.half_m < SCENE.top_m) & (heights + SCENE.half_m > SCENE.bottom_m)]
    found = steppers.first_overlap(SCENE, np.array([h]))[0]
    if inside.size:
        assert found == pytest.approx(inside[0], abs=1e-9)
    else:
        assert math.isnan(found)
