"""The storyboard of an audit: two runs side by side, from their poses to the figure."""

from pathlib import Path

import audit_frames
import audit_storyboard
import matplotlib.pyplot as plt
import mujoco
import numpy as np
import pytest
from audit_records import bowl
from matplotlib.colors import to_rgba

from records import audit_cells, style

SCENE = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="box" pos="0 0 0.3"><freejoint/><geom type="box" size=".05 .05 .05"/></body></worldbody></mujoco>"""
DURATION_S, MOMENTS = 0.2, 21
CONTROL = "def control(model, data):\n    pass\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("scene") / "box.mjb"
    mujoco.mj_saveModel(mujoco.MjModel.from_xml_string(SCENE), str(path), None)
    return str(path)


def told(**changed) -> dict:
    """What a run of the box is told."""
    asked = {"audit": "box", "measures": {}, "duration_s": DURATION_S, "series": [], "files": {}, "settings": {}}
    return asked | changed


@pytest.fixture(scope="module")
def poses(model):
    """The box falling as it does on Earth, and half as fast."""
    slow = {"option.gravity": [0, 0, -9.81 / 2]}
    return [audit_cells.poses(model, told(settings=settings), None, MOMENTS) for settings in ({}, slow)]


def test_poses_are_those_of_free_fall(poses):
    """By semi-implicit Euler's sum, z = z0 - g t (t + h) / 2; what a scene lacks is empty."""
    times_s = np.linspace(0, DURATION_S, MOMENTS)
    for found, gravity in zip(poses, (9.81, 9.81 / 2), strict=True):
        assert found["times_s"] == pytest.approx(times_s)
        assert found["qpos"][:, 2] == pytest.approx(0.3 - gravity * times_s * (times_s + 0.002) / 2, abs=1e-12)
        assert found["mocap_pos"].shape == (MOMENTS, 0, 3)
        assert found["body_m"][:, 1, 2] == pytest.approx(found["qpos"][:, 2])


def test_a_run_under_code_of_the_users_own_has_the_same_poses(model, poses, tmp_path):
    """It goes through a process of its own, and arrays come back with their shapes."""
    (tmp_path / "control.py").write_text(CONTROL, encoding="utf-8")
    own = audit_cells.poses(model, told(control={"code": str(tmp_path / "control.py"), "every_s": 0.01}), None, MOMENTS)
    assert {name: array.shape for name, array in own.items()} == {name: array.shape for name, array in poses[0].items()}
    assert (own["qpos"] == poses[0]["qpos"]).all()


def test_a_run_that_ended_has_no_poses_and_says_why(model):
    with pytest.raises(ValueError, match=r"^box cannot run: no such geom$"):
        audit_cells.poses(model, told(), "no such geom", MOMENTS)


def test_frames_are_around_the_moment_of_parting(model, poses, monkeypatch):
    monkeypatch.setattr(
        audit_frames.rendering, "rendered", lambda module, model, file: np.load(file)["qpos"][:, None, None, 2:3]
    )
    found = audit_frames.frames(Path(model), *poses)
    assert found["body"] == "box"
    assert found["times_s"][0] < found["parted_s"] < found["times_s"][-1]
    assert found["apart_m"] == pytest.approx(9.81 / 4 * found["parted_s"] * (found["parted_s"] + 0.002), abs=1e-9)
    heights = found["pictures"][:, :, 0, 0, 0]  # each picture is the height of its box: two lines of all moments
    assert heights[1] - heights[0] == pytest.approx(9.81 / 4 * found["times_s"] * (found["times_s"] + 0.002), abs=1e-9)


def test_where_nothing_renders_one_line_says_so(model, poses, monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "disabled")
    with pytest.raises(ValueError, match=r"^nothing can be rendered here; allowed: "):
        audit_frames.frames(Path(model), *poses)


def test_two_lines_of_pictures_with_the_moment_of_parting_framed():
    style.theme()
    frames = {"times_s": np.array([0.1, 0.2, 0.3]), "pictures": np.zeros((2, 3, 30, 40, 3), np.uint8)}
    frames |= {"parted_s": np.array(0.15), "apart_m": np.array(0.002), "body": np.array("box")}
    audit = bowl(storyboard={"variation": "engine=4.0.0"})
    figure = audit_storyboard.figure_of(audit, frames)
    colors = [axes.spines["top"].get_edgecolor() == to_rgba(style.VERMILION) for axes in figure.axes]
    assert colors == [False, True, False] * 2
    assert [axes.get_ylabel() for axes in figure.axes] == ["reference", "", "", "engine\n4.0.0", "", ""]
    assert figure.get_suptitle() == "bowl: from 0.15 s on the body box stands elsewhere, 2 mm away then"
    never = audit_storyboard.figure_of(audit, frames | {"parted_s": np.array(np.nan)})
    assert never.get_suptitle() == "bowl: no body stands visibly elsewhere; the body box is at most 2 mm away"
    plt.close("all")
