"""Friction-cone arithmetic against printed numbers, and the jaws' contact forces against statics and mj_contactForce."""

import mujoco
import numpy as np
import pytest

from contactlab.grasp import cone_ratio, cone_use, max_mass, outcome, squeeze_from_cap
from contactlab.jaws import JawSensor
from contactlab.task import Robot

# Lesson 16, tables A, B and C: mu, mass in kg, squeeze in N, printed ratio.
PRINTED = {
    "A": [
        (0.02, 0.03, 14.21, 0.97),
        (0.03, 0.03, 12.29, 1.25),
        (0.05, 0.03, 12.74, 2.16),
        (0.1, 0.03, 13.26, 4.51),
        (0.3, 0.03, 14.24, 14.52),
        (1.0, 0.03, 14.91, 50.65),
    ],
    "B": [(0.05, 0.03, 88.93, 15.11), (0.05, 0.03, 27.23, 4.63), (0.05, 0.03, 12.74, 2.16), (0.05, 0.03, 7.04, 1.20)],
    "C": [
        (0.3, 0.03, 14.24, 14.52),
        (0.3, 0.1, 14.95, 4.57),
        (0.3, 0.2, 15.52, 2.37),
        (0.3, 0.3, 15.87, 1.62),
        (0.3, 0.4, 16.25, 1.24),
        (0.3, 0.45, 16.47, 1.12),
        (0.3, 0.5, 16.61, 1.02),
        (0.3, 0.7, 16.90, 0.74),
    ],
}


@pytest.mark.parametrize(("part", "difference"), [("A", "0.01"), ("B", "0.00"), ("C", "0.00")])
def test_published_difference_of_ratios(part, difference):
    worst = max(abs(cone_ratio(mu, [squeeze_N], mass) - ratio) for mu, mass, squeeze_N, ratio in PRINTED[part])
    assert f"{worst:.2f}" == difference


@pytest.mark.parametrize(("mu", "squeeze_N", "printed"), [(0.05, 12.74, "0.065"), (0.3, 16.25, "0.497")])
def test_published_heaviest_mass_has_ratio_one(mu, squeeze_N, printed):
    halves_N = [squeeze_N / 2, squeeze_N / 2]
    assert f"{max_mass(mu, halves_N):.3f}" == printed
    assert cone_ratio(mu, halves_N, max_mass(mu, halves_N)) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("cap_Nm", "arm_m", "low", "ideal", "high"),
    [(1.0, 0.0737, 25.72, 27.13, 28.54), (0.5, 0.0742, 12.07, 13.47, 14.87), (0.3, 0.0744, 6.67, 8.07, 9.47)],
)
def test_published_squeeze_from_cap(cap_Nm, arm_m, low, ideal, high):
    half_digit_m = 5e-5  # the arm is printed to a hundredth of a centimetre
    for torque_Nm, printed_N in ((cap_Nm - 0.052, low), (cap_Nm, ideal), (cap_Nm + 0.052, high)):
        lowest_N, highest_N = (squeeze_from_cap(torque_Nm, arm_m + sign * half_digit_m) for sign in (1, -1))
        assert lowest_N - 0.005 <= printed_N <= highest_N + 0.005


def test_cone_use_is_one_on_the_cone_and_turns_with_the_tangent():
    normal_N, mu = 7.0, 0.3
    for angle_rad in np.linspace(0, 2 * np.pi, 9):
        force_N = [normal_N, mu * normal_N * np.cos(angle_rad), mu * normal_N * np.sin(angle_rad)]
        assert cone_use(force_N, mu) == pytest.approx(1.0, abs=1e-12)
    assert cone_use([[2.0, 0.0, 0.0], [2.0, 0.3, 0.4]], [0.5, 1.0]) == pytest.approx([0.0, 0.25])


@pytest.mark.parametrize("closed", [True, False])
def test_outcome_at_its_boundaries(closed):
    failed = "dropped" if closed else "not closed"
    assert outcome(0.04, True, closed, 0.04) == "held"
    assert outcome(np.nextafter(0.04, 0), True, closed, 0.04) == failed
    assert outcome(0.04, False, closed, 0.04) == failed


CUBE = """
    <body name="cube" pos="0 0 0.1"><freejoint/>
      <geom name="cube" type="box" size=".015 .015 .015" mass="0.05" condim="{condim}" priority="1" friction="0.8 0.03 0.003"/>
    </body>"""
JAWS = """
    <body name="fixed" pos="-0.025 0 0.1"><geom name="fixed" type="box" size=".01 .01 .01"/></body>
    <body name="moving" pos="0.025 0 0.1">
      <joint name="jaw" type="hinge" axis="0 1 0" pos="0 0 -0.08"/>
      <geom name="moving" type="box" size=".01 .01 .01" mass="0.02"/>
    </body>"""


PARTS = Robot(fixed_jaw_body="fixed", moving_jaw_body="moving", jaw_joint="jaw")


def gripped(cube_first: bool, condim: int = 4, torque_Nm: float = -0.4, cone: str = "elliptic"):
    """A cube pressed between a wall and a block on a hinge 8 cm below it, at rest after half a second."""
    bodies = CUBE.format(condim=condim), JAWS
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option cone="{cone}" timestep="0.001" impratio="100"/>
        <worldbody>{"".join(bodies if cube_first else bodies[::-1])}</worldbody>
        <actuator><motor name="jaw" joint="jaw"/></actuator></mujoco>"""
    )
    data = mujoco.MjData(model)
    data.ctrl[:] = torque_Nm
    mujoco.mj_step(model, data, 500)
    mujoco.mj_forward(model, data)
    return model, data


def sensor(model, data):
    return JawSensor(model, data, PARTS)


@pytest.mark.parametrize("cube_first", [True, False])
def test_friction_alone_carries_the_weight_for_either_order_of_geoms(cube_first):
    model, data = gripped(cube_first)
    assert (data.contact.geom[:, 0] == model.geom("cube").id).all() == cube_first
    grip = sensor(model, data).read()
    assert grip.force_N.sum(axis=0) == pytest.approx([0, 0, 0.05 * 9.81], abs=2e-3)
    assert (grip.force_N[grip.moving, 0] < 0).all()  # the moving jaw stands at +x and presses towards -x
    assert (grip.force_N[~grip.moving, 0] > 0).all()


@pytest.mark.parametrize("cube_first", [True, False])
def test_lever_arm_is_what_balances_the_hinge(cube_first):
    model, data = gripped(cube_first)
    summary = sensor(model, data).summary()
    # About the hinge: the motor, the block's own weight beside it, and friction, which the cube's weight loads.
    assert summary["force_fixed_N"] == pytest.approx(summary["force_moving_N"], rel=1e-2)
    assert summary["lever_arm_m"] == pytest.approx(0.08, rel=2e-2)
    assert summary["force_moving_N"] * summary["lever_arm_m"] == pytest.approx(0.4, rel=3e-2)


@pytest.mark.parametrize("cube_first", [True, False])
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_forces_are_those_of_mj_contact_force(cube_first, condim, cone):
    model, data = gripped(cube_first, condim, cone=cone)
    mujoco.mj_resetData(model, data)
    data.ctrl[:] = -0.4
    mujoco.mj_step(model, data, 60)  # soon enough that a frictionless cube is still between the jaws
    grip = sensor(model, data).read()
    assert len(grip.normal_N) == data.ncon > 0
    wrench = np.zeros(6)
    for index, contact in enumerate(data.contact):
        mujoco.mj_contactForce(model, data, index, wrench)
        sign = 1 if contact.geom[1] == model.geom("cube").id else -1
        assert grip.normal_N[index] == pytest.approx(wrench[0], abs=1e-12)
        assert grip.force_N[index] == pytest.approx(sign * contact.frame.reshape(3, 3).T @ wrench[:3], abs=1e-12)


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_touching_means_that_both_jaws_press(cone):
    model, data = gripped(cube_first=True, cone=cone)
    assert sensor(model, data).touches_both()
    data.joint("jaw").qpos = 0.3  # opens, and leaves the cube touching the wall only
    mujoco.mj_forward(model, data)
    assert {"fixed"} == {model.geom(pair[1]).name for pair in data.contact.geom}
    assert not sensor(model, data).touches_both()
    data.joint("jaw").qvel = -2.5
    assert sensor(model, data).jaw_speed_rad_s() == -2.5


def test_without_contact_nothing_is_made_up():
    model, data = gripped(cube_first=True)
    data.qpos[:3] = 1.0
    mujoco.mj_forward(model, data)
    assert not sensor(model, data).touches_both()
    assert sensor(model, data).summary() == {
        "force_fixed_N": 0.0,
        "force_moving_N": 0.0,
        "jaw_contacts": 0,
        "largest_cone_use": None,
        "vertical_force_N": 0.0,
        "friction_N": 0.0,
        "slip_m_per_s": None,
        "lever_arm_m": None,
        "depth_m": 0.0,
    }


def test_effective_parameters_are_those_of_the_jaw_that_presses_most():
    """The cube's priority gives its friction and condim; the jaws' margins differ, and so tell which contact was read."""
    model, data = gripped(cube_first=True)
    model.geom("moving").margin = 0.002
    mujoco.mj_forward(model, data)
    grip, found = sensor(model, data).read(), sensor(model, data).effective()
    assert found["friction"] == [0.8, 0.8, 0.03, 0.003, 0.003]
    assert found["condim"] == 4
    assert found["margin_m"] == (0.002 if grip.moving[grip.normal_N.argmax()] else 0)
    data.qpos[:3] = 1.0
    mujoco.mj_forward(model, data)
    assert sensor(model, data).effective() is None
