"""Recorded runs: C's own, judged as other implementations' are, and how far two runs come apart."""

import math

import mujoco
import numpy as np
import pytest
from conftest import SCENE, SCHEMA, drop_scene

from contactlab import drop, drop_replay, recording
from contactlab.drop_scene import drop_mjcf
from contactlab.recording import Contacts, Recording, World
from contactlab.runs import state_digest, warning_counts
from lib import schema

DEFAULTS = schema.defaults(SCHEMA, "drop")
CELLS = [
    {"dt_ms": 1},  # too soft
    {"dt_ms": 2},
    {"dt_ms": 10},  # wrong side
    {"dt_ms": 25},  # missed contact
    {"dt_ms": 10, "integrator": "RK4"},
    {"dt_ms": 2, "tilt_rad": 0.3, "speed_m_per_s": 0.1, "spin_rad_s": 2.0},
    {"dt_ms": 4, "speed_m_per_s": 0.4, "cone": "elliptic", "margin_m": 0.002},  # off the table
    {"dt_ms": 8, "solref": [-1e6, -1.0]},  # thrown up
]


SCENE_AXES = {axis for axis, part in schema.axes(SCHEMA, "drop").items() if part["stage"] == "model"}


def world_of(tmp_path, cell: dict) -> World:
    """The world of a cell, of a scene that is written as a job writes it."""
    path = tmp_path / "scene.xml"
    path.write_text(drop_mjcf(**SCENE | {axis: value for axis, value in cell.items() if axis in SCENE_AXES}), encoding="utf-8")
    return drop_replay.world(str(path), DEFAULTS | cell)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: ",".join(f"{axis}={value}" for axis, value in cell.items()))
def test_a_recorded_drop_is_judged_as_the_drop_itself(tmp_path, cell):
    """Every column that both have is the same to the last bit, and so is the final state."""
    world, whole = world_of(tmp_path, cell), DEFAULTS | cell
    motion = {axis: whole[axis] for axis in ("speed_m_per_s", "spin_rad_s")}
    result = drop.run(world.model, whole["dt_ms"], whole["integrator"], whole["duration_s"], **motion)
    found, data = recording.recorded(world)
    told = drop_replay.judged(world, found, warning_counts(data))
    shared = told.keys() & result.keys()
    assert {"outcome", "failure_mode", "first_contact_time_s", "lowest_centre_m", "final_z_m"} <= shared
    assert {name: told[name] for name in shared} == {name: result[name] for name in shared}
    assert state_digest(data) == result["digest"]


def test_contacts_of_the_cube_with_the_table_are_counted(tmp_path):
    """A face that lands has four corners, an edge two; what falls through between two samples has none."""
    counts = {}
    for tilt_rad, dt_ms in ((0.0, 2), (math.pi / 4, 1), (0.0, 25)):
        world = world_of(tmp_path, {"tilt_rad": tilt_rad, "dt_ms": dt_ms})
        found, data = recording.recorded(world)
        counts[tilt_rad, dt_ms] = drop_replay.judged(world, found, warning_counts(data))["first_contacts"]
    assert counts == {(0.0, 2): 4, (math.pi / 4, 1): 2, (0.0, 25): 0}


def test_a_state_that_is_not_finite_is_diverged(tmp_path):
    """Other programs have no warning counters; what they leave is NaN."""
    world = world_of(tmp_path, {"dt_ms": 10})
    found, _ = recording.recorded(world)
    found.qpos[30:] = np.nan
    told = drop_replay.judged(world, found, {})
    assert (told["outcome"], told["failure_mode"], told["final_z_m"]) == ("diverged", "diverged", None)


def test_times_are_those_of_the_engine():
    model = drop_scene()
    model.opt.timestep = 0.003
    data, found = mujoco.MjData(model), []
    for _ in range(400):
        mujoco.mj_step(model, data)
        found.append(data.time)
    assert recording.times_s(0.003, 400).tolist() == found


def poses(*rows: list[float]) -> Recording:
    """A recording of nothing but a free body's poses."""
    qpos = np.array(rows, dtype=float)
    steps = len(rows) - 1
    return Recording(qpos, np.zeros((steps + 1, 6)), np.zeros((steps, 2, 3)), recording.joined([]))


def test_two_runs_are_as_far_apart_as_their_poses_are():
    """The same orientation has two quaternions, and a turn by an angle has its half in the quaternion."""
    half = 0.4 / 2
    one = poses([0, 0, 1, 1, 0, 0, 0], [0, 0, 0.9, 1, 0, 0, 0], [0, 0, 0.8, 1, 0, 0, 0])
    other = poses([0, 0, 1, -1, 0, 0, 0], [0.03, 0.04, 0.9, 1, 0, 0, 0], [0, 0.01, 0.8, math.cos(half), math.sin(half), 0, 0])
    told = recording.apart(one, other, 0, 0.002)
    assert told["largest_apart_m"] == pytest.approx(0.05)
    assert told["largest_apart_time_s"] == 0.002
    assert told["largest_turn_rad"] == pytest.approx(0.4)


def test_runs_that_are_not_finite_are_not_apart_by_any_number():
    finite, other = poses([0, 0, 1, 1, 0, 0, 0]), poses([0, 0, math.nan, 1, 0, 0, 0])
    assert set(recording.apart(finite, other, 0, 0.002).values()) == {None}


def test_contacts_are_found_between_two_sets_whatever_their_order():
    geoms = np.array([[1, 2], [2, 1], [0, 2], [1, 1]])
    contacts = Contacts(np.zeros(4, int), geoms, *(np.zeros(shape) for shape in (4, (4, 3), (4, 3), 4)))
    assert contacts.between([1], [2, 3]).tolist() == [True, True, False, False]


def test_what_differs_between_models_is_named():
    """A free body's place at the start and what follows from it; nothing of two models of one scene."""
    assert recording.differing([drop_scene(), drop_scene()]) == []
    softer = recording.differing([drop_scene(), drop_scene(solref=[0.005, 1])])
    assert softer == ["geom_solref"]
    assert {"body_mass", "geom_friction"} <= set(
        recording.differing([drop_scene(), drop_scene(cube_mass_kg=0.2, friction=[0.5, 0.005, 0.0001])])
    )
