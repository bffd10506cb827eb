"""A robot of the user's own: a gantry with two sliding fingers against statics, and what a configuration must say."""

import copy
import json
from dataclasses import asdict, replace
from pathlib import PurePosixPath

import mujoco
import numpy as np
import pytest
import yaml
from conftest import ENVS, PICK_SCENE, PROJECT, PUBLISHED, SCHEMA, refusal
from snakemake.utils import update_config

from contactlab.pick import jaw_sensor, reset_pick, scripted_pick
from contactlab.pick_scene import mesh_folder, pick_mjcf
from contactlab.scene import load_scene
from contactlab.task import SO_101, Robot, Task
from lib import checks, naming

STIFFNESS_N_PER_M = 1000
# Three slides carry a hand; its fingers close along y, and an equality makes the right one follow the left one.
GANTRY = f"""<mujoco><compiler autolimits="true"/><worldbody>
  <body name="x" pos="0 0 .3" gravcomp="1"><joint name="x" type="slide" axis="1 0 0" damping="5"/><geom size=".02" mass=".5"/>
   <body name="y" gravcomp="1"><joint name="y" type="slide" axis="0 1 0" damping="5"/><geom size=".02" mass=".5"/>
    <body name="hand" gravcomp="1"><joint name="z" type="slide" axis="0 0 1" damping="5"/><geom size=".02" mass=".5"/>
     <body name="left" gravcomp="1"><joint name="left" type="slide" axis="0 1 0" range="0 .05" damping="5" armature=".1"/>
      <geom type="box" size=".01 .003 .008" pos="0 .003 -.1" mass=".05"/></body>
     <body name="right" gravcomp="1"><joint name="right" type="slide" axis="0 -1 0" range="0 .05" damping="5" armature=".1"/>
      <geom type="box" size=".01 .003 .008" pos="0 -.003 -.1" mass=".05"/></body>
  </body></body></body></worldbody>
 <equality><joint joint1="right" joint2="left" polycoef="0 1 0 0 0" solref=".004 1"/></equality>
 <actuator><position name="mx" joint="x" kp="5000" kv="100"/><position name="my" joint="y" kp="5000" kv="100"/>
  <position name="mz" joint="z" kp="5000" kv="100"/><position name="grip" joint="left" kp="{STIFFNESS_N_PER_M}" kv="20"/>
 </actuator></mujoco>"""
ROBOT = Robot(("x", "y", "z"), ("mx", "my", "mz"), "left", "grip", "hand", fixed_jaw_body="right", moving_jaw_body="left")
TASK = Task(home_rad=(0, 0, 0.1), tool_m=(0, 0, -0.1), yaw_rad=0, jaw_open=0.04, jaw_closed=0, still_speed_rad_s=0.005)
PLACE_M = (0.1, 0.02)
PARTS = SCHEMA["properties"]["pick"]["properties"]["robot"]["properties"]


@pytest.fixture
def gantry(tmp_path):
    """Compiled scenes of the gantry with a cube: gantry(mu=0.3) has another friction."""

    def compiled(robot: Robot = ROBOT, mjcf: str = GANTRY, **changes):
        (tmp_path / "gantry.xml").write_text(mjcf, encoding="utf-8")
        scene = pick_mjcf(robot=PurePosixPath("gantry.xml"), meshes=".", **PICK_SCENE | changes)
        (tmp_path / "scene.xml").write_text(scene, encoding="utf-8")
        return load_scene(str(tmp_path / "scene.xml"), robot)

    return compiled


@pytest.mark.parametrize("cap_N", [100, 6])
def test_sliding_fingers_share_the_force_of_their_servo(gantry, cap_N):
    """Virtual work: coupled fingers on one servo press with N1 + N2 = F, its gain times the way left, or its cap."""
    model = gantry(cap_Nm=cap_N)
    data = mujoco.MjData(model)
    result = scripted_pick(model, data, PLACE_M, task=TASK, robot=ROBOT)
    assert result["outcome"] == "held"
    servo_N = min(cap_N, STIFFNESS_N_PER_M * data.joint("left").qpos[0])
    assert result["squeeze_N"] == pytest.approx(servo_N, rel=0.02)
    hold = result["hold"]
    assert hold["force_fixed_N"] + hold["force_moving_N"] == pytest.approx(servo_N, rel=1e-3)
    assert hold["force_fixed_N"] == pytest.approx(hold["force_moving_N"], rel=1e-3)
    assert hold["vertical_force_N"] == pytest.approx(PICK_SCENE["mass_kg"] * 9.81, rel=1e-3)
    assert hold["lever_arm_m"] is None


def test_friction_below_the_cone_drops_and_above_holds(gantry):
    """N1 + N2 is 6 N, so m (g + a) of 0.31 N needs mu 0.05; with the solver converged a fifth to either side decides."""
    for mu, outcome in ((0.04, "dropped"), (0.065, "held")):
        model = gantry(cap_Nm=6, mu=mu, iterations=100, ls_iterations=50)
        assert scripted_pick(model, mujoco.MjData(model), PLACE_M, task=TASK, robot=ROBOT)["outcome"] == outcome


def test_a_coupled_finger_starts_where_its_equality_puts_it(gantry):
    model = gantry()
    model.eq_data[0, :3] = 0.01, 0.5, 2
    data = mujoco.MjData(model)
    reset_pick(model, data, PLACE_M, TASK, ROBOT)
    assert data.joint("right").qpos[0] == pytest.approx(0.01 + 0.5 * 0.04 + 2 * 0.04**2, rel=1e-12)
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]).max() < 1e-12
    data.qvel[model.joint("left").dofadr[0]] = -0.3
    assert jaw_sensor(model, data, ROBOT).jaw_speed_rad_s() == -0.3


def test_the_cap_holds_for_an_actuator_that_had_none(gantry):
    assert "forcerange" not in GANTRY
    model = gantry(cap_Nm=3)
    data = mujoco.MjData(model)
    data.actuator("grip").ctrl = 1
    mujoco.mj_forward(model, data)
    assert data.actuator("grip").force[0] == 3


def test_a_tool_body_that_points_elsewhere_is_turned(gantry):
    """The same hand by a frame turned about y: the tool's point and orientation say so, and the cube goes the same way."""
    turned = GANTRY.replace('<body name="left"', '<body name="tool" quat="1 0 1 0"/><body name="left"')
    robot, task = replace(ROBOT, tool_body="tool"), replace(TASK, tool_m=(0.1, 0, 0), tool_quat=(1, 0, 1, 0))
    models = (gantry(), TASK, ROBOT), (gantry(robot, turned), task, robot)
    picks = [scripted_pick(model, mujoco.MjData(model), PLACE_M, task=task, robot=robot) for model, task, robot in models]
    assert [pick["outcome"] for pick in picks] == ["held", "held"]
    assert picks[1]["cube_position_m"] == pytest.approx(picks[0]["cube_position_m"], abs=1e-6)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"arm_joints": ("x", "y", "lift")}, "the model has no joint of this name: .*'lift'.* names: .*'z'"),
        ({"jaw_actuator": "jaw"}, "the model has no actuator of this name: .*'jaw'.* names: .*'grip'"),
        ({"tool_body": "tool"}, "the model has no body of this name: .*'tool'.* names: .*'hand'"),
    ],
)
def test_a_name_that_the_model_lacks_is_told_with_those_it_has(gantry, part, expected):
    with pytest.raises(ValueError, match=expected) as caught:
        gantry(robot=replace(ROBOT, **part))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("compilers", "folder"),
    [("", "."), ('<compiler meshdir="a/b"/>', "a/b"), ('<compiler assetdir="c"/>', "c"),
     ('<compiler meshdir="a"/><compiler angle="radian"/>', "a")],
)  # fmt: skip
def test_the_folder_of_the_meshes_is_that_of_the_robots_file(tmp_path, compilers, folder):
    (tmp_path / "robot.xml").write_text(f"<mujoco>{compilers}</mujoco>")
    assert mesh_folder(tmp_path / "robot.xml") == folder
    (tmp_path / "robot.xml").write_text("mujoco")
    with pytest.raises(ValueError, match=r"robot\.xml is not XML: .*; allowed: the MJCF of a robot"):
        mesh_folder(tmp_path / "robot.xml")


# The configuration


def test_the_robot_of_the_schema_is_the_librarys():
    """`scripted_pick` can be used without the workflow: its names are the schema's defaults."""
    names = {part: PARTS[part]["default"] for part in SCHEMA.own["pick"].ROBOT_PARTS}
    assert Robot.from_json(json.dumps(names)) == SO_101 == Robot.from_json("{}")
    assert {field for field in asdict(SO_101) if "cube" not in field and field != "cap_numeric"} == names.keys()


def preset() -> dict:
    """The published configuration with presets/gripper.yaml merged into it as Snakemake does."""
    config = copy.deepcopy(PUBLISHED)
    update_config(config, yaml.safe_load((PROJECT / "presets/gripper.yaml").read_text(encoding="utf-8")))
    return config


@pytest.mark.parametrize(
    ("robot", "expected"),
    [
        ({"name": "so101"}, "config.pick.robot.file is not the SO-101's, whose name the robot has; allowed: a name of its own"),
        ({"name": "pick"}, "config.pick.robot.name is pick; allowed: a name that no experiment has"),
        ({"name": "a_b"}, "config.pick.robot.name is 'a_b'; allowed: letters, digits and -, beginning with a letter"),
        ({"lock": "none"}, "config.pick.robot.lock is none; allowed: the NAME of a file envs/NAME.txt"),
        ({"source": "nowhere"}, "config.pick.robot.source is nowhere; allowed: wheel, menagerie or a folder that holds wxai_"),
        ({"file": "../wxai.xml"}, "config.pick.robot.file is '../wxai.xml'; allowed: a path that leads down from its folder"),
        ({"arm_joints": ["joint_0"]}, "config.pick.robot.arm_actuators has 6 names; allowed: one for each of the 1 arm_joints"),
        ({"jaw": "x"}, "config.pick.robot has the unknown key 'jaw'; allowed: jaw_joint, jaw_actuator, "),
        ({"settings": {"home_rad": [0, 0]}}, "home_rad has 2 values; allowed: one for each of the robot's 6 arm_joints"),
        (
            {"settings": {"home_rad": [0] * 6, "turn_joint": 7}},
            "turn_joint is 7; allowed: last, or one of the robot's 6 arm_joints",
        ),
        ({"settings": {"shake_axis": [0, 0, 0]}}, "shake_axis is [0, 0, 0]; allowed: three numbers from -1 to 1, not all 0"),
        ({"settings": {"jaw_depth_limit": 0}}, "jaw_depth_limit is 0; allowed: above 0"),
        ({"settings": {"tool_quat": [0, 0, 0, 0]}}, "settings.tool_quat is [0, 0, 0, 0]; allowed: four numbers from -1 to 1"),
        ({"settings": {"jaw_open_rad": 1}}, "settings has the key 'jaw_open_rad', which is now jaw_open; allowed: jaw_open"),
        ({"settings": {"robot": "x"}}, "config.pick.robot.settings has the unknown key 'robot'; allowed: "),
    ],
)
def test_a_fault_in_the_robot_is_one_line(robot, expected):
    config = preset()
    config["pick"]["robot"] |= robot
    assert expected in refusal(config)


def test_a_sweep_of_picks_is_not_called_like_a_table():
    config = preset()
    config["pick"]["sweeps"]["summary"] = config["pick"]["sweeps"].pop("gripper")
    assert "has the name 'summary'; allowed: lower-case letters, digits and _" in refusal(config)


def test_cells_of_another_robot_are_named_after_it_and_what_it_brings_is_their_default():
    config = checks.checked(preset(), SCHEMA, ENVS)
    grid = naming.moved(config, SCHEMA, "pick", config["pick"]["sweeps"]["gripper"] | {"jaw_open": [0.04, 0.03]})
    assert list(grid) == ["engine", "robot", "mu", "mass_kg", "cap_Nm", "position", "jaw_open"]
    assert (grid["robot"], grid["jaw_open"]) == (["widowx"], ["default", 0.03])
    cell = "robot=widowx,mu=0.1,mass_kg=0.03,cap_Nm=400,position=0"
    named = naming.named(SCHEMA, "pick", cell, naming.own_defaults(config, SCHEMA, "pick"))
    assert (named["robot"], named["tool_m"], named["home_rad"]) == ("widowx", [0.156, 0, 0], [0, 1.2, 1, 0, 0, 0])
    published = checks.checked(copy.deepcopy(PUBLISHED), SCHEMA, ENVS)
    assert "robot" not in naming.moved(published, SCHEMA, "pick", published["pick"]["sweeps"]["mass"])
