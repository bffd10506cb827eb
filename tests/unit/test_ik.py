"""Damped least squares against a numerical optimiser and against closed forms."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from contactlab.ik import DampedLeastSquares, Tool, pose_error, solve

ARM = """<mujoco><compiler angle="radian"/><worldbody>
  <body><freejoint name="bystander"/><geom size="0.01" pos="1 1 1"/></body>
  <body><joint name="pan" axis="0 0 1"/><geom size="0.01"/>
    <body pos="0 0 0.06"><joint name="lift" axis="0 1 0"/><geom size="0.01"/>
      <body pos="0 0 0.12"><joint name="elbow" axis="0 1 0"/><geom size="0.01"/>
        <body pos="0.13 0 0"><joint name="flex" axis="0 1 0"/><geom size="0.01"/>
          <body name="hand" pos="0.06 0 0"><joint name="roll" axis="1 0 0" range="-1 1" limited="true"/><geom size="0.01"/>
  </body></body></body></body></body></worldbody></mujoco>"""
TOOL = Tool(("pan", "lift", "elbow", "flex", "roll"), "hand", (0.09, 0.004, -0.002))
FINE = DampedLeastSquares(damping_m=0.02, orientation_weight_m=0.2, tolerance_m=1e-9, max_iterations=2000)
ANGLES = st.tuples(*[st.floats(-0.6, 0.6)] * 5).map(np.array)


def arm():
    model = mujoco.MjModel.from_xml_string(ARM)
    return model, mujoco.MjData(model)


def pose_of(model, data, angles):
    """Tool point and hand orientation at these angles."""
    data.qpos[7:] = angles
    mujoco.mj_kinematics(model, data)
    hand = data.body("hand")
    return hand.xpos + hand.xmat.reshape(3, 3) @ TOOL.point_m, hand.xquat.copy()


@settings(max_examples=30)
@given(ANGLES)
def test_a_pose_the_arm_can_take_is_found(angles):
    model, data = arm()
    position_m, quat = pose_of(model, data, angles)
    data.qpos[7:] = angles + 0.1
    found, residual_m = solve(model, data, TOOL, position_m, quat, FINE)
    reached_m, reached_quat = pose_of(model, data, found)
    assert residual_m == pytest.approx(np.linalg.norm(position_m - reached_m), abs=1e-12)
    assert residual_m < 1e-8
    assert abs(reached_quat @ quat) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("tilt_rad", [0.05, 0.2])
def test_a_pose_it_cannot_take_is_met_as_an_optimiser_meets_it(tilt_rad):
    """Five joints cannot give six coordinates: both must settle for the same weighted error."""
    model, data = arm()
    position_m, quat = pose_of(model, data, [0.3, 0.4, -0.2, 0.5, 0.1])
    tilted, turn = np.zeros(4), np.array([np.cos(tilt_rad / 2), 0, 0, np.sin(tilt_rad / 2)])
    mujoco.mju_mulQuat(tilted, turn, quat)

    def residuals(angles):
        data.qpos[7:] = angles
        error, _ = pose_error(model, data, TOOL, position_m, tilted)
        return error * [1, 1, 1, *[FINE.orientation_weight_m] * 3]

    theirs = least_squares(residuals, [0.3, 0.4, -0.2, 0.5, 0.1], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    data.qpos[7:] = [0.3, 0.4, -0.2, 0.5, 0.1]
    ours, _ = solve(model, data, TOOL, position_m, tilted, replace(FINE, tolerance_m=0.0))
    assert theirs.cost > 1e-6
    # The step takes the rotation vector's rate for the angular velocity, exact to second order in the error left.
    assert 0.5 * np.sum(residuals(ours) ** 2) == pytest.approx(theirs.cost, rel=1e-2)


def test_residual_out_of_reach_is_the_missing_distance():
    """Straight up, the arm ends at its length; what is left of a higher target is the difference."""
    model, data = arm()
    tool = Tool(TOOL.joints, "hand", (0.09, 0.0, 0.0))
    data.qpos[7:] = [0.0, 0.1, -1.4, 0.1, 0.0]
    reach_m = 0.06 + 0.12 + 0.13 + 0.06 + 0.09
    blind = DampedLeastSquares(damping_m=0.5, orientation_weight_m=0.0, tolerance_m=1e-9, max_iterations=3000)
    _, residual_m = solve(model, data, tool, np.array([0, 0, 1.0]), np.array([1.0, 0, 0, 0]), blind)
    assert residual_m == pytest.approx(1.0 - reach_m, abs=1e-6)


def test_ranges_hold_and_other_joints_stay():
    model, data = arm()
    position_m, quat = pose_of(model, data, [0.0, 0.2, 0.1, 0.2, 1.6])
    data.qpos[7:] = 0.0
    before = data.qpos[:7].copy()
    found, _ = solve(model, data, TOOL, position_m, quat, FINE)
    assert found[-1] == 1.0
    assert np.array_equal(data.qpos[:7], before)


def test_iteration_stops_at_the_tolerance():
    model, data = arm()
    position_m, quat = pose_of(model, data, [0.3, 0.4, -0.2, 0.5, 0.1])
    coarse = DampedLeastSquares(damping_m=0.1, orientation_weight_m=0.2, tolerance_m=1e-3, max_iterations=500)
    data.qpos[7:] = 0.0
    _, residual_m = solve(model, data, TOOL, position_m, quat, coarse)
    assert 1e-5 < residual_m < 1e-3


def test_an_unknown_name_is_told():
    model, data = arm()
    with pytest.raises(KeyError, match="wrist"):
        solve(model, data, Tool(("wrist",), "hand", (0, 0, 0)), np.zeros(3), np.array([1.0, 0, 0, 0]), FINE)
