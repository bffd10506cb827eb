"""Runs of any scene: the drop and a closed form as audits, marks, logs, repeats, and what is refused."""

import os
from pathlib import PurePosixPath

import mujoco
import numpy as np
import pytest
from conftest import PICK_SCENE, drop_scene

from contactlab import attributes, drop, limit
from contactlab.audit import Audit
from contactlab.compile import compile_scene
from contactlab.control import ConstantControl, RecordedControl
from contactlab.marks import to_text
from contactlab.pick import scripted_pick
from contactlab.pick_scene import pick_mjcf
from contactlab.runs import marked_steps, physics_digest
from contactlab.scene import load_scene

GRAVITY = 9.81  # m/s^2, MuJoCo's default

DROP = {  # the published nominal drop, with what both it and an audit measure
    "duration_s": 2,
    "measures": {
        "final_z_m": {"body": "cube", "quantity": "z_m"},
        "lowest_centre_m": {"body": "cube", "quantity": "z_m", "at": "smallest"},
        "first_touch_time_s": {"contact": ["cube", "table"], "quantity": "first_time_s"},
        "largest_force_N": {"contact": ["cube", "table"], "quantity": "force_N", "at": "largest"},
        "largest_depth_m": {"contact": ["cube", "table"], "quantity": "depth_m", "at": "largest"},
        "passage": {"passage": ["cube", "table"]},
    },
}
SLIDER = """
<mujoco><option cone="elliptic" impratio="10"/>
  <worldbody>
    <geom name="floor" type="plane" size="9 9 1" friction=".2" solref=".02 1"/>
    <body name="slider" pos="0 0 .05"><freejoint name="slider"/>
      <geom name="slider" type="box" size=".2 .2 .05" mass="2" friction=".2" solref=".02 1"/>
    </body>
  </worldbody>
</mujoco>"""
SLID = {
    "way_m": {"body": "slider", "quantity": "x_m"},
    "press_N": {"contact": ["slider", "floor"], "quantity": "force_N", "at": "mean", "from_s": 0.05},
    "passage": {"passage": ["slider", "floor"]},
}
STOPPED = {"way_m": SLID["way_m"]}
MODES = {"none": "kept"}  # what a drop calls otherwise


@pytest.mark.parametrize("dt_ms", [1, 2, 3, 8, 10, 12, 15, 25])
@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_the_published_drop_as_an_audit_gives_its_numbers_bit_for_bit(dt_ms, integrator):
    expected, model = drop.run(drop_scene(), dt_ms, integrator, duration_s=2), drop_scene()
    attributes.apply(model, {"option.timestep": dt_ms / 1000, "option.integrator": integrator})
    result = Audit(model, DROP).run()["result"]
    mode = expected.pop("failure_mode")
    assert result["passage"] == MODES.get(mode, mode)
    same = {"final_z_m", "first_touch_time_s", "largest_force_N", "largest_depth_m", "digest", "at_iterations", "solved_steps"}
    same |= {"lowest_centre_m"} if expected["outcome"] == "kept" else set()
    assert {key: result[key] for key in same} == {key: expected[key] for key in same}


def test_the_drops_marks_are_those_of_its_experiment():
    with marked_steps() as theirs:
        drop.run(drop_scene(), 2, "Euler", duration_s=0.6)
    with marked_steps() as ours:
        Audit(drop_scene(), DROP | {"duration_s": 0.6}).run()
    assert to_text(ours) == to_text(theirs)


def test_a_sliding_box_stops_where_a_closed_form_has_it(scene_of):
    """With v = 2 m/s and mu = 0.2 the way is v² / (2 mu g), the time v / (mu g)."""
    audit = Audit(scene_of(SLIDER), {"duration_s": 1.5, "start": {"qvel": {"slider": [2, 0, 0, 0, 0, 0]}}, "measures": SLID})
    result = audit.run()["result"]
    assert result["way_m"] == pytest.approx(2**2 / (2 * 0.2 * GRAVITY), rel=0.01)
    assert result["press_N"] == pytest.approx(2 * GRAVITY, rel=1e-2)
    assert result["passage"] == "kept"


@pytest.fixture
def scene_of(tmp_path):
    """Compiled scenes, through a file as a job reads them."""

    def compiled(xml: str) -> mujoco.MjModel:
        (tmp_path / "scene.xml").write_text(xml, encoding="utf-8")
        return compile_scene(str(tmp_path / "scene.xml"))

    return compiled


def test_an_open_loop_of_a_picks_recorded_controls_ends_in_its_bits(robot_folder, tmp_path):
    """The nominal pick as an audit: the torque cap as an attribute, the start by joints, the controls as recorded."""
    path = tmp_path / "pick.xml"
    robot = PurePosixPath(os.path.relpath(robot_folder / "so101.xml", tmp_path))
    path.write_text(pick_mjcf(robot=robot, **PICK_SCENE), encoding="utf-8")
    model = load_scene(str(path))
    expected = scripted_pick(model, mujoco.MjData(model), (0.22, 0.0), record=True)
    trajectory, joints = expected.pop("trajectory"), [model.joint(index) for index in range(model.njnt)]
    start = {joint.name: trajectory["qpos"][0][joint.qposadr[0] :][: len(joint.qpos0)].tolist() for joint in joints}

    scene = compile_scene(str(path))
    attributes.apply(scene, {"actuator.gripper.forcerange": [-PICK_SCENE["cap_Nm"], PICK_SCENE["cap_Nm"]]})
    assert physics_digest(scene) == physics_digest(model)
    definition = {
        "duration_s": expected["steps"] * model.opt.timestep,
        "start": {"qpos": start},
        "measures": {
            "lift_m": {"body": "cube", "quantity": "z_m", "at": "end"},
            "place_m": {"body": "cube", "quantity": "pos_m"},
            "turn": {"body": "cube", "quantity": "quat"},
            "fixed_N": {"contact": ["gripper", "cube"], "quantity": "force_N"},
            "moving_N": {"contact": ["moving_jaw_so101_v1", "cube"], "quantity": "force_N"},
            "squeeze_N": {"contact": [{"body": "gripper"}, "cube"], "quantity": "force_N"},
        },
    }
    names = [model.actuator(index).name for index in range(model.nu)]
    control = RecordedControl(scene, trajectory["time_s"], names, trajectory["ctrl"])
    result = Audit(scene, definition, control).run()["result"]
    assert result["digest"] == expected["digest"]
    assert result["place_m"] == expected["cube_position_m"]
    assert result["moving_N"] == pytest.approx(expected["hold"]["force_moving_N"], rel=1e-12)


def test_moved_starts_have_a_result_each_and_are_drawn_from_the_seed(scene_of):
    definition = {"duration_s": 0.2, "measures": STOPPED, "repeats": {"perturbations": 3, "size_m": 1e-6, "seed": 4}}
    record, again = (Audit(scene_of(SLIDER), definition).run() for _ in range(2))
    assert record == again
    assert [set(moved) for moved in record["perturbed"]] == [set(record["result"])] * 3
    digests = {record["result"]["digest"], *(moved["digest"] for moved in record["perturbed"])}
    assert len(digests) == 4
    other = Audit(scene_of(SLIDER), definition | {"repeats": {"perturbations": 2, "size_m": 1e-6, "seed": 4}}).run()
    assert other["perturbed"] == record["perturbed"][:2]


def test_touches_found_and_lost_are_logged_with_the_step_in_which_they_press(scene_of):
    """As `mj_contactForce` has it after each step of a bare loop."""
    bouncing = SLIDER.replace('solref=".02 1"', 'solref="-9000 -3"').replace('pos="0 0 .05"', 'pos="0 0 .15"')
    model = scene_of(bouncing)
    log, touching, expected, force = Audit(model, {"duration_s": 1}).run()["contact_log"], False, [], np.zeros(6)
    data = mujoco.MjData(model)
    for step in range(1, 501):
        mujoco.mj_step(model, data)
        now = False
        for index in range(data.ncon):
            mujoco.mj_contactForce(model, data, index, force)
            now |= force[0] > 0
        if now != touching:
            expected.append([step, data.time, "+" if now else "-", "floor", "slider"])
        touching = now
    assert log == expected
    assert [entry[2] for entry in log[:4]] == ["+", "-", "+", "-"]


def test_a_state_that_the_engine_cannot_go_on_from_has_diverged(scene_of):
    """A motor that pushes ever harder; MuJoCo resets the state, which must not pass for a result."""
    model = scene_of(
        SLIDER.replace("</worldbody>", '</worldbody><actuator><motor name="m" joint="slider" gear="0 0 10 0 0 0"/></actuator>')
    )
    result = Audit(model, {"duration_s": 3, "measures": SLID}, ConstantControl(model, {"m": 1e9})).run()["result"]
    assert result["outcome"] == "diverged"
    assert [result[name] for name in SLID] == [None] * len(SLID)
    assert result["warnings"] > 0
    assert 900 < result["steps"] < 1100  # 5e9 m/s^2 reach the 1e10 m/s that are too much in 1000 steps


def test_outcomes_of_the_users_own_are_asked_at_the_end(scene_of):
    def outcomes(model, data, measures):
        return {"stopped": measures["way_m"] < 0.01, "where": f"{data.time:.1f} s"}

    definition = {"duration_s": 0.1, "measures": SLID}
    result = Audit(scene_of(SLIDER), definition, outcomes=outcomes).run()["result"]
    assert (result["stopped"], result["where"]) == (True, "0.1 s")


@pytest.mark.parametrize("returned", [None, {"a": 1.5}, {"way_m": True}, {"digest": "x"}])
def test_an_outcome_that_is_none_is_refused(scene_of, returned):
    audit = Audit(scene_of(SLIDER), {"duration_s": 0.1, "measures": SLID}, outcomes=lambda *_: returned)
    with pytest.raises(ValueError, match="allowed: a name"):
        audit.run()


def test_an_overlap_at_the_start_is_measured_and_refused_only_where_it_is_said(scene_of):
    deep = scene_of(SLIDER.replace('pos="0 0 .05"', 'pos="0 0 .04"'))
    result = Audit(deep, {"duration_s": 0.01}).run()["result"]
    assert result["start_overlap_m"] == pytest.approx(0.01)
    assert result["start_overlaps"] == "floor and slider"
    assert Audit(deep, {"duration_s": 0.01, "allowed_overlap_m": 0.0101}).run()["result"]["digest"] == result["digest"]
    with pytest.raises(
        ValueError, match=r"floor and slider overlap by 0.01 m at the start; allowed: by up to allowed_overlap_m, 0"
    ):
        Audit(deep, {"duration_s": 0.01, "allowed_overlap_m": 0}).run()


def test_what_the_start_shows_is_refused_without_a_step(scene_of):
    through = {"passage": {"passage": ["slider", "floor"]}}
    sunk = SLIDER.replace('pos="0 0 .05"', 'pos="0 0 0"')
    for definition, said in (
        ({"measures": through}, "starts on its mid-plane"),
        ({"allowed_overlap_m": 0}, "overlap by 0.05 m"),
    ):
        with pytest.raises(ValueError, match=said):
            Audit(scene_of(sunk), {"duration_s": 1} | definition).check()
    assert Audit(scene_of(SLIDER), {"duration_s": 1, "measures": through}).check() is None


def test_a_keyframes_clock_is_not_the_runs(scene_of):
    """Times are counted from the start, whatever time a keyframe has."""
    model = scene_of(SLIDER.replace("</mujoco>", '<keyframe><key name="late" time="7"/></keyframe></mujoco>'))
    measures = {"x_m": {"body": "slider", "quantity": "x_m", "at": 0.05}}
    record = Audit(model, {"duration_s": 0.1, "start": {"keyframe": "late"}, "measures": measures}).run(["x_m"])
    assert record["series"]["times_s"][-1] == pytest.approx(0.1)
    assert record["result"]["steps"] == 50


def test_a_name_that_the_result_has_is_refused():
    with pytest.raises(ValueError, match="digest is already a column of the result; allowed: a name beside outcome, why"):
        Audit(drop_scene(), {"duration_s": 1, "measures": {"digest": {"body": "cube", "quantity": "z_m"}}})


def test_a_run_shorter_than_a_timestep_is_refused():
    with pytest.raises(ValueError, match=r"duration_s is 0.0001; allowed: at least a timestep, 0.002 s"):
        Audit(drop_scene(), {"duration_s": 0.0001})


def test_a_run_that_takes_too_long_is_ended():
    with limit.limited(0), pytest.raises(TimeoutError):
        Audit(drop_scene(), DROP).run()
