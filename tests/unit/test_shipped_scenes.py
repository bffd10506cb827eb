"""The scenes and recordings of the shipped audits, against closed forms, by bare MuJoCo."""

import csv
import math

import mujoco
import numpy as np
import pytest
import suite_controls
from conftest import PROJECT

AUDITS = PROJECT / "audits"
GRAVITY = 9.81  # m/s2


def scene(name: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_path(str(AUDITS / f"{name}.xml"))
    return model, mujoco.MjData(model)


def stopped_after_m(cone: str, direction_rad: float) -> float:
    """How far the can comes in 8 s when it rolls off in a direction, in m."""
    model, data = scene("rolling_can")
    model.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone}")
    mujoco.mj_resetDataKeyframe(model, data, 0)
    speed = math.hypot(*data.qvel[:2])
    data.qvel[:2] = speed * math.cos(direction_rad), speed * math.sin(direction_rad)
    data.qpos[3:7] = math.cos(direction_rad / 2), 0, 0, math.sin(direction_rad / 2)
    for _ in range(round(8 / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return math.hypot(*data.qpos[:2])


def test_the_can_stops_where_rolling_friction_stops_a_cylinder():
    """3/4 r v2 / (g mu): its deceleration is mu g / r over 1 + I / (m r2) = 3/2."""
    model, _ = scene("rolling_can")
    radius_m, rolling_m = model.geom("can").size[0], model.geom("can").friction[2]
    assert stopped_after_m("ELLIPTIC", math.pi / 6) == pytest.approx(0.75 * radius_m / (GRAVITY * rolling_m), rel=1e-3)


def test_the_elliptic_cone_brakes_alike_in_all_directions_and_the_pyramidal_one_does_not():
    elliptic, pyramidal = ([stopped_after_m(cone, angle) for angle in (0, math.pi / 6)] for cone in ("ELLIPTIC", "PYRAMIDAL"))
    assert elliptic[0] == pytest.approx(elliptic[1], rel=1e-3)
    assert pyramidal[1] > 1.2 * pyramidal[0]


def test_the_hand_meets_the_shelf_as_fast_as_its_damped_fall_says():
    """m dv/dt = F + m g - b v, over the distance to the shelf."""
    model, data = scene("shelf")
    model.opt.timestep = 1e-4
    data.ctrl[0] = -1
    mujoco.mj_forward(model, data)
    board, palm = model.geom("board"), model.geom("palm")
    way_m = data.geom("palm").xpos[2] - palm.size[2] - data.geom("board").xpos[2] - board.size[2]
    while data.qpos[0] > -way_m:
        mujoco.mj_step(model, data)
    mass_kg, damping = model.body("hand").mass[0], model.dof_damping[0]
    fastest = (model.actuator_gainprm[0, 0] + mass_kg * GRAVITY) / damping
    expected = fastest * (1 - math.exp(-damping / mass_kg * data.time))
    assert data.qvel[0] == pytest.approx(-expected, rel=1e-3)
    assert expected == pytest.approx(2.5, abs=0.05)  # as its caption says


def test_the_stack_and_the_bowl_start_without_overlap():
    for name in ("stack", "seating"):
        model, data = scene(name)
        mujoco.mj_forward(model, data)
        assert not (data.contact.dist < -1e-12).any()


RECORDINGS = sorted((AUDITS / "suite").glob("*.csv"))


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_is_what_its_script_writes(recording, tmp_path):
    with recording.open(newline="", encoding="utf-8") as file:
        _, *names = next(csv.reader(file))
    suite_controls.write(names, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == recording.read_text()


def test_the_recorded_controls_fill_their_range():
    times_s, values = suite_controls.controls(6)
    assert np.diff(times_s) == pytest.approx(suite_controls.SAMPLE_S)
    assert (values.min(), values.max()) == (-1, 1)
