"""Convergence over timesteps: series of known order, a published example, MuJoCo's integrators on a pendulum."""

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from contactlab import convergence

TIMESTEPS = st.lists(st.floats(1.3, 2.0), min_size=2, max_size=4).map(lambda ratios: 1e-3 * np.cumprod([1, *ratios]))


@given(TIMESTEPS, st.floats(0.5, 4), st.floats(-10, 10), st.floats(0.5, 2), st.sampled_from([-1, 1]))
def test_a_series_of_known_order_gives_its_order_and_its_limit(h, order, limit, size, sign):
    """At refinement ratios that differ, in any order of timesteps."""
    values = limit + sign * size * (h / h[-1]) ** order
    least = abs(values[1] - values[0])
    found = convergence.study(h[::-1], values[::-1])
    assert found.verdict == "converges"
    assert found.order == pytest.approx(order, rel=1e-3)
    assert found.value_at_0 == pytest.approx(limit, abs=1e-3 * least + 1e-9)
    assert found.index == pytest.approx(1.25 * abs(values[0] - limit), rel=1e-2)
    assert (found.coarser_order is None) == (len(h) == 3)


def test_the_example_of_nasas_tutorial():
    """NPARC Alliance, Examining Spatial (Grid) Convergence: order 1.786, extrapolated 0.97130, index 0.10308 %."""
    found = convergence.study([1, 2, 4], [0.97050, 0.96854, 0.96178])
    assert found.order == pytest.approx(1.786, abs=5e-4)
    assert found.value_at_0 == pytest.approx(0.97130, abs=5e-6)
    assert found.index / 0.97050 == pytest.approx(0.0010308, abs=5e-8)


def test_the_example_of_celik_and_others():
    """Table 1 of their paper, dimensionless reattachment length: order 1.53, extrapolated 6.1685, index 2.2 %."""
    sizes = [1 / np.sqrt(cells) for cells in (18_000, 8_000, 4_500)]
    found = convergence.study(sizes, [6.063, 5.972, 5.863])
    assert found.order == pytest.approx(1.53, abs=0.005)
    assert found.value_at_0 == pytest.approx(6.1685, abs=5e-5)
    assert found.index / 6.063 == pytest.approx(0.022, abs=5e-4)


@pytest.mark.parametrize(
    ("values", "noise", "verdict"),
    [
        ([1.0, 1.1, 1.3, 1.7], 0.0, "converges"),
        ([1.0, 1.1, 1.0, 1.4], 0.0, "oscillates"),
        ([1.0, 1.2, 1.3, 1.35], 0.0, "diverges"),
        ([1.0, 1.1, 1.2, 1.3], 0.0, "diverges"),  # as a logarithm does: of order 0
        ([1.0, 1.1, 1.3, 1.2], 0.0, "unsettled"),  # the coarser three turn round
        ([1.0, 1.0 + 1e-9, 2.0, 3.0], 0.0, "unsettled"),  # a jump, and no order
        ([1.0, 1.1, 1.3, 1.7], 0.15, "noise"),
        ([1.0, 1.0 + 1e-15, 1.0 + 4e-15, 1.0], 0.0, "noise"),
        ([0.7, 0.7, 0.7, 0.7], 0.0, "same at all timesteps"),
        ([1.0, 1.1], 0.0, "too few timesteps"),
        ([], 0.0, "too few timesteps"),
    ],
)
def test_what_does_not_converge_is_told_and_has_no_value_at_0(values, noise, verdict):
    found = convergence.study([0.001, 0.002, 0.004, 0.008][: len(values)], values, noise)
    assert found.verdict == verdict
    assert (found.value_at_0 is None) == (verdict != "converges") == (found.index is None)


@pytest.mark.parametrize("timesteps", [[0.001, 0.001, 0.002], [0.0, 0.001, 0.002], [-0.001, 0.001]])
def test_timesteps_are_above_0_and_each_stands_once(timesteps):
    with pytest.raises(ValueError, match="allowed is each once, above 0"):
        convergence.study(timesteps, timesteps)


PENDULUM = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body><joint type="hinge" axis="0 1 0"/>
<geom type="sphere" size="0.01" pos="0 0 -0.5" mass="1"/></body></worldbody></mujoco>"""


def swung(integrator: str, timestep_s: float) -> float:
    """The angle in rad of a pendulum after 1 s from 1 rad."""
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    model.opt.integrator, model.opt.timestep = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"), timestep_s
    data = mujoco.MjData(model)
    data.qpos[0] = 1.0
    for _ in range(round(1 / timestep_s)):
        mujoco.mj_step(model, data)
    return float(data.qpos[0])


@pytest.mark.parametrize(
    ("integrator", "timesteps", "order", "near"),
    [("EULER", [1 / 4000, 1 / 2000, 1 / 800, 1 / 400], 1, 1e-4), ("RK4", [1 / 80, 1 / 40, 1 / 32, 1 / 20], 4, 1e-6)],
)
def test_the_order_of_mujocos_integrators_on_a_pendulum(integrator, timesteps, order, near):
    """The value at 0 is that of SciPy's integration of g sin(angle) m l / (m l² + the sphere's 2/5 m r²)."""
    inertia = 0.5**2 + 0.4 * 0.01**2
    solved = solve_ivp(lambda t, y: [y[1], -9.81 * 0.5 / inertia * np.sin(y[0])], (0, 1), [1.0, 0.0], rtol=1e-12, atol=1e-12)
    found = convergence.study(timesteps, [swung(integrator, timestep_s) for timestep_s in timesteps])
    assert found.verdict == "converges"
    assert found.order == pytest.approx(order, abs=0.15)
    assert abs(found.value_at_0 - solved.y[0, -1]) < min(near, found.index)
