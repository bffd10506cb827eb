"""Picks open loop: C's own, judged as other implementations' are, and with nothing but the cube's collisions."""

import os
from pathlib import PurePosixPath

import mujoco
import pytest
from conftest import PICK_SCENE, SCHEMA

from contactlab import pick_replay, recording
from contactlab.pick import scripted_pick
from contactlab.pick_cell import task_of
from contactlab.pick_scene import pick_mjcf
from contactlab.runs import state_digest, warning_counts
from contactlab.scene import load_scene
from lib import schema

CELLS = [
    {"mu": 1.0, "mass_kg": 0.03, "cap_Nm": 2.94, "position": "nominal"},
    {"mu": 0.02, "mass_kg": 0.03, "cap_Nm": 0.5, "position": 0},  # drops it
    {"mu": 0.3, "mass_kg": 0.4, "cap_Nm": 0.5, "position": 0},
]
SHARED = ("outcome", "flung", "lift_m", "squeeze_N")


@pytest.fixture(params=CELLS, ids=lambda cell: f"mu={cell['mu']:g},mass_kg={cell['mass_kg']:g}")
def written(request, robot_folder, tmp_path):
    """The path of a pick's scene, and all settings of the cell."""
    cell, path = schema.defaults(SCHEMA, "pick") | request.param, tmp_path / "scene.xml"
    scene = PICK_SCENE | {axis: value for axis, value in request.param.items() if axis in PICK_SCENE}
    robot = PurePosixPath(os.path.relpath(robot_folder / "so101.xml", tmp_path))
    path.write_text(pick_mjcf(robot=robot, **scene), encoding="utf-8")
    return str(path), cell


def test_the_recorded_controls_make_the_very_pick_with_all_collisions_and_with_the_cubes_alone(written):
    """The state machine's controls, played back, end in its bits; so they do where the arm meets nothing but the cube."""
    path, cell = written
    model = load_scene(path)
    position_m, _, task = task_of(model, cell, recording_robot := pick_replay.SO_101)
    result = scripted_pick(model, mujoco.MjData(model), position_m, task=task, robot=recording_robot)
    for collisions in ("all", "cube"):
        world = pick_replay.world(path, cell, collisions)
        found, data = recording.recorded(world)
        told = pick_replay.judged(world, found, warning_counts(data))
        assert state_digest(data) == result["digest"]
        assert {name: told[name] for name in SHARED} == {name: result[name] for name in SHARED}


def test_of_the_cube_alone_nothing_else_meets(written):
    """Every pair that is left has the cube in it, and every pair of the cube is left."""
    path, cell = written
    pairs = {}
    for collisions in ("all", "cube"):
        model = pick_replay.world(path, cell, collisions).model
        cube = model.geom("cube").id
        may = (model.geom_contype[:, None] & model.geom_conaffinity) | (model.geom_contype[:, None] & model.geom_conaffinity).T
        pairs[collisions] = {frozenset(pair) for pair in zip(*may.nonzero(), strict=True) if pair[0] != pair[1]}
        pairs[collisions, "cube"] = {pair for pair in pairs[collisions] if cube in pair}
    assert pairs["cube"] == pairs["all", "cube"] == pairs["cube", "cube"]
    assert pairs["cube"] < pairs["all"]


def test_a_shaken_gripper_is_no_control(written):
    path, cell = written
    with pytest.raises(ValueError, match="shake_m_s2 is 1, which no control gives; allowed: 0"):
        pick_replay.world(path, cell | {"shake_m_s2": 1.0})
