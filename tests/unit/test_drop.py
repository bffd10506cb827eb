"""The drop experiment against lesson 02's tables, closed forms, and a scripted impact."""

import math
import xml.etree.ElementTree as ElementTree

import mujoco
import numpy as np
import pytest
from conftest import SCENE, drop_scene, on_the_table

from contactlab import drop, steppers
from contactlab.drop_scene import drop_mjcf
from contactlab.landing import contact_of

# Lesson 02, experiment: dt in ms, step in cm, centre at the first overlap in cm, contact seen, lowest centre in cm,
# outcome with the default solref, outcome with solref 0.005 1.
TIMESTEP = [
    (0.5, "0.22", "32.32", True, None, "passed", "kept"),
    (1, "0.44", "32.21", True, None, "passed", "kept"),
    (2, "0.87", "31.99", True, "29.60", "kept", "kept"),
    (3, "1.31", "31.34", True, None, "passed", "kept"),
    (4, "1.75", "32.43", True, "30.54", "kept", "kept"),
    (6, "2.62", "32.00", True, "30.84", "kept", "kept"),
    (8, "3.50", "29.80", True, "29.65", "kept", "kept"),
    (10, "4.37", "28.47", True, None, "passed", "passed"),
    (12, "5.25", "30.69", True, "30.69", "kept", "kept"),
    (15, "6.56", "27.36", True, None, "passed", "passed"),
    (20, "8.75", "30.72", True, "30.72", "kept", "kept"),
    (25, "10.93", None, False, None, "passed", "passed"),
    (30, None, None, False, None, "passed", "passed"),
    (40, None, None, False, None, "passed", "passed"),
    (50, "21.87", None, False, None, "passed", "passed"),
]

# Lesson 02, break: outcome, with the lowest centre in cm where it is printed.
INTEGRATORS = {
    ("Euler", 1): ("passed", None), ("Euler", 2): ("kept", "29.60"), ("Euler", 8): ("kept", "29.65"),
    ("Euler", 10): ("passed", None), ("Euler", 25): ("passed", None),
    ("implicitfast", 1): ("passed", None), ("implicitfast", 2): ("kept", "29.60"), ("implicitfast", 8): ("kept", "29.65"),
    ("implicitfast", 10): ("passed", None), ("implicitfast", 25): ("passed", None),
    ("RK4", 1): ("passed", None), ("RK4", 2): ("passed", None), ("RK4", 8): ("passed", None),
    ("RK4", 10): ("passed", None), ("RK4", 25): ("passed", None),
    ("discrete", 1): ("passed", None), ("discrete", 2): ("passed", None), ("discrete", 8): ("passed", None),
    ("discrete", 10): ("passed", None), ("discrete", 25): ("passed", None),
}  # fmt: skip


def run(dt_ms: float, integrator: str = "Euler", **axes) -> dict:
    return drop.run(drop_scene(**axes), dt_ms, integrator, duration_s=2)


def printed(metres: float | None, factor: float = 100) -> str | None:
    return None if metres is None else f"{factor * metres:.2f}"


@pytest.mark.parametrize(("dt_ms", "jump", "overlap", "seen", "lowest", "default", "stiff"), TIMESTEP)
def test_published_timestep_table(dt_ms, jump, overlap, seen, lowest, default, stiff):
    result = run(dt_ms)
    assert jump in (None, printed(result["jump_m"]))
    assert printed(result["first_overlap_centre_m"]) == overlap
    assert result["contact_seen"] == seen
    assert printed(result["lowest_centre_m"]) == lowest
    assert result["outcome"] == default
    assert run(dt_ms, solref=[0.005, 1])["outcome"] == stiff
    assert result["warnings"] == {}


@pytest.mark.parametrize(("integrator", "dt_ms"), INTEGRATORS)
def test_published_integrator_table(integrator, dt_ms):
    outcome, lowest = INTEGRATORS[integrator, dt_ms]
    result = run(dt_ms, integrator)
    assert result["outcome"] == outcome
    assert lowest in (None, printed(result["lowest_centre_m"]))


def test_published_wrong_side():
    result = run(10)
    assert f"{result['first_contact_time_s']:.3f}" == "0.460"
    assert printed(result["first_contact_depth_m"]) == "1.97"
    assert printed(result["first_contact_normal_z"], 1) == "-1.00"
    assert result["failure_mode"] == "wrong side"


def test_published_too_soft():
    result = run(1)
    assert f"{result['first_contact_time_s']:.3f}" == "0.447"
    assert printed(result["first_contact_depth_m"]) == "0.29"
    assert printed(result["first_contact_normal_z"], 1) == "1.00"
    assert f"{result['normal_flip_time_s']:.3f}" == "0.463"
    assert printed(result["normal_flip_centre_m"]) == "29.49"
    assert result["failure_mode"] == "too soft"


def test_a_flag_that_is_down_leaves_no_trace_in_the_scene():
    """Engines before 4.0 read the same bytes as ever; up, it stands in the one place that 4.0 reads it from."""
    assert "flag" not in drop_mjcf(**SCENE)
    up = ElementTree.fromstring(drop_mjcf(**SCENE | {"speculative": True}))
    assert up.find("option/flag").attrib == {"speculative": "enable"}


def test_impact_speed_is_that_of_free_fall():
    scene = drop.Scene.of(drop_scene(drop_height_m=2.0, table_top_m=0.5, cube_size_m=0.1))
    assert scene.impact_speed == pytest.approx(math.sqrt(2 * 9.81 * 2.0))
    assert scene.middle_m == pytest.approx(0.495)


@pytest.mark.parametrize("dt_ms", [0.7, 5, 9, 17])
def test_free_fall_predicts_the_first_overlap_to_the_last_bit(dt_ms):
    model = drop_scene()
    predicted = steppers.first_overlap(drop.Scene.of(model), [dt_ms / 1000])[0]
    assert run(dt_ms)["first_overlap_centre_m"] == predicted


@pytest.mark.parametrize("dt_ms", [1, 2, 10])
def test_the_normal_flips_where_the_mid_plane_is(dt_ms):
    """For a thin slab the shortest way out points up above its mid-plane and down below it."""
    trajectory = drop.Trajectory()
    drop.run(drop_scene(), dt_ms, "Euler", 0.55, trajectory)
    found = [
        (trajectory.centre_m[index - 1], normal)
        for index, normal in enumerate(trajectory.normal_z)
        if normal is not None and abs(trajectory.centre_m[index - 1] - 0.295) > 1e-9
    ]
    assert found
    assert all((normal > 0) == (centre > 0.295) for centre, normal in found)


def test_a_flip_is_told_with_the_centre_at_which_it_was_found_and_the_end_of_its_step():
    trajectory = drop.Trajectory()
    result = drop.run(drop_scene(), 1, "Euler", 0.55, trajectory)
    flip = next(index for index, normal in enumerate(trajectory.normal_z) if normal is not None and normal < 0)
    assert result["first_contact_normal_z"] > 0
    assert result["normal_flip_time_s"] == trajectory.time_s[flip]
    assert result["normal_flip_centre_m"] == trajectory.centre_m[flip - 1]


def test_a_cube_at_rest_weighs_on_the_table():
    """The contact normal acts on the cube whichever geom comes first: the force along it carries m g."""
    model = drop_scene(drop_height_m=0)
    data = mujoco.MjData(model)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    force, lift = np.zeros(6), 0.0
    for record in on_the_table(model, data):
        mujoco.mj_contactForce(model, data, record.index, force)
        lift += force[0] * drop.normal_z(data, record)
    assert lift == pytest.approx(0.1 * 9.81, rel=1e-6)


def test_geom_order_does_not_turn_the_normal():
    """The same scene with the cube defined before the table: the contact's geoms change places, the normal does not."""
    swapped = """<mujoco><worldbody>
      <body name="cube" pos="0 0 0.324"><freejoint name="cube"/><geom name="cube" type="box" size=".025 .025 .025"/></body>
      <body name="stand"><geom name="table" type="box" size=".12 .12 .005" pos="0 0 .295"/></body>
    </worldbody></mujoco>"""
    straight = drop_scene(drop_height_m=0)
    for model in (mujoco.MjModel.from_xml_string(swapped), straight):
        data = mujoco.MjData(model)
        data.joint("cube").qpos[2] = 0.324
        mujoco.mj_forward(model, data)
        contact = contact_of(on_the_table(model, data))
        assert (contact.depth_m, drop.normal_z(data, contact)) == (pytest.approx(0.001), pytest.approx(1.0))


@pytest.mark.parametrize(
    ("outcome", "contacts", "mode"),
    [
        ("kept", [1.0], "none"),
        ("passed", [], "missed contact"),
        ("passed", [-1.0, -1.0], "wrong side"),
        ("passed", [1.0, -1.0], "too soft"),
        ("passed", [1.0, 1.0], "too soft"),
        ("passed", [-1e-15], "pushed aside"),
        ("passed", [0.7], "pushed aside"),
        ("passed", [0.72], "too soft"),
        ("passed", [-0.72], "wrong side"),
        ("diverged", [1.0], "diverged"),
        ("off the table", [1.0], "off the table"),
    ],
)
def test_failure_mode_follows_from_what_was_seen(outcome, contacts, mode):
    impact = drop.Impact()
    for index, normal_z in enumerate(contacts):
        impact.see_contact(0.1 * index, 0.3, 0.001, normal_z)
    assert drop.failure_mode(outcome, impact) == mode


def test_a_reset_by_the_engine_is_not_a_kept_cube():
    scene = drop.Scene.of(drop_scene())
    for warning, outcome in (("BADQACC", "diverged"), ("CONTACTFULL", "kept")):
        assert drop.outcome_of([0, 0, 1.3], drop.Impact(first_contact_time_s=0.45), {warning: 1}, scene) == outcome
    assert drop.outcome_of([0, 0, math.nan], drop.Impact(), {}, scene) == "diverged"  # the engine would see it a step later


def test_an_integrator_that_the_engine_lacks_is_named():
    with pytest.raises(ValueError, match=r"integrator 'leapfrog': MuJoCo .* has discrete, euler, implicit"):
        run(2, "leapfrog")


def test_a_run_repeats_to_the_last_bit():
    assert run(3) == run(3)


def test_warnings_reach_the_record_and_no_log_file(tmp_path, monkeypatch):
    """A contact parameter that blows the cube up: the engine warns, and no MUJOCO_LOG.TXT is left behind."""
    monkeypatch.chdir(tmp_path)
    model = drop_scene()
    model.opt.gravity[2] = -1e12
    result = drop.run(model, 2, "Euler", 0.1)
    assert result["outcome"] == "diverged"
    assert any(name.startswith("BADQ") for name in result["warnings"])
    assert result["warning_texts"]
    assert not list(tmp_path.iterdir())
