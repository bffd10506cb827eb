"""How a pick holds its cube, against statics, MuJoCo's own distances and readings of single moments.

The robot is the gantry of test_own_robot: two sliding fingers, whose servo presses with N1 + N2 equal to its force.
"""

import math
from dataclasses import replace
from pathlib import PurePosixPath

import mujoco
import numpy as np
import pytest
from conftest import PICK_SCENE
from test_own_robot import GANTRY, PLACE_M, ROBOT, TASK

from contactlab.contacts import Between, Moments, subtree_geoms
from contactlab.grasp import cone_ratio, lift_acceleration
from contactlab.holding import friction_use, over_hold, relative_poses
from contactlab.pick import jaw_sensor, reset_pick, scripted_pick
from contactlab.pick_scene import pick_mjcf
from contactlab.scene import load_scene

CONVERGED = {"iterations": 100, "ls_iterations": 50}
CAP_N, MASS_KG, G = 6, 0.03, 9.81  # the cap is N1 + N2


@pytest.fixture
def pick(tmp_path):
    """pick(mu=0.3, task={"lift_s": 0.5}): the model, the data and the result of a pick, its solver converged."""

    def picked(task: dict | None = None, mjcf: str = GANTRY, **changes):
        (tmp_path / "gantry.xml").write_text(mjcf, encoding="utf-8")
        scene = PICK_SCENE | CONVERGED | {"cap_Nm": CAP_N, "mass_kg": MASS_KG, "condim": 3} | changes
        (tmp_path / "scene.xml").write_text(pick_mjcf(robot=PurePosixPath("gantry.xml"), meshes=".", **scene), encoding="utf-8")
        model = load_scene(str(tmp_path / "scene.xml"), ROBOT)
        data = mujoco.MjData(model)
        return model, data, scripted_pick(model, data, PLACE_M, task=replace(TASK, **(task or {})), robot=ROBOT)

    return picked


# Forces over the hold


def test_over_the_hold_the_fingers_press_alike_and_friction_carries_the_weight(pick):
    _, _, result = pick(mu=1.0)
    holding, hold = result["holding"], result["hold"]
    assert result["outcome"] == "held"
    assert holding["mean_force_fixed_N"] + holding["mean_force_moving_N"] == pytest.approx(CAP_N, rel=1e-2)
    assert holding["spread_force_fixed_N"] < 0.02 * CAP_N
    assert hold["vertical_force_N"] == pytest.approx(MASS_KG * G, rel=1e-3)
    assert holding["mean_friction_N"] == pytest.approx(MASS_KG * G, rel=1e-3)
    assert 0 <= holding["mean_slip_m_per_s"] < 1e-3
    assert holding["jitter_m"] < 1e-4


@pytest.mark.parametrize("lift_s", [1.0, 0.5])
def test_a_lift_uses_of_friction_what_its_acceleration_asks_for(pick, lift_s):
    """m (g + a) over mu (N1 + N2), the inverse of the cone ratio of the lift; a is the largest of the minimum-jerk lift."""
    mu, a = 0.5, lift_acceleration(TASK.lift_height_m - TASK.down_height_m, lift_s)
    _, _, result = pick(task={"lift_s": lift_s}, mu=mu)
    needed = MASS_KG * (G + a) / (mu * CAP_N)
    assert result["lift_hold_friction_use"] == pytest.approx(needed, rel=5e-3)
    assert 1 / cone_ratio(mu, [CAP_N], MASS_KG, G + a) == pytest.approx(needed, rel=1e-12)


def test_a_lift_that_asks_for_more_than_friction_gives_drops_what_a_slow_one_holds(pick):
    """mu (N1 + N2) / m is 16 m/s^2: enough for g and 0.4, not for g and 43."""
    mu = 16 * MASS_KG / CAP_N
    slow, fast = (pick(task={"lift_s": lift_s}, mu=mu)[2] for lift_s in (1.0, 0.1))
    assert (slow["outcome"], fast["outcome"]) == ("held", "dropped")
    assert slow["lift_hold_friction_use"] < 0.8
    assert fast["lift_hold_friction_use"] == pytest.approx(1, abs=1e-6)


def test_a_shaken_cube_is_carried_with_its_weight_and_the_acceleration(pick):
    """A sine whose quarter period is the hold ends at its amplitude a: the fingers carry m (g + a), or m (g - a) downward."""
    a = 20.0
    for axis, load in (((0, 0, 1), G + a), ((0, 0, -2), G - a)):
        shaken = {"shake_m_s2": a, "shake_hz": 1 / (4 * 2.0), "shake_axis": axis, "hold_s": 2.0}
        result = pick(task=shaken, mu=1.0)[2]
        assert result["outcome"] == "held"
        assert result["hold"]["vertical_force_N"] == pytest.approx(MASS_KG * load, rel=0.02)


def test_a_cube_that_is_shaken_harder_than_friction_holds_is_lost(pick):
    mu = 0.1  # mu (N1 + N2) / m is 20 m/s^2
    ended = [pick(task={"shake_m_s2": a, "shake_hz": 3.0, "hold_s": 1.0}, mu=mu)[2] for a in (5.0, 60.0)]
    assert [result["outcome"] for result in ended] == ["held", "dropped"]


def test_a_pick_that_is_not_shaken_is_the_one_without_any_of_it(pick):
    at_rest, still = pick()[2], pick(task={"shake_hz": 7.0, "shake_axis": (1.0, 0, 0), "turn_joint": 1})[2]
    assert still["digest"] == at_rest["digest"]


def test_only_a_hinge_turns_the_cube(pick):
    with pytest.raises(ValueError, match="turn_joint is 3, joint 'z', which slides; allowed: a joint that turns"):
        pick(task={"turn_rad": 0.1, "turn_joint": 3})


# Depth


def test_the_depth_of_the_jaws_is_the_distance_that_mujoco_finds(pick):
    """Between the geoms themselves, by `mj_geomDistance`; a soft contact under 100 N is deep enough to tell."""
    model, data, result = pick(cap_Nm=100, solref=[0.05, 1], mu=1.0)
    cube, jaws = subtree_geoms(model, "cube"), [*subtree_geoms(model, "left"), *subtree_geoms(model, "right")]
    mujoco.mj_forward(model, data)
    apart_m = min(mujoco.mj_geomDistance(model, data, cube[0], jaw, 1.0, None) for jaw in jaws)
    assert -apart_m > 1e-3
    assert result["hold"]["depth_m"] == pytest.approx(-apart_m, rel=1e-3)
    assert result["largest_depth_m"] >= result["hold"]["depth_m"]


def test_jaws_that_are_deeper_in_the_cube_than_allowed_do_not_hold_it(pick):
    """When the close or the hold ends; the limit is in half edges of the cube, 15 mm."""
    result = pick(cap_Nm=100, solref=[0.05, 1])[2]
    depth = max(result[state]["depth_m"] for state in ("close", "hold")) / PICK_SCENE["cube_half_size_m"]
    for limit, outcome in ((1.01 * depth, "held"), (0.99 * depth, "jaws inside")):
        assert pick(task={"jaw_depth_limit": limit}, cap_Nm=100, solref=[0.05, 1])[2]["outcome"] == outcome


# A jaw and a cube are all their geoms


def test_a_jaw_touches_with_a_geom_that_hangs_on_its_body(pick):
    """The same fingers, their pads on bodies of their own: nothing of the pick changes."""
    pads = GANTRY
    for name, side in (("left", ""), ("right", "-")):
        geom = f'<geom type="box" size=".01 .003 .008" pos="0 {side}.003 -.1" mass=".05"/>'
        pads = pads.replace(geom, f'<body name="{name} pad" gravcomp="1">{geom}</body>')
    assert pads.count("pad") == 2
    whole, apart = pick()[2], pick(mjcf=pads)[2]
    assert apart["outcome"] == "held"
    assert apart["squeeze_N"] == pytest.approx(whole["squeeze_N"], rel=1e-6)


def test_a_jaw_that_hangs_on_the_other_counts_once():
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><body name="fixed"><geom name="palm" size=".1"/>
        <body name="moving"><joint name="jaw"/><geom name="finger" size=".1"/><body><geom name="tip" size=".1"/></body></body>
        </body></worldbody></mujoco>"""
    )
    names = {
        body: [model.geom(geom).name for geom in subtree_geoms(model, body, without=other)]
        for body, other in (("fixed", "moving"), ("moving", "fixed"))
    }
    assert names == {"fixed": ["palm"], "moving": ["finger", "tip"]}


# Where the solver stopped


def test_a_pick_says_where_its_solver_was_cut_short(pick):
    cut, run_out = pick(iterations=1, ls_iterations=1)[2], pick(task={"lift_s": 0.5})[2]
    assert cut["at_iterations"] > 0
    assert cut["at_line_search"] > 0
    assert cut["left_gradient"] > 0
    assert (run_out["at_iterations"], run_out["at_line_search"]) == (0, 0)
    assert run_out["solved_steps"] == run_out["steps"]


# Moments that are read together


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_moments_read_together_are_those_read_one_by_one(pick, cone):
    model, data, _ = pick(cone=cone, mu=0.3)
    reset_pick(model, data, PLACE_M, TASK, ROBOT)
    data.joint("left").qpos = data.joint("right").qpos = 0.0145  # half a millimetre inside the cube
    data.joint("z").qpos = 0.1 - 0.1854  # the pads at its height
    cube, floor = subtree_geoms(model, "cube"), np.setdiff1d(np.arange(model.ngeom), subtree_geoms(model, "cube"))
    between, kept, single, slips = Between(model, data, cube, floor), Moments(), [], []
    for _ in range(30):
        mujoco.mj_step(model, data)
        kept.keep(data)
        single.append(between.acting())
        slips.append(between.slip_m_per_s(single[-1]))
    together = kept.together()
    read = Between(model, together, cube, floor)
    contacts = read.acting()
    assert len(contacts.index) == sum(len(one.index) for one in single) > 30
    for name in ("other", "mu", "local_N", "force_N", "normal"):
        assert np.array_equal(getattr(contacts, name), np.concatenate([getattr(one, name) for one in single])), name
    assert np.array_equal(read.slip_m_per_s(contacts), np.concatenate(slips))
    moments = np.repeat(np.arange(30), [len(one.index) for one in single])
    assert np.array_equal(together.moment[contacts.index], moments)


def test_use_mean_and_spread_are_over_the_moments(pick):
    """Two moments made of one: the second reading has no contact, so its forces are 0 and it has no slip."""
    model, data, result = pick(mu=1.0)
    mujoco.mj_forward(model, data)
    kept = Moments()
    kept.keep(data)
    grip, moment = jaw_sensor(model, data, ROBOT).read_together(kept.together())
    poses = np.array([[0, 0, 0, 1, 0, 0, 0], [0, 0, 0.002, math.cos(0.05), 0, 0, math.sin(0.05)]])
    told = over_hold(grip, moment, poses)
    fixed_N = result["hold"]["force_fixed_N"]
    assert told["mean_force_fixed_N"] == pytest.approx(fixed_N / 2, rel=1e-3)
    assert told["spread_force_fixed_N"] == pytest.approx(fixed_N, rel=1e-3)
    assert told["spread_slip_m_per_s"] == 0
    assert (told["jitter_m"], told["jitter_rad"]) == pytest.approx((0.001, 0.1))
    assert (told["z_m"], told["mean_z_m"]) == pytest.approx((0.002, 0.001))
    assert friction_use(grip, moment) == pytest.approx(grip.friction_N.sum() / grip.normal_N.sum())  # mu is 1
    before = over_hold(grip, moment - 1, poses)
    assert (before["mean_force_fixed_N"], before["mean_slip_m_per_s"]) == (0, None)


def test_a_pose_is_told_in_the_frame_of_the_jaw():
    """A jaw turned by a quarter about z, 1 m along x; the cube 1 m further along y is 1 m along the jaw's own x."""
    half = math.sqrt(0.5)
    place_m, quat = np.array([[1.0, 0, 0], [1, 1, 0]]), np.array([[half, 0, 0, half], [1.0, 0, 0, 0]])
    [pose] = relative_poses([(place_m, quat)], 1, 0)
    assert pose == pytest.approx([1, 0, 0, half, 0, 0, -half], abs=1e-12)
