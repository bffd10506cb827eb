"""What a pick checks before it begins: the jaw's servo in its own unit, what overlaps at the start, and gravity."""

from dataclasses import replace
from pathlib import PurePosixPath

import mujoco
import numpy as np
import pytest
from conftest import PICK_SCENE, SCHEMA
from test_own_robot import GANTRY, PLACE_M, ROBOT, TASK

from contactlab.jaw_travel import approach_m, resting_position
from contactlab.pick import perturbed_picks, plan_checked, reset_pick, scripted_pick
from contactlab.pick_cell import largest_errors
from contactlab.pick_scene import pick_mjcf
from contactlab.scene import load_scene
from lib import schema

GRIP = '<position name="grip" joint="left" kp="1000" kv="20"/>'
# Both fingers on one tendon of length L, half the opening, and controls c from 0 to 255: the force is 2 c - 500 L.
TENDON = '<tendon><fixed name="split"><joint joint="left" coef=".5"/><joint joint="right" coef=".5"/></fixed></tendon>'
BYTES = (
    '<general name="grip" tendon="split" gainprm="2" biasprm="0 -500 -20" biastype="affine" ctrlrange="0 255" '
    'ctrllimited="true"/>'
)
# A driver that a loop connects to the left finger.
DRIVER = (
    '<body name="driver" gravcomp="1"><joint name="driver" type="slide" axis="0 1 0" damping="5" armature=".1"/>'
    '<geom size=".005" mass=".05" contype="0" conaffinity="0"/></body>'
)
LOOP = '<equality><connect body1="driver" body2="left" anchor="0 0 0" solref=".004 1"/></equality>'
IN_BYTES = replace(TASK, jaw_open=20, jaw_closed=0)


@pytest.fixture
def gantry(tmp_path):
    """Compiled scenes of the gantry: gantry(servo, more) has another servo of the jaw, and more in its file."""

    def compiled(servo: str = GRIP, more: str = "", mjcf: str = GANTRY, **changes) -> mujoco.MjModel:
        assert GRIP in mjcf
        robot = mjcf.replace(GRIP, servo).replace("<equality>", f"{more}<equality>")
        (tmp_path / "gantry.xml").write_text(robot, encoding="utf-8")
        scene = pick_mjcf(robot=PurePosixPath("gantry.xml"), meshes=".", **PICK_SCENE | changes)
        (tmp_path / "scene.xml").write_text(scene, encoding="utf-8")
        return load_scene(str(tmp_path / "scene.xml"), ROBOT)

    return compiled


def pick(model: mujoco.MjModel, task=TASK, place_m=PLACE_M) -> dict:
    return scripted_pick(model, mujoco.MjData(model), place_m, task=task, robot=ROBOT)


# A control in the servo's own unit


@pytest.mark.parametrize(
    ("servo", "more", "control", "position_m"),
    [
        (GRIP, "", 0.04, 0.04),
        (BYTES, TENDON, 5, 2 * 5 / 500),
        (GRIP.replace("<position", '<position gear="-4"'), "", -0.1, 0.1 / 4),
        ('<general name="grip" joint="left" gainprm="3" biasprm="2 -400 -20" biastype="affine"/>', "", 5, (3 * 5 + 2) / 400),
    ],
)
def test_a_control_puts_the_jaw_where_its_servo_has_no_force(gantry, servo, more, control, position_m):
    """The closed form, and where a bare run of MuJoCo comes to rest under that control."""
    model = gantry(servo, more)
    data = mujoco.MjData(model)
    found_m = resting_position(model, data, control, ROBOT)
    assert found_m == pytest.approx(position_m, rel=1e-12)
    mujoco.mj_resetData(model, data)
    data.actuator("grip").ctrl = control
    mujoco.mj_step(model, data, 5000)
    assert found_m == pytest.approx(data.joint("left").qpos[0], abs=1e-6)


def test_the_servo_of_the_published_robots_rests_at_its_control_to_the_last_bit(gantry):
    model = gantry(GRIP.replace('kp="1000"', 'kp="998.22"'))
    for control in np.random.default_rng(0).uniform(0, 0.05, 100):
        assert resting_position(model, mujoco.MjData(model), control, ROBOT) == control


def test_a_tendon_that_moves_both_fingers_picks_with_its_controls_in_bytes(gantry):
    """Virtual work: both fingers together press with the force of their servo, 500 N/m times half the opening left."""
    model = gantry(BYTES, TENDON, cap_Nm=100)
    start = mujoco.MjData(model)
    reset_pick(model, start, PLACE_M, IN_BYTES, ROBOT)
    assert (start.joint("left").qpos[0], start.joint("right").qpos[0]) == (0.05, 0.05)  # 80 mm in all, and the range is 50
    data = mujoco.MjData(model)
    result = scripted_pick(model, data, PLACE_M, task=IN_BYTES, robot=ROBOT)
    assert result["outcome"] == "held"
    hold_N = result["hold"]["force_fixed_N"] + result["hold"]["force_moving_N"]
    assert hold_N == pytest.approx(500 * data.joint("left").qpos[0], rel=1e-3)


def test_metres_for_a_servo_of_bytes_leave_the_hand_closed(gantry):
    """0.04 of 255 opens by 0.16 mm: the pick that was once run is refused."""
    with pytest.raises(ValueError, match=r"geom 'cube': the open jaws cannot span a cube 0\.03 m wide"):
        pick(gantry(BYTES, TENDON), replace(TASK, jaw_open=0.04))


@pytest.mark.parametrize(
    ("changes", "found"), [({"jaw_open": 256}, "jaw_open is 256"), ({"jaw_closed": -0.01}, "jaw_closed is -0.01")]
)
def test_a_control_beyond_the_range_of_its_actuator_is_refused(gantry, changes, found):
    with pytest.raises(ValueError, match=rf"^{found}, beyond the ctrlrange of actuator 'grip'; allowed: 0 to 255$"):
        pick(gantry(BYTES, TENDON), replace(IN_BYTES, **changes))


@pytest.mark.parametrize(
    ("servo", "more"),
    [
        ('<motor name="grip" joint="left"/>', ""),
        ('<velocity name="grip" joint="left" kv="20"/>', ""),
        ('<intvelocity name="grip" joint="left" kp="1000" actrange="0 1"/>', ""),
        ('<muscle name="grip" joint="left" ctrlrange="0 1"/>', ""),
        ('<general name="grip" joint="left" gainprm="0" biasprm="0 -500 -20" biastype="affine"/>', ""),
    ],
)
def test_an_actuator_that_is_no_position_servo_is_refused(gantry, servo, more):
    with pytest.raises(
        ValueError, match=r"^actuator 'grip' is no position servo; allowed: one whose force falls with its length"
    ):
        pick(gantry(servo, more))


def test_an_actuator_that_does_not_move_the_jaw_is_refused_with_those_that_do(gantry):
    """One on the other finger does, as an equality couples the two."""
    other = '<position name="grip" joint="x" kp="1000"/><position name="other" joint="right" kp="1000" kv="20"/>'
    with pytest.raises(ValueError, match=r"^actuator 'grip' does not move joint 'left'; allowed: 'other'$"):
        pick(gantry(other))
    with pytest.raises(ValueError, match=r"^actuator 'grip' does not move joint 'left'; allowed: an actuator that does"):
        pick(gantry('<position name="grip" joint="x" kp="1000"/>'))
    assert pick(gantry(GRIP.replace("left", "right")))["outcome"] == "held"


@pytest.mark.parametrize(("jaw", "other"), [("left", "right"), ("right", "left")])
def test_either_of_two_coupled_fingers_is_the_jaw_whichever_the_equality_makes_follow(gantry, jaw, other):
    model, robot = gantry(BYTES, TENDON), replace(ROBOT, jaw_joint=jaw, moving_jaw_body=jaw, fixed_jaw_body=other)
    model.eq_data[0, :3] = 0.001, 0.9, 2  # the right finger is at 1 mm + 0.9 l + 2 l^2 / m of the left one's l
    data = mujoco.MjData(model)
    reset_pick(model, data, PLACE_M, replace(IN_BYTES, jaw_open=5), robot)
    left_m, right_m = data.joint("left").qpos[0], data.joint("right").qpos[0]
    assert right_m == pytest.approx(0.001 + 0.9 * left_m + 2 * left_m**2, rel=1e-9)
    assert (left_m + right_m) / 2 == pytest.approx(2 * 5 / 500, rel=1e-9)
    plan_checked(gantry(BYTES, TENDON), PLACE_M, IN_BYTES, robot)


def nearer_m(model: mujoco.MjModel, task, robot=ROBOT) -> float:
    """How much nearer the jaw comes, from the open jaws about the cube."""
    plan, data = plan_checked(model, PLACE_M, task, robot), mujoco.MjData(model)
    reset_pick(model, data, PLACE_M, task, robot)
    for joint, control in zip(robot.arm_joints, plan.waypoints["down"], strict=False):
        data.joint(joint).qpos = control
    return approach_m(model, data, plan.waypoints, task, robot)


def test_closing_brings_the_jaw_nearer_by_the_way_of_its_control(gantry):
    """From 40 mm to 20 mm, without touching the cube, slowly; and what the torque cap would allow does not matter."""
    assert nearer_m(gantry(cap_Nm=1e-3), replace(TASK, jaw_closed=0.02, close_ramp_s=2.0)) == pytest.approx(0.02, rel=1e-3)


LINKED = (
    GANTRY.replace('<body name="left"', f'{DRIVER}<body name="left" pos="0 .04 0"')
    .replace('<body name="right"', '<body name="right" pos="0 -.04 0"')
    .replace('range="0 .05"', 'range="-.05 .01"')
)


def test_a_linkage_that_moves_the_jaw_is_judged_by_where_it_brings_it(gantry):
    """A driver whose joint is connected to the finger by a loop; the file's own pose has the jaws open."""
    model = gantry(GRIP.replace('joint="left"', 'joint="driver"'), LOOP, mjcf=LINKED)
    robot, task = replace(ROBOT, jaw_joint="driver"), replace(TASK, jaw_open=0, jaw_closed=-0.02, close_ramp_s=2.0)
    assert nearer_m(model, task, robot) == pytest.approx(0.02, rel=0.01)
    with pytest.raises(ValueError, match=r"brings body 'left' no nearer to the cube from jaw_open, -0\.03, to jaw_closed, 0;"):
        plan_checked(model, PLACE_M, replace(task, jaw_open=-0.03, jaw_closed=0), robot)


@pytest.mark.parametrize("closed", [0.035, 0.05])
def test_controls_that_do_not_close_on_the_cube_are_refused(gantry, closed):
    """The same two, and a closed one that opens further."""
    expected = (
        f"^actuator 'grip' brings body 'left' no nearer to the cube from jaw_open, 0.035, to jaw_closed, {closed:g}; allowed: "
        "controls between which that jaw closes$"
    )
    with pytest.raises(ValueError, match=expected):
        plan_checked(gantry(), PLACE_M, replace(TASK, jaw_open=0.035, jaw_closed=closed), ROBOT)


# Overlap at the start

# The hand stands 3 cm beside the cube's centre, at its height: the right finger, 6 mm thick, reaches 5 mm into the cube's side.
IN_THE_CUBE = replace(TASK, home_rad=(0.1, 0.05, -0.185))
# Both fingers, whose lower ends are 8 mm below their centres, reach 3 mm into the floor.
IN_THE_FLOOR = replace(TASK, home_rad=(0, 0, -0.195))


@pytest.mark.parametrize(
    ("task", "pair", "depth_m"),
    [(IN_THE_CUBE, ("cube", "body right"), 0.005), (IN_THE_FLOOR, ("floor", "body left"), 0.003)],
)
def test_what_overlaps_at_the_start_is_named_and_refused_or_measured(gantry, task, pair, depth_m):
    model = gantry()
    with pytest.raises(
        ValueError, match=rf"overlap by {depth_m:g} m at the start; allowed: by up to allowed_overlap_m, 0$"
    ) as caught:
        pick(model, task)
    assert all(name in str(caught.value) for name in pair)
    with pytest.raises(
        ValueError, match=rf"overlap by {depth_m:g} m at the start; allowed: by up to allowed_overlap_m, 0.001$"
    ):
        plan_checked(model, PLACE_M, replace(task, allowed_overlap_m=0.001), ROBOT)
    result = pick(model, replace(task, allowed_overlap_m=depth_m))
    assert result["start_overlap_m"] == pytest.approx(depth_m, abs=1e-6)
    assert all(name in result["start_overlaps"] for name in pair)


def test_a_pick_that_starts_clear_says_so_and_no_look_at_it_moves_the_run(gantry):
    model = gantry()
    result = pick(model)
    assert (result["start_overlap_m"], result["start_overlaps"]) == (0, "")
    assert perturbed_picks(model, mujoco.MjData(model), PLACE_M, 1, 0.0, 0, TASK, ROBOT)[0]["digest"] == result["digest"]


def test_every_position_is_looked_at_before_any_pick(gantry):
    """The home that stands in the cube at one position only is refused, by the number of that position."""
    cell = (
        schema.defaults(SCHEMA, "pick") | PICK_SCENE | {"home_rad": [0.1, 0.05, -0.185], "tool_m": [0, 0, -0.1], "yaw_rad": 0}
    )
    cell |= {"jaw_open": 0.04, "jaw_closed": 0, "still_speed_rad_s": 0.005, "position_count": 1}
    centre = {"position_centre_m": [0.1, 0.02], "position_spread_m": 0.0}
    model = gantry(position_centre_m=[0.1, 0.02])
    with pytest.raises(ValueError, match=r"^position nominal: .* overlap by 0\.005 m at the start"):
        largest_errors(model, cell | centre, ROBOT)
    assert largest_errors(model, cell | centre | {"allowed_overlap_m": 0.005}, ROBOT).keys() == {"pre", "down", "lift"}


# Gravity


@pytest.mark.parametrize(
    ("option", "found"),
    [
        ('<option gravity="0 0 -1.62"/>', r"\[0\.0, 0\.0, -1\.62\] m/s\^2"),
        ('<option gravity="0 0 9.81"/>', r"\[0\.0, 0\.0, 9\.81\] m/s\^2"),
        ('<option gravity="1 0 -9.81"/>', r"\[1\.0, 0\.0, -9\.81\] m/s\^2"),
        ('<option><flag gravity="disable"/></option>', "disabled by its option flag"),
    ],
)
def test_another_gravity_is_refused(gantry, option, found):
    with pytest.raises(ValueError, match=rf"^gravity is {found}; allowed for a pick: \[0, 0, -9\.81\] m/s\^2$"):
        gantry(more=option)
    assert gantry(more='<option gravity="0 0 -9.81"/>').opt.gravity[2] == -9.81
