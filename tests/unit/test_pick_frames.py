"""The pictures of a pick: their moments and outlines against geometry, and what happens where nothing renders."""

import sys
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import mujoco
import numpy as np
import pick_frames
import pytest
from conftest import call_script, run_script
from pick_pictures import CELL, EDGE_M, panel, words, write_scene
from scipy.spatial import ConvexHull

from contactlab import frames
from contactlab.scene import load_scene
from records import rendering


@pytest.fixture(scope="session")
def scene_path(robot_folder, tmp_path_factory) -> Path:
    return write_scene(tmp_path_factory.mktemp("frames"), robot_folder)


@pytest.fixture(scope="session")
def drawn(scene_path) -> dict[str, np.ndarray]:
    """The frames of the nominal pick where nothing can be rendered."""
    path = scene_path.with_name("drawn.npz")
    call_script(*words(path, scene_path), MUJOCO_GL="disabled")
    return dict(np.load(path))


def cube_outlines(pictured: dict[str, np.ndarray]) -> np.ndarray:
    """The cube's outlines (n, points, 2)."""
    return pictured["outline_m"][:, pictured["body"].tolist().index("cube")]


# What is shown


def test_a_state_is_shown_at_its_last_step_and_the_start_at_its_first():
    rows = frames.key_rows(np.array(["settle"] * 3 + ["pre"] * 2 + ["down"]))
    assert rows.tolist() == [0, 4, 5]


def test_the_six_states_are_shown_in_order(drawn):
    assert drawn["state"].tolist() == ["settle", "pre", "down", "close", "lift", "hold"]
    assert all(before < after for before, after in pairwise(drawn["time_s"]))
    ends_s = np.cumsum([CELL[f"{state}_s"] for state in ("settle", "pre", "down")]) - CELL["timestep_s"]
    assert drawn["time_s"][:3] == pytest.approx([0, *ends_s[1:]], abs=1e-9)
    assert np.diff(drawn["time_s"][3:]) == pytest.approx([CELL["lift_s"], CELL["hold_s"]], abs=1e-9)


def test_the_drawn_cube_rests_until_it_is_lifted_as_far_as_the_result_says(drawn):
    """Seen from the side, a cube's middle is halfway between its lowest and its highest corner, however it is turned."""
    up = cube_outlines(drawn)[..., 1]
    lift_m = (up.min(axis=1) + up.max(axis=1)) / 2 - EDGE_M / 2
    assert lift_m[:3] == pytest.approx([0, 0, 0], abs=2e-4)
    assert lift_m[4:] == pytest.approx(float(drawn["lift_m"]), abs=1e-3)
    assert lift_m[5] == pytest.approx(float(drawn["lift_m"]), abs=1e-6)
    assert f"{100 * lift_m[5]:.2f}" == "7.37"  # lesson 16, step 5
    assert drawn["outcome"] == "held"


# Where it is shown


def test_the_outline_of_a_standing_cube_is_a_rectangle(drawn):
    corners = cube_outlines(drawn)[0]
    azimuth = np.deg2rad(frames.AZIMUTH_DEG)
    width_m = EDGE_M * (abs(np.sin(azimuth)) + abs(np.cos(azimuth)))
    assert np.ptp(corners, axis=0) == pytest.approx([width_m, EDGE_M], abs=1e-12)
    assert ConvexHull(corners).volume == pytest.approx(width_m * EDGE_M, rel=1e-9)


def test_outlines_lie_in_the_convex_hulls_of_what_is_seen_and_nearly_fill_them(scene_path, drawn):
    """What an edge leaves out lies in a triangle over it, whose two angles there add up to at most a step of the directions."""
    flattest = np.tan(np.pi / frames.OUTLINE_POINTS)
    model = load_scene(str(scene_path))
    data, geoms = mujoco.MjData(model), frames.outlined_geoms(model)
    assert {"base", "upper_arm", "gripper", "moving_jaw_so101_v1", "cube"} < set(drawn["body"])
    data.qpos = drawn["qpos"][3]
    mujoco.mj_kinematics(model, data)
    azimuth = np.deg2rad(frames.AZIMUTH_DEG)
    for geom, outline in zip(geoms, drawn["outline_m"][3], strict=True):
        world = frames.vertices(model, geom) @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
        hull = ConvexHull(np.stack([world[:, 0] * np.sin(azimuth) - world[:, 1] * np.cos(azimuth), world[:, 2]], axis=1))
        filled, edges_m = ConvexHull(outline), np.linalg.norm(outline - np.roll(outline, 1, axis=0), axis=1)
        assert distances(outline, hull).max() < 1e-9
        assert distances(hull.points, filled).max() < edges_m.max() / 2 * flattest + 1e-9


def distances(points: np.ndarray, hull: ConvexHull) -> np.ndarray:
    """How far points (n, 2) lie beyond each edge of a hull, negative inside."""
    return points @ hull.equations[:, :-1].T + hull.equations[:, -1]


def test_a_scene_without_visual_meshes_is_refused(robot_folder, tmp_path):
    model = load_scene(str(write_scene(tmp_path, robot_folder, discardvisual=True)))
    with pytest.raises(ValueError, match="found no visual meshes of the robot, allowed is a scene with discardvisual=false"):
        frames.outlined_geoms(model)


# Without OpenGL, and again


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"limit_s": 0.01}, "timed out"),
        ({"executable": "/bin/false"}, "exit status 1"),
        ({"executable": "/nowhere/python"}, "No such file"),
    ],
)
def test_a_renderer_that_hangs_or_dies_leaves_no_pictures(scene_path, drawn, monkeypatch, capsys, broken, told):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(rendering, "LIMIT_S", broken.get("limit_s", rendering.LIMIT_S))
    monkeypatch.setattr(sys, "executable", broken.get("executable", sys.executable))
    assert pick_frames.render(scene_path, drawn["qpos"]).shape == (0, frames.HEIGHT_PX, frames.WIDTH_PX, 3)
    tried = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in tried] == ["MUJOCO_GL=egl", "MUJOCO_GL=osmesa", "MUJOCO_GL="]
    assert all(told in line for line in tried)


# The figure


def test_a_panel_names_its_state_and_shows_the_outlines(drawn):
    assert panel(drawn) == (f"close, {drawn['time_s'][3]:.2f} s", 0, 1)


def test_the_story_is_the_same_two_files_twice_and_says_when_it_is_drawn(scene_path, drawn, tmp_path):
    for name, run in (("a", run_script), ("b", call_script)):
        outputs = ["--png", tmp_path / f"{name}.png", "--svg", tmp_path / f"{name}.svg"]
        run("pick_story.py", "--frames", scene_path.with_name("drawn.npz"), *outputs)
    plt.close()
    for kind in ("png", "svg"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert "held: the cube ends 7.37 cm above its start; drawn from the recorded poses" in (tmp_path / "a.svg").read_text()
