"""Where a run starts: keyframes, positions by joint, and starts moved by a hair."""

import mujoco
import numpy as np
import pytest

from contactlab.start import perturbed, set_start

SCENE = """
<mujoco>
  <worldbody>
    <body name="box" pos="0 0 1"><freejoint name="box"/><geom size=".1"/></body>
    <body><joint name="hinge"/><geom size=".1"/></body>
    <body><joint name="slide" type="slide"/><geom size=".1"/></body>
    <body><joint name="ball" type="ball"/><geom size=".1"/></body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator>
  <keyframe>
    <key name="low" qpos="0 0 .2 1 0 0 0 .5 0 1 0 0 0" ctrl=".7" time="3"/>
    <key name="high" qpos="0 0 2 1 0 0 0 0 0 1 0 0 0"/>
  </keyframe>
</mujoco>
"""
JOINTS = "<mujoco><worldbody>{}</worldbody></mujoco>"


def started(start) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.time = 9, 9, 9  # of a run before
    set_start(model, data, start)
    return model, data


@pytest.mark.parametrize("start", [None, {}])
def test_without_a_start_it_is_the_models_own(start):
    model, data = started(start)
    assert data.qpos.tolist() == model.qpos0.tolist()
    assert not data.qvel.any()
    assert data.time == 0


def test_a_keyframe_sets_all_that_it_holds():
    for keyframe in ("low", 0):
        data = started({"keyframe": keyframe})[1]
        assert (data.qpos[2], data.qpos[7], data.ctrl[0], data.time) == (0.2, 0.5, 0.7, 3)


def test_joints_are_set_beside_a_keyframe():
    data = started({"keyframe": "low", "qpos": {"hinge": 0.1}, "qvel": {"box": [1, 2, 3, 4, 5, 6], "slide": [7]}})[1]
    assert (data.qpos[2], data.qpos[7]) == (0.2, 0.1)
    assert data.qvel.tolist() == [1, 2, 3, 4, 5, 6, 0, 7, 0, 0, 0]


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ({"keyframe": "hihg"}, "the model has no keyframe 'hihg'; allowed: low, high"),
        ({"keyframe": 2}, "start.keyframe is 2; the model has 2 keyframes"),
        ({"qpos": {"hing": 1}}, "the model has no joint 'hing'; allowed: box, hinge, slide, ball"),
        ({"qpos": {"box": [0, 0, 1]}}, "start.qpos.box is [0, 0, 1]; allowed: 7 finite numbers"),
        ({"qpos": {"hinge": float("nan")}}, "start.qpos.hinge is nan; allowed: 1 finite number"),
        ({"qpos": {"box": [0, 0, 1, 0, 0, 0, 0]}}, "start of joint 'box': quaternion [0.0, 0.0, 0.0, 0.0] has no direction"),
    ],
)
def test_a_start_that_is_none_is_refused_in_one_line(start, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        started(start)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_free_bodies_move_by_the_size_and_nothing_else_does():
    model, data = started(None)
    perturbed(model, data, 1e-3, np.random.default_rng(0))
    moved = data.qpos - model.qpos0
    assert np.linalg.norm(moved[:3]) == pytest.approx(1e-3)
    assert not moved[3:].any()


def test_without_a_free_body_every_joint_moves_by_the_size():
    joints = '<body><joint/><geom size=".1"/></body><body><joint type="slide"/><geom size=".1"/></body>'
    model = mujoco.MjModel.from_xml_string(JOINTS.format(joints + '<body><joint type="ball"/><geom size=".1"/></body>'))
    data = mujoco.MjData(model)
    perturbed(model, data, 1e-3, np.random.default_rng(0))
    assert np.abs(data.qpos[:2]).tolist() == [1e-3, 1e-3]
    assert 2 * np.arccos(data.qpos[2]) == pytest.approx(1e-3, rel=1e-6)  # the ball joint's turn
    assert np.linalg.norm(data.qpos[2:]) == pytest.approx(1)


def test_directions_are_drawn_evenly_from_a_sphere():
    """The mean of n unit vectors has the length of a random walk, 1 / sqrt(n), and that of their squares is 1/3 each."""
    model, rng = mujoco.MjModel.from_xml_string(SCENE), np.random.default_rng(1)
    data, moved = mujoco.MjData(model), []
    for _ in range(2000):
        set_start(model, data, None)
        perturbed(model, data, 1.0, rng)
        moved.append((data.qpos - model.qpos0)[:3])
    assert np.linalg.norm(np.mean(moved, axis=0)) < 3 / np.sqrt(2000)
    assert np.mean(np.square(moved), axis=0) == pytest.approx([1 / 3] * 3, abs=0.03)
