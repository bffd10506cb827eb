"""States of a run at the same times under every timestep, where two runs part, and their pictures."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from conftest import PROJECT, drop_scene

from contactlab import attributes, scene_frames
from contactlab.audit import Audit

GRAVITY = 9.81  # m/s^2, MuJoCo's default
DROP = {"duration_s": 0.4}  # free fall all the way


def poses(timestep_s: float, moments: int = 9, **definition) -> dict:
    model = drop_scene()
    attributes.apply(model, {"option.timestep": timestep_s})
    return Audit(model, DROP | definition).poses(moments)


@pytest.mark.parametrize("timestep_s", [0.001, 0.002, 0.003, 0.01])
def test_poses_are_those_at_the_times_whatever_the_timestep_is(timestep_s):
    """A body that falls for n steps of h is at z0 - g h² n (n + 1) / 2."""
    found = poses(timestep_s)
    steps = np.round(np.linspace(0, 0.4, 9) / timestep_s)
    fallen_m = GRAVITY * timestep_s**2 * steps * (steps + 1) / 2
    assert found["times_s"] == pytest.approx(np.linspace(0, 0.4, 9))
    assert found["qpos"][0, 2] - found["qpos"][:, 2] == pytest.approx(fallen_m, abs=1e-12)
    assert found["body_m"][:, 1].tolist() == found["qpos"][:, :3].tolist()
    assert not found["body_m"][:, 0].any()


def line(*places_m: float) -> dict:
    """Poses of a world and a body that moves along x."""
    return {"body_m": np.array([[[0, 0, 0], [place, 0, 0]] for place in places_m])}


def test_two_runs_part_where_a_body_is_first_seen_elsewhere():
    one, other = line(0, 1, 2, 3, 4), line(0, 1, 2.03, 3.5, 5)
    least_m = scene_frames.visible_m(one)
    assert least_m == pytest.approx(0.04)
    assert scene_frames.parting(one, other, least_m) == (3, 0.5, 1)
    assert scene_frames.parting(one, one, least_m) == (None, 0.0, 0)


@pytest.mark.parametrize(
    ("parted", "frames"),
    [
        (None, [0, 20, 40, 60, 80, 100]),
        (50, [34, 42, 50, 58, 66, 74]),
        (0, [0, 8, 16, 24, 32, 40]),
        (100, [95, 96, 97, 98, 99, 100]),
    ],
)
def test_frames_stand_around_the_moment(parted, frames):
    assert scene_frames.shown(101, parted, 6) == frames


def test_frames_are_never_beyond_the_run():
    for moments in (6, 7, 20):
        for parted in (None, *range(moments)):
            shown = scene_frames.shown(moments, parted, 6)
            assert len(shown) == 6
            assert shown == sorted(set(shown))
            assert 0 <= shown[0] <= shown[-1] < moments
            assert parted is None or shown[0] <= parted <= shown[-1]


def rendered(folder, scene: str, qpos: list) -> np.ndarray:
    """The pictures, by the first backend that works; skips where none does."""
    model = mujoco.MjModel.from_xml_string(scene)
    mujoco.mj_saveModel(model, str(folder / "scene.mjb"))
    count = len(qpos)
    np.savez(folder / "poses.npz", qpos=qpos, mocap_pos=np.zeros((count, 0, 3)), mocap_quat=np.zeros((count, 0, 4)))
    code = "import sys; from contactlab import scene_frames; scene_frames.draw(*sys.argv[1:])"
    for backend in ("egl", "osmesa"):
        environment = os.environ | {"MUJOCO_GL": backend, "PYTHONPATH": str(PROJECT / "scripts")}
        command = [sys.executable, "-c", code, "scene.mjb", "poses.npz", "pictures.npy"]
        if not subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False).returncode:
            return np.load(folder / "pictures.npy")
    return pytest.skip("no OpenGL without a display here")


def test_what_moves_is_seen_where_it_is_on_white(tmp_path):
    """A ball without a colour of its own, to the left and to the right of the middle of what is seen."""
    scene = '<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    across = np.array([-np.sin(np.deg2rad(120)), np.cos(np.deg2rad(120)), 0])
    left, right = rendered(tmp_path, scene, [[*(-0.4 * across), 1, 0, 0, 0], [*(0.4 * across), 1, 0, 0, 0]])
    assert left.shape == (scene_frames.HEIGHT_PX, scene_frames.WIDTH_PX, 3)
    assert (left[0, 0] == 255).all()
    blue = [np.argwhere(picture[:, :, 2].astype(int) - picture[:, :, 0] > 30).mean(axis=0) for picture in (left, right)]
    assert blue[0][0] == pytest.approx(blue[1][0], abs=1)
    assert abs(blue[0][1] - blue[1][1]) > 100
    assert (blue[0][1] + blue[1][1]) / 2 == pytest.approx(scene_frames.WIDTH_PX / 2, abs=2)
