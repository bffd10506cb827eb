"""The rendered pictures of a pick: their camera against geometry, and the same file twice; slow where no display is."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from conftest import call_script, run_script
from pick_pictures import CELL, EDGE_M, panel, words, write_scene

from contactlab import frames


@pytest.fixture(scope="module")
def scene_path(robot_folder, tmp_path_factory) -> Path:
    return write_scene(tmp_path_factory.mktemp("rendered"), robot_folder)


@pytest.fixture(scope="module")
def rendering(scene_path) -> tuple[Path, str]:
    """The file of the nominal pick's frames, as a rule has it made, and the backend that rendered them."""
    path = scene_path.with_name("rendered.npz")
    *_, last = run_script(*words(path, scene_path)).splitlines()
    return path, last.removeprefix("MUJOCO_GL=").partition(":")[0]


@pytest.fixture(scope="module")
def rendered(rendering) -> dict[str, np.ndarray]:
    """The frames of the nominal pick, where this machine renders."""
    pictured = dict(np.load(rendering[0]))
    if not len(pictured["pictures"]):
        pytest.skip("no backend of OpenGL renders here")
    return pictured


def test_the_rendered_cube_is_where_a_pinhole_camera_sees_it(rendered):
    """The blue of the first picture is centred on the pinhole image of the cube's centre."""
    azimuth, elevation = np.deg2rad([frames.AZIMUTH_DEG, frames.ELEVATION_DEG])
    forward = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    right = np.array([np.sin(azimuth), -np.cos(azimuth), 0])
    centre_m = np.array([*CELL["position_centre_m"], EDGE_M / 2])
    ray = centre_m - frames.LOOK_AT_M + frames.DISTANCE_M * forward
    focal_px = frames.HEIGHT_PX / 2 / np.tan(np.deg2rad(45) / 2)  # MuJoCo's default fovy
    across, up = focal_px * np.array([ray @ right, ray @ np.cross(right, forward)]) / (ray @ forward)
    red, _, blue = rendered["pictures"][0].astype(int).transpose(2, 0, 1)
    row, column = np.argwhere(blue - red > 60).mean(axis=0)
    half = np.array([frames.HEIGHT_PX, frames.WIDTH_PX]) / 2 - 0.5
    assert (row, column) == pytest.approx((half[0] - up, half[1] + across), abs=2)
    assert len(rendered["pictures"]) == 6


def test_frames_are_the_same_file_twice_and_those_of_what_is_drawn(scene_path, rendered, rendering, tmp_path):
    path, backend = rendering
    call_script(*words(tmp_path / "again.npz", scene_path), MUJOCO_GL=backend)
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()
    with zipfile.ZipFile(tmp_path / "again.npz") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}  # zip's zero: no clock
    call_script(*words(tmp_path / "drawn.npz", scene_path), MUJOCO_GL="disabled")
    drawn = np.load(tmp_path / "drawn.npz")
    for name in drawn.keys() - {"pictures"}:
        assert np.array_equal(drawn[name], rendered[name])


def test_a_panel_names_its_state_and_shows_its_picture(rendered):
    assert panel(rendered) == (f"close, {rendered['time_s'][3]:.2f} s", 1, 0)
