"""The scripted pick: its state machine against a scripted sensor, its physics against statics and published numbers."""

import json
import math
import os
from dataclasses import asdict, fields, replace
from pathlib import PurePosixPath

import mujoco
import numpy as np
import pick_ready
import pytest
import robot_fetch
from conftest import PICK_SCENE, SCHEMA, call_script, run_script
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

from contactlab import creep
from contactlab.grasp import max_mass
from contactlab.machine import PickMachine, minimum_jerk
from contactlab.pick import jaw_sensor, perturbed_picks, plan_pick, reset_pick, scripted_pick
from contactlab.pick_scene import pick_mjcf
from contactlab.runs import physics_digest, state_digest
from contactlab.scene import load_scene, require_scene
from contactlab.task import LESSON_16, SO_101, Task, cube_position
from lib import schema
from records import files, settings

NOMINAL_M = (0.22, 0.0)
DEFAULTS = schema.defaults(SCHEMA, "pick")


@pytest.fixture(scope="session")
def scene(robot_folder, tmp_path_factory):
    """Compiled scenes: scene(mu=0.3) is the nominal one with another friction."""
    folder = tmp_path_factory.mktemp("scenes")

    def compiled(**changes):
        path = folder / f"{len(list(folder.iterdir()))}.xml"
        robot = PurePosixPath(os.path.relpath(robot_folder / "so101.xml", folder))
        path.write_text(pick_mjcf(robot=robot, **PICK_SCENE | changes))
        return load_scene(str(path))

    return compiled


@pytest.fixture(scope="session")
def nominal(scene):
    """The model, the data and the recorded result of the nominal pick."""
    model = scene()
    data = mujoco.MjData(model)
    return model, data, scripted_pick(model, data, NOMINAL_M, record=True)


# Minimum jerk


@given(st.floats(0, 1))
def test_minimum_jerk_is_the_quintic(u):
    assert minimum_jerk(u) == pytest.approx(Polynomial([0, 0, 0, 10, -15, 6])(u), abs=1e-14)


def test_minimum_jerk_as_published():
    u = np.linspace(0, 1, 10001)
    speed = np.gradient([minimum_jerk(x) for x in u], u)
    assert f"{minimum_jerk(0.5):.3f}" == "0.500"
    assert f"{speed.max():.4f}" == "1.8750"
    assert (minimum_jerk(-1.0), minimum_jerk(2.0)) == (0.0, 1.0)
    step = 1e-5
    for end, inward in ((0.0, step), (1.0, -step)):
        near, far = minimum_jerk(end + inward) - minimum_jerk(end), minimum_jerk(end + 2 * inward) - minimum_jerk(end)
        assert abs(near / step) < 6e-4
        assert abs((far - 2 * near) / step**2) < 6e-4 + 60 * step  # the third derivative there is 60


# State machine

WAYPOINTS = ("home", "pre", "down", "closed", "lift", "turned")


class Script:
    """A sensor that reads from a script: functions of the time in `close`."""

    def __init__(self, touching, speed_rad_s):
        self.touching, self.speed_rad_s, self.now_s, self.asked = touching, speed_rad_s, 0.0, 0
        self.pushed_m = lambda now_s: 0.0

    def jaw_speed_rad_s(self):
        return self.speed_rad_s(self.now_s)

    def touches_both(self):
        self.asked += 1
        return self.touching(self.now_s)

    def cube_m(self):
        return np.array([0.2, self.pushed_m(self.now_s)])


def run_machine(script, task=LESSON_16, timestep_s=0.001):
    """(state, start) of every state by the script, and the machine."""
    waypoints = {name: np.full(2, float(value)) for value, name in enumerate(WAYPOINTS)}
    machine = PickMachine(waypoints, task)
    entered, step = {"settle": 0.0}, 0
    while machine.state != "done":
        step += 1
        now_s = step * timestep_s
        script.now_s = now_s - entered.get("close", math.inf)
        machine.update(now_s, script)
        entered.setdefault(machine.state, now_s)
    return entered, machine


def test_timed_states_last_as_published_and_ask_no_sensor():
    script = Script(lambda t: True, lambda t: 0.0)
    entered, _ = run_machine(script)
    assert list(entered) == ["settle", "pre", "down", "close", "lift", "hold", "done"]
    assert [entered[b] - entered[a] for a, b in (("settle", "pre"), ("pre", "down"), ("down", "close"))] == pytest.approx(
        [0.3, 1.2, 0.8], abs=1e-9
    )
    assert [entered[b] - entered[a] for a, b in (("lift", "hold"), ("hold", "done"))] == pytest.approx([1.0, 0.8], abs=1e-9)
    assert script.asked == pytest.approx(100, abs=2)  # 0.1 s of stillness after the ramp, a millisecond each


def test_close_ends_a_still_time_after_the_ramp():
    entered, machine = run_machine(Script(lambda t: True, lambda t: 0.0))
    assert entered["lift"] - entered["close"] == pytest.approx(0.3 + 0.1, abs=0.0021)
    assert machine.close_time_s == pytest.approx(entered["lift"] - entered["close"], abs=1e-12)


def test_a_contact_lost_for_a_moment_starts_the_still_time_anew():
    entered, _ = run_machine(Script(lambda t: not 0.349 < t < 0.355, lambda t: 0.0))
    assert entered["lift"] - entered["close"] == pytest.approx(0.355 + 0.1, abs=0.0021)


def test_a_jaw_that_moves_for_a_moment_starts_the_still_time_anew():
    entered, _ = run_machine(Script(lambda t: True, lambda t: 0.06 if 0.349 < t < 0.355 else 0.0))
    assert entered["lift"] - entered["close"] == pytest.approx(0.355 + 0.1, abs=0.0021)


def test_the_jaw_is_still_only_below_its_speed():
    below = np.nextafter(0.05, 0)
    assert run_machine(Script(lambda t: True, lambda t: -below))[1].close_time_s is not None
    assert run_machine(Script(lambda t: True, lambda t: -0.05))[1].close_time_s is None


def test_without_a_grip_it_lifts_at_the_time_out():
    entered, machine = run_machine(Script(lambda t: False, lambda t: 0.0))
    assert machine.close_time_s is None
    assert entered["lift"] - entered["close"] == pytest.approx(4.0, abs=0.0011)


@pytest.mark.parametrize(("touching", "close_time_s"), [(True, 0.6), (False, None)])
def test_closing_by_the_clock_ends_at_its_time_whatever_is_sensed(touching, close_time_s):
    task = replace(LESSON_16, close_fixed_s=0.6)
    entered, machine = run_machine(Script(lambda t: touching, lambda t: 1.0), task)
    assert entered["lift"] - entered["close"] == pytest.approx(0.6, abs=1e-6)
    assert machine.close_time_s == (close_time_s and pytest.approx(close_time_s, abs=1e-6))


@pytest.mark.parametrize("reachable", [True, False])
def test_a_cube_pushed_away_is_let_go_and_approached_where_it_is(reachable):
    """Pushed 1 mm a step, it is let go in the sixth; every move begins where the last one ended, on the way it came."""
    waypoints = {name: np.array([float(value)]) for value, name in enumerate(WAYPOINTS)}
    seen, script = [], Script(lambda t: True, lambda t: 0.0)

    def replan(cube_m):
        seen.append(cube_m[1])
        return {name: value + 10 for name, value in waypoints.items()} if reachable else None

    task = replace(LESSON_16, reapproach_m=0.0055, reapproaches=1)
    machine = PickMachine(waypoints, task, replan=replan)
    states, commands, step_s, pushed_m = ["settle"], [0.0], 0.001, 0.0
    script.pushed_m = lambda now_s: pushed_m
    for step in range(1, 20000):
        commands.append(machine.command((step - 1) * step_s)[0])
        pushed_m += 0.001 * (machine.state == "close" and machine.reapproaches == 0)
        machine.update(step * step_s, script)
        if machine.state != states[-1]:
            states.append(machine.state)
        if machine.state == "done":
            break
    assert states == ["settle", "pre", "down", "close", "retreat", "pre", "down", "close", "lift", "hold", "done"]
    assert machine.reapproaches == 1
    assert seen == [pytest.approx(0.007)]  # the first step in `close` is where it was before it was pushed
    assert np.abs(np.diff(commands)).max() < (11 if reachable else 1) * 1.9 * step_s / min(task.down_s, task.close_ramp_s)
    assert commands[-1] == pytest.approx(15 if reachable else 5, abs=1e-6)


def test_commands_start_and_end_at_the_waypoints():
    waypoints = {name: np.array([value, -value]) for value, name in enumerate(WAYPOINTS, 1)}
    machine, task, now_s = PickMachine(waypoints, LESSON_16), LESSON_16, 0.0
    script = Script(lambda t: True, lambda t: 0.0)
    while machine.state != "done":
        start, end = PickMachine.MOVES[machine.state]
        assert machine.command(now_s) == pytest.approx(waypoints[start], abs=1e-12)
        duration_s = getattr(task, "close_ramp_s" if machine.state == "close" else f"{machine.state}_s")
        assert machine.command(now_s + duration_s / 2) == pytest.approx((waypoints[start] + waypoints[end]) / 2, abs=1e-9)
        assert machine.command(now_s + duration_s) == pytest.approx(waypoints[end], abs=1e-9)
        state, now_s = machine.state, now_s + duration_s
        while machine.state == state:
            machine.update(now_s, script)
            now_s += 0.05 * (machine.state == state)


@pytest.mark.parametrize("timestep_s", [0.002, 0.0007, 0.005])
def test_the_controls_of_a_whole_state_are_those_of_its_steps_one_by_one(timestep_s):
    """To the last bit, as many as the state has by the engine's clock, which adds up timesteps; of `close` to its time-out."""
    rng = np.random.default_rng(0)
    waypoints = {name: rng.normal(size=6) for name in WAYPOINTS}
    machine, script, now_s, seen = PickMachine(waypoints, LESSON_16), Script(lambda t: False, lambda t: 0.0), 0.0, []
    while machine.state != "done":
        state, rows = machine.state, machine.commands(now_s, timestep_s)
        for row in rows:
            assert machine.state == state
            assert row.tobytes() == machine.command(now_s).tobytes()
            now_s += timestep_s
            machine.update(now_s, script)
        if machine.state != state:
            seen.append(state)
    assert seen == ["settle", "pre", "down", "close", "lift", "hold"]


# The nominal pick


def test_published_fingerprint_of_the_nominal_pick(nominal):
    result = nominal[-1]
    hold = result["hold"]
    assert result["outcome"] == "held"
    assert not result["flung"]
    assert f"{result['close_time_s']:.3f}" == "0.474"
    assert result["steps"] == 2287
    assert f"{result['lift_m'] * 100:.2f}" == "7.37"
    assert f"{hold['force_fixed_N']:.2f} {hold['force_moving_N']:.2f}" == "39.84 39.83"
    assert hold["jaw_contacts"] == 18
    assert result["squeeze_N"] == sum(result["close"][f"force_{jaw}_N"] for jaw in ("fixed", "moving"))
    assert f"{hold['vertical_force_N']:.3f} {hold['largest_cone_use']:.3f}" == "0.294 0.037"
    assert f"{max(result['ik_error_m'].values()) * 1000:.2f}" == "0.18"
    assert result["warnings"] == {"counters": {}, "messages": {}}


def test_friction_carries_the_weight(nominal):
    assert nominal[-1]["hold"]["vertical_force_N"] == pytest.approx(0.03 * 9.81, rel=1e-5)


def test_published_heavy_grasp_is_at_the_edge_of_its_cone(scene):
    model = scene(mu=0.3, mass_kg=0.4, cap_Nm=0.5)
    result = scripted_pick(model, mujoco.MjData(model), NOMINAL_M)
    hold = result["hold"]
    assert (result["outcome"], hold["jaw_contacts"]) == ("held", 7)
    assert f"{hold['vertical_force_N']:.3f} {hold['largest_cone_use']:.3f}" == "3.924 1.000"
    assert max_mass(0.3, [hold["force_fixed_N"], hold["force_moving_N"]]) > 0.4


@pytest.mark.parametrize(("mass_kg", "published"), [(0.4, "held"), (0.45, "dropped"), (0.7, "dropped")])
def test_published_outcomes_of_the_masses(scene, mass_kg, published):
    model = scene(mu=0.3, mass_kg=mass_kg, cap_Nm=0.5)
    result = scripted_pick(model, mujoco.MjData(model), NOMINAL_M)
    assert result["outcome"] == published
    assert result["squeeze_N"] is not None
    assert not result["flung"]


def test_published_outcome_of_a_weak_jaw(scene):
    model = scene(mu=0.05, cap_Nm=0.1)
    result = scripted_pick(model, mujoco.MjData(model), NOMINAL_M)
    assert (result["outcome"], result["close_time_s"], result["squeeze_N"]) == ("not closed", None, None)
    json.dumps(result, allow_nan=False)


def test_a_jaw_so_strong_that_it_stands_in_the_cube_does_not_hold_it(scene):
    """50 N m press with 1600 N, and the contact's spring gives way by most of the cube; 10 N m by a quarter of half an edge."""
    picks = {}
    for cap_Nm in (10, 50):
        model = scene(mu=0.5, cap_Nm=cap_Nm)
        picks[cap_Nm] = scripted_pick(model, mujoco.MjData(model), NOMINAL_M)
    assert [picks[cap_Nm]["outcome"] for cap_Nm in picks] == ["held", "jaws inside"]
    assert picks[10]["largest_depth_m"] < 0.5 * 0.015 < picks[50]["hold"]["depth_m"] < picks[50]["largest_depth_m"]


def test_a_wrist_that_turns_during_the_hold_turns_the_cube_with_it(scene):
    """wrist_roll, the last joint, stands upright: the cube turns about the vertical by as much, and is held."""
    model = scene(iterations=100, ls_iterations=50)
    turns = []
    for turn_rad in (0.0, 0.4):
        data = mujoco.MjData(model)
        result = scripted_pick(model, data, NOMINAL_M, task=replace(LESSON_16, turn_rad=turn_rad))
        assert result["outcome"] == "held"
        w, _, _, z = result["cube_quat"]
        turns.append(2 * math.atan2(z, w))
    assert abs(turns[1] - turns[0]) == pytest.approx(0.4, abs=0.02)
    assert result["holding"]["jitter_rad"] < 0.1  # in the jaw's own frame it lies still


def test_a_turn_beyond_the_range_of_its_joint_is_refused_with_the_range(nominal):
    model, data, _ = nominal
    with pytest.raises(
        ValueError, match=r"^turn_rad of 3 takes joint 'wrist_flex' to 4\.6\d* rad; allowed: -1\.658 to 1\.658$"
    ):
        scripted_pick(model, data, NOMINAL_M, task=replace(LESSON_16, turn_rad=3.0, turn_joint=4))


def test_a_solver_that_is_cut_short_is_told_where_it_changes_the_outcome(scene):
    """A pyramid with impratio 100 and lesson 16's ten iterations flings the cube; run to its end, the solver holds it."""
    picks = []
    for solver in ({}, {"iterations": 100, "ls_iterations": 50}):
        model = scene(mu=0.1, mass_kg=0.05, cap_Nm=0.5, cone="pyramidal", impratio=100, **solver)
        picks.append(scripted_pick(model, mujoco.MjData(model), NOMINAL_M))
    stock, converged = picks
    assert (stock["outcome"] == "held", converged["outcome"]) == (False, "held")
    assert stock["at_iterations"] > converged["at_iterations"]
    assert stock["left_gradient"] > 0


@pytest.mark.parametrize("cap_Nm", [1.0, 0.5, 0.3])
def test_squeeze_lies_between_cap_and_friction_loss(scene, cap_Nm):
    """A stalled jaw presses with its cap, give or take the hinge's friction loss (lesson 16, step 3)."""
    model = scene(mu=1.0, cap_Nm=cap_Nm)
    hold = scripted_pick(model, mujoco.MjData(model), NOMINAL_M)["hold"]
    loss_Nm = model.joint(SO_101.jaw_joint).frictionloss[0]
    assert f"{loss_Nm:.3f}" == "0.052"
    assert abs(hold["force_moving_N"] * hold["lever_arm_m"] - cap_Nm) <= loss_Nm


def test_outcomes_turn_at_their_limits(nominal):
    model, data, result = nominal

    def again(**changes):
        return scripted_pick(model, data, NOMINAL_M, task=replace(LESSON_16, **changes))

    lift_m, moved_m = result["lift_m"], result["distance_moved_m"]
    assert again(min_lift_m=lift_m)["outcome"] == "held"
    assert again(min_lift_m=float(np.nextafter(lift_m, 1)))["outcome"] == "dropped"
    assert not again(flung_m=moved_m)["flung"]
    assert again(flung_m=float(np.nextafter(moved_m, 0)))["flung"]
    assert again(min_lift_m=1.0, close_timeout_s=0.4)["outcome"] == "not closed"


def test_distance_moved_is_in_three_dimensions(nominal):
    result = nominal[-1]
    start_m = np.array([*NOMINAL_M, 0.015])
    assert result["distance_moved_m"] == pytest.approx(math.dist(result["cube_position_m"], start_m), abs=1e-12)
    assert result["distance_moved_m"] > result["lift_m"]


def test_recorded_controls_replay_bitwise(nominal):
    model, data, result = nominal
    trajectory = result["trajectory"]
    assert {name: array.shape for name, array in trajectory.items()} == {
        "time_s": (2287,),
        "state": (2287,),
        "qpos": (2287, model.nq),
        "ctrl": (2287, model.nu),
    }
    reset_pick(model, data, NOMINAL_M, LESSON_16, SO_101)
    for time_s, qpos, ctrl in zip(trajectory["time_s"], trajectory["qpos"], trajectory["ctrl"], strict=True):
        assert data.time == time_s
        assert np.array_equal(data.qpos, qpos)
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data)
    assert state_digest(data) == result["digest"]


def test_contacts_read_at_every_step_change_nothing(nominal):
    """The machine driven by hand, as the lesson's step 4 does, ends in the same bits."""
    model, data, result = nominal
    machine = PickMachine(plan_pick(model, data, NOMINAL_M, LESSON_16, SO_101).waypoints, LESSON_16)
    reset_pick(model, data, NOMINAL_M, LESSON_16, SO_101)
    sensor, steps = jaw_sensor(model, data, SO_101), 0
    while machine.state != "done":
        data.ctrl[:] = machine.command(data.time)
        mujoco.mj_step(model, data)
        sensor.read()
        machine.update(data.time, sensor)
        steps += 1
    assert (state_digest(data), steps) == (result["digest"], result["steps"])


def test_perturbed_starts_are_as_far_as_asked_and_repeatable(nominal, monkeypatch):
    model, data, result = nominal
    starts = []

    def watched(model, data, cube_pos, *arguments, **options):
        starts.append(np.array(cube_pos))
        return {}

    monkeypatch.setattr("contactlab.pick.run_pick", watched)
    for _ in range(2):
        perturbed_picks(model, data, NOMINAL_M, 8, 1e-3, seed=5)
    assert np.linalg.norm(np.array(starts) - NOMINAL_M, axis=1) == pytest.approx(np.full(16, 1e-3), rel=1e-12)
    assert np.array_equal(starts[:8], starts[8:])
    assert len({tuple(start) for start in starts}) == 8
    perturbed_picks(model, data, NOMINAL_M, 8, 1e-3, seed=6)
    assert not np.isclose(starts[:8], starts[16:]).any()
    monkeypatch.undo()
    others = perturbed_picks(model, data, NOMINAL_M, 2, 1e-8, seed=5)
    assert {other["outcome"] for other in others} == {"held"}
    assert len({other["digest"] for other in others} | {result["digest"]}) == 3


def test_a_reset_of_an_unstable_simulation_ends_the_pick(nominal):
    model, data, _ = nominal

    def unstable(model, data):
        mujoco.mj_step(model, data)
        if data.time > 3.0:
            data.qacc_warmstart[:] = 0
            data.qvel[0] = np.nan

    result = scripted_pick(model, data, NOMINAL_M, step=unstable)
    assert result["hold"] is None
    assert (result["outcome"], result["steps"]) == ("diverged", 1502)
    assert result["warnings"]["counters"]["BADQVEL"] >= 1
    assert len(result["warnings"]["messages"]) == 1
    json.dumps(result, allow_nan=False)


# Options of the solver, and the contact that the jaws have


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_held_cube_slips_less_the_stiffer_friction_is(scene, cone):
    """While it is held, friction creeps at a rate that impratio divides; the noslip pass takes it out."""

    def slip_m(**changes):
        """How far the cube slides down between the jaws during a hold of 4 s, beside a hold of 2 s."""
        model = scene(cone=cone, iterations=100, ls_iterations=50, **changes)
        ends = [
            scripted_pick(model, mujoco.MjData(model), NOMINAL_M, task=replace(LESSON_16, hold_s=hold_s))
            for hold_s in (2.0, 4.0)
        ]
        assert [end["outcome"] for end in ends] == ["held", "held"]
        return ends[0]["lift_m"] - ends[1]["lift_m"]

    soft, stiff = slip_m(impratio=1), slip_m(impratio=10)
    assert soft > 2 * stiff > 0
    assert abs(slip_m(impratio=1, noslip_iterations=10)) < 0.2 * soft


def test_the_cubes_priority_decides_what_the_jaw_contacts_have(scene, nominal):
    """The pads have priority 1: above it the cube's parameters hold, below it the pads' own, whatever the cube says."""
    assert nominal[-1]["effective"]["friction"] == [1, 1, 0.03, 0.003, 0.003]
    assert nominal[-1]["effective"]["solref"] == [0.01, 1]
    assert nominal[-1]["effective"]["condim"] == 4
    models = [scene(priority=0, solref=solref, mu=mu) for solref, mu in (([0.01, 1], 1.0), ([0.02, 1], 0.05))]
    found = [scripted_pick(model, mujoco.MjData(model), NOMINAL_M)["effective"] for model in models]
    assert found[0] == found[1] != nominal[-1]["effective"]


@pytest.mark.parametrize("yaw_rad", [0.2, -0.2])
def test_closing_jaws_turn_a_turned_cube_back(nominal, yaw_rad):
    """The jaws close along y: a cube that stands askew is turned most of the way back between them, and still held."""
    model, data, straight = nominal
    result = scripted_pick(model, data, NOMINAL_M, task=replace(LESSON_16, cube_yaw_rad=yaw_rad))
    assert result["outcome"] == "held"
    assert result["ik_error_m"] == straight["ik_error_m"]
    w, _, _, z = result["cube_quat"]
    assert abs(2 * math.atan2(z, w)) < 0.3 * abs(yaw_rad)


# The scene


def test_generated_scene_has_every_bit_of_one_built_in_memory(robot_folder, scene):
    odd = {"mu": 0.1 + 0.2, "mass_kg": 0.0012345678901234, "cap_Nm": 1 / 3, "timestep_s": 0.0020000000000000005}
    generated = scene(**odd)
    spec = mujoco.MjSpec.from_file(str(robot_folder / "so101.xml"))
    spec.modelname = "pick"
    spec.compiler.discardvisual = True
    spec.option.timestep = odd["timestep_s"]
    spec.actuator(SO_101.jaw_actuator).forcerange = [-odd["cap_Nm"], odd["cap_Nm"]]
    spec.add_numeric(name=SO_101.cap_numeric, data=[odd["cap_Nm"]])
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05])
    cube = spec.worldbody.add_body(name="cube", pos=[0.22, 0, 0.015])
    cube.add_freejoint(name="cube")
    cube.add_geom(
        name="cube",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.015] * 3,
        mass=odd["mass_kg"],
        friction=[odd["mu"], 0.03, 0.003],
        condim=4,
        priority=2,
        solref=[0.01, 1],
    )
    built = spec.compile()
    assert differing_arrays(generated, built) == []
    assert physics_digest(generated) == physics_digest(built)
    assert physics_digest(generated) != physics_digest(scene(**odd | {"ls_iterations": 50}))
    assert physics_digest(generated) != physics_digest(scene(**odd | {"mu": float(np.nextafter(odd["mu"], 1))}))


def differing_arrays(one, other):
    """Names of the arrays and options whose bits differ, the places of mesh files left out."""
    names = [name for name in dir(one) if name[0] != "_" and not name.endswith("pathadr")]
    names = [name for name in names if isinstance(getattr(one, name), np.ndarray)]
    assert len(names) > 300
    arrays = [name for name in names if getattr(one, name).tobytes() != getattr(other, name).tobytes()]
    options = [name for name in dir(one.opt) if name[0] != "_" and np.any(getattr(one.opt, name) != getattr(other.opt, name))]
    return arrays + options


def test_scene_text_names_no_place_on_this_machine(robot_folder):
    text = pick_mjcf(robot=PurePosixPath("../so101/so101.xml"), **PICK_SCENE)
    assert 'file="../so101/so101.xml"' in text
    assert 'meshdir="../so101/assets"' in text
    assert str(robot_folder) not in text


@pytest.mark.parametrize("name", ["mu", "mass_kg", "cap_Nm", "timestep_s", "cube_half_size_m"])
@pytest.mark.parametrize("value", [0.0, -0.1, math.nan, math.inf])
def test_scene_refuses_what_is_not_positive(name, value):
    with pytest.raises(ValueError, match=f"{name} of {value}: allowed is a finite number above 0"):
        pick_mjcf(robot=PurePosixPath("so101.xml"), **PICK_SCENE | {name: value})


# Bad input


def test_a_position_out_of_reach_names_the_pose_and_what_is_left(nominal):
    model, data, _ = nominal
    with pytest.raises(ValueError, match=r"pose 'pre' at \[0.6, 0.0, 0.07\] m is out of reach: an error of 0\.\d+ m is left"):
        scripted_pick(model, data, (0.6, 0.0))


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("name", ["jaw_open", "jaw_closed"])
def test_a_control_that_is_not_finite_is_refused_by_the_actuators_name(nominal, name, value):
    model, data, _ = nominal
    stepped = []
    with pytest.raises(ValueError, match=f"actuator 'gripper': control at waypoint '\\w+' is {value}, allowed is a finite"):
        scripted_pick(model, data, NOMINAL_M, task=replace(LESSON_16, **{name: value}), step=lambda *_: stepped.append(1))
    assert not stepped


def test_a_cube_that_the_jaws_cannot_span_is_refused(scene):
    model = scene(cube_half_size_m=0.03)
    with pytest.raises(ValueError, match=r"geom 'cube': the open jaws cannot span a cube 0\.06 m wide"):
        scripted_pick(model, mujoco.MjData(model), NOMINAL_M)


def test_a_robot_without_a_named_joint_is_refused(nominal):
    model, data, _ = nominal
    with pytest.raises(ValueError, match=r"the model has no joint of this name: .*'jaw_7'"):
        scripted_pick(model, data, NOMINAL_M, robot=replace(SO_101, jaw_joint="jaw_7"))


def test_a_cell_of_another_scene_is_refused(nominal):
    model = nominal[0]
    assert require_scene(model, PICK_SCENE | {"settle_s": 0.3}).keys() == {"position_centre_m", "discardvisual", "settle_s"}
    for name, value in {"mu": 0.3, "cap_Nm": 0.5, "mass_kg": 0.1, "integrator": "Euler", "solref": [0.02, 1]}.items():
        with pytest.raises(ValueError, match=f"{name}: the model has .*, the cell asks for"):
            require_scene(model, PICK_SCENE | {name: value})


MOVED = {
    "mu": 0.3, "mass_kg": 0.1, "cap_Nm": 0.5, "timestep_s": 0.001, "integrator": "Euler", "solver": "CG", "iterations": 7,
    "ls_iterations": 9, "noslip_iterations": 3, "impratio": 2.5, "cone": "pyramidal", "cube_half_size_m": 0.01,
    "torsional_friction_m": 0.01, "rolling_friction_m": 0.001, "condim": 6, "priority": 0, "solref": [-1000, -20],
    "solimp": [0.8, 0.9, 0.002, 0.4, 3], "margin_m": 0.001,
}  # fmt: skip
NOT_CHECKED = {"position_centre_m": [0.2, 0], "discardvisual": False}  # where a run puts the cube itself, and what has no mass


@pytest.mark.parametrize("axis", PICK_SCENE)
def test_every_axis_of_the_scene_reaches_the_compiled_model_and_is_asked_for(scene, nominal, axis):
    """An axis moved in the MJCF is refused for a model without it, and accepted for the one with it."""
    moved = PICK_SCENE | {axis: (MOVED | NOT_CHECKED)[axis]}
    assert moved != PICK_SCENE
    assert require_scene(scene(**moved), moved).keys() == NOT_CHECKED.keys()
    if axis not in NOT_CHECKED:
        with pytest.raises(ValueError, match=f"^{axis}: the model has "):
            require_scene(nominal[0], moved)


def test_a_compiled_scene_is_the_scene(robot_folder, tmp_path):
    for name in ("model.xml", "deep/er/model.xml"):
        robot = robot_folder / "so101.xml"
        call_script("pick_model.py", "--robot", robot, "--out", tmp_path / name, *settings.to_words(PICK_SCENE))
    call_script("model_compile.py", "--model", tmp_path / "model.xml", "--out", tmp_path / "model.mjb")
    digests = {physics_digest(load_scene(str(tmp_path / name))) for name in ("model.xml", "model.mjb", "deep/er/model.xml")}
    assert len(digests) == 1


def test_plans_that_are_checked_at_the_same_time_keep_apart(robot_folder, tmp_path, monkeypatch):
    def load_late(path, robot):
        """Load a scene after that of another plan has come and gone."""
        monkeypatch.setattr(pick_ready, "load_scene", load_scene)
        pick_ready.compiled(file, robot, tmp_path / "b.json", PICK_SCENE | {"cube_half_size_m": 0.01})
        return load_scene(path, robot)

    file = robot_folder / "so101.xml"
    monkeypatch.setattr(pick_ready, "load_scene", load_late)
    model = pick_ready.compiled(file, SO_101, tmp_path / "a.json", PICK_SCENE)
    assert model.geom("cube").size[0] == PICK_SCENE["cube_half_size_m"] != 0.01
    assert list(tmp_path.iterdir()) == []


def test_the_task_of_the_library_is_that_of_the_schema():
    """`scripted_pick` can be used without the workflow: its defaults are the axes' defaults."""
    assert {name: DEFAULTS[name] for name in (item.name for item in fields(Task))} == {
        name: list(value) if isinstance(value, tuple) else value for name, value in asdict(LESSON_16).items()
    }


def test_positions_are_the_published_square():
    layout = {"centre_m": [0.22, 0], "spread_m": 0.01, "count": 10, "seed": 0}
    places = [cube_position(position, **layout) for position in range(10)]
    assert cube_position("nominal", **layout) == (0.22, 0)
    assert all(0.21 <= x <= 0.23 and -0.01 <= y <= 0.01 for x, y in places)
    assert len(set(places)) == 10
    published_m = np.random.default_rng(0).uniform(-0.01, 0.01, (10, 2))
    assert np.array_equal(places, np.add(published_m, [0.22, 0]))
    with pytest.raises(ValueError, match="position is 10; allowed: nominal, or 0 to 9"):
        cube_position(10, **layout)


def test_a_task_refuses_what_it_does_not_know_and_what_never_ends():
    with pytest.raises(ValueError, match="task setle_s: no such setting; allowed are settle_s, pre_s"):
        Task.from_config({"setle_s": 0.3})
    with pytest.raises(ValueError, match="task close_timeout_s: found inf"):
        Task.from_config({"close_timeout_s": math.inf})
    assert Task.from_config({item.name: getattr(LESSON_16, item.name) for item in fields(Task)}) == LESSON_16
    assert Task.from_config({"tool_m": [0.0, 0.0, -0.1]}).tool_m == (0.0, 0.0, -0.1)


# The scripts


def test_a_cell_is_the_same_file_twice_and_holds_its_settings(robot_folder, tmp_path):
    model = tmp_path / "model.xml"
    call_script("pick_model.py", "--robot", robot_folder / "so101.xml", "--out", model, *settings.to_words(PICK_SCENE))
    cell = PICK_SCENE | DEFAULTS | {"position": "nominal", "perturbations": 2, "hold_s": 0.1}
    run = ["--model", model, *settings.to_words(cell)]
    log = run_script("pick_run.py", *run, "--out", tmp_path / "a.json", "--trajectory", tmp_path / "a.npz")
    assert "steps of the unmoved pick took" in log
    call_script("pick_run.py", *run, "--out", tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    written = json.loads((tmp_path / "a.json").read_text())
    assert written["settings"]["hold_s"] == 0.1
    assert len(written["perturbed"]) == 2
    assert len(np.load(tmp_path / "a.npz")["qpos"]) == written["result"]["steps"] == 2287 - 350


def test_the_robots_folder_is_refused_with_another_content(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "assets").mkdir(parents=True)
    (source / "so101.xml").write_text("<mujoco/>")
    (source / "assets" / "a.stl").write_bytes(b"1")
    digest = files.folder_digest(source)
    record = robot_fetch.fetch(str(source), tmp_path / "unused.txt", digest, target)
    assert files.read_json(target / "provenance.json") == record
    assert files.folder_digest(target) == digest
    (source / "assets" / "a.stl").rename(source / "assets" / "b.stl")
    with pytest.raises(SystemExit, match=f"allowed is {digest}"):
        robot_fetch.fetch(str(source), tmp_path / "unused.txt", digest, target)
    with pytest.raises(SystemExit, match=r"holds no so101\.xml"):
        robot_fetch.fetch(str(tmp_path / "none"), tmp_path / "unused.txt", digest, target)


# Approaching anew, creep


def test_a_limit_that_no_close_reaches_changes_no_bit(scene, nominal):
    model = scene()
    task = replace(LESSON_16, reapproach_m=0.02)
    assert scripted_pick(model, mujoco.MjData(model), NOMINAL_M, task=task)["digest"] == nominal[-1]["digest"]


def test_a_cube_approached_anew_is_picked_where_the_jaws_left_it(scene):
    """The second approach goes to the cube's new place: over it stands the tool's point when the jaws close again."""
    model, task = scene(), replace(LESSON_16, reapproach_m=0.003)
    data = mujoco.MjData(model)
    result = scripted_pick(model, data, NOMINAL_M, record=True, task=task)
    assert (result["outcome"], result["reapproaches"]) == ("held", 1)
    states, qpos = (result["trajectory"][name] for name in ("state", "qpos"))
    closing = np.flatnonzero((states == "close") & (np.roll(states, 1) == "down"))
    assert len(closing) == 2
    data.qpos[:] = qpos[closing[1]]
    mujoco.mj_kinematics(model, data)
    jaw, cube_m = data.body(SO_101.fixed_jaw_body), data.body(SO_101.cube_body).xpos
    assert np.linalg.norm(cube_m[:2] - NOMINAL_M) > 0.003
    assert (jaw.xpos + jaw.xmat.reshape(3, 3) @ LESSON_16.tool_m)[:2] == pytest.approx(cube_m[:2], abs=2e-3)


def test_a_cube_that_moves_with_the_jaw_does_not_slip(scene):
    """Any pose of the arm, the cube put to the same place in the jaw's frame by hand."""
    model, rng = scene(), np.random.default_rng(0)
    data, scratch = mujoco.MjData(model), mujoco.MjData(model)
    place_m, cube = np.array([0.012, 0.003, -0.1]), model.joint(SO_101.cube_joint).qposadr[0]
    for _ in range(3):
        data.qpos[[model.joint(name).qposadr[0] for name in SO_101.arm_joints]] = rng.uniform(-1, 1, 5)
        mujoco.mj_kinematics(model, data)
        jaw = data.body(SO_101.fixed_jaw_body)
        data.qpos[cube : cube + 3] = jaw.xpos + jaw.xmat.reshape(3, 3) @ place_m
        found_m, height_m = creep.in_jaw(model, scratch, data.qpos, SO_101)
        assert found_m == pytest.approx(place_m, abs=1e-12)
        assert height_m == data.qpos[cube + 2]


def test_creep_is_sampled_over_the_whole_hold(scene):
    slip = creep.held_slip(scene(impratio=1), NOMINAL_M, replace(LESSON_16, hold_s=1.0))
    assert slip["outcome"] == "held"
    assert slip["held_s"] == [0.0, 0.5, 1.0]
    assert slip["slip_m"][0] == 0
    assert slip["slip_m"][2] == pytest.approx(2 * slip["slip_m"][1], rel=0.05)  # it creeps at a steady speed
    assert slip["sunk_m"][2] == pytest.approx(slip["slip_m"][2], rel=0.1)  # and downward
