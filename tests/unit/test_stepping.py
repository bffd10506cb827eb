"""The steppers beside MuJoCo's own integrators."""

import math

import mujoco
import pytest

from contactlab import stepping
from contactlab.spring_scene import spring_mjcf


@pytest.fixture(scope="module")
def spring() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(spring_mjcf(1))


def test_the_spring_has_the_frequency_that_was_asked_for(spring):
    assert stepping.omega_of(spring) == pytest.approx(2 * math.pi, rel=1e-15)
    x, _ = stepping.mujoco_trajectory(spring, "RK4", x0=0.1, h=0.001, steps=1000)
    assert x[-1] == pytest.approx(0.1, abs=1e-9)


def test_trajectories_agree_to_the_published_bounds(spring):
    """Lesson 02, step 1: 5.6e-17 and 4.8e-16 m, a few roundings of the amplitude."""
    bounds = {"semi_implicit_euler": 5.6e-17, "rk4": 4.8e-16}
    rows = stepping.stepper_rows(spring, timestep_ms=10, steps=500, amplitude_m=0.1)
    assert {row["stepper"] for row in rows} == set(bounds)
    for row in rows:
        assert row["max_abs_position_error_m"] <= bounds[row["stepper"]]


@pytest.mark.parametrize("h_omega", [0.5, 1.0, 1.9, 2.1, 2.8, 2.9])
def test_mujoco_grows_as_theory_says(spring, h_omega):
    z = 1j * h_omega
    half_trace = 1 - h_omega**2 / 2
    expected = {
        "Euler": max(1.0, -half_trace + math.sqrt(max(0.0, half_trace**2 - 1))),
        "RK4": abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24),
    }
    for integrator, growth in expected.items():
        measured = stepping.mujoco_growth(spring, integrator, h_omega / stepping.omega_of(spring))
        assert measured == pytest.approx(growth, rel=1e-7)


def test_rk4_in_two_halves_is_euler(spring):
    [row] = stepping.split_rows(spring, timestep_ms=10, steps=500, amplitude_m=0.1, tolerance_m=1e-12)
    assert row["matches_stepper"] == "semi_implicit_euler"
    assert row["bitwise_integrator_Euler"]


def test_whole_rk4_is_not_euler(spring):
    """The comparison can tell the two apart: RK4 in one call is far from every Euler step."""
    whole, _ = stepping.mujoco_trajectory(spring, "RK4", 0.1, 0.01, 500)
    split, _ = stepping.mujoco_trajectory(spring, "RK4", 0.1, 0.01, 500, split=True)
    assert abs(whole - split).max() > 1e-3
