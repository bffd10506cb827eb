"""What each axis of a drop does: it reaches the compiled model, and moves the physics the way its documentation says."""

import itertools
import math

import mujoco
import numpy as np
import pytest
from conftest import SCENE, SCHEMA, drop_scene, on_the_table
from hypothesis import given, settings
from hypothesis import strategies as st

from contactlab import drop
from contactlab.drop_scene import SAME
from contactlab.effective import effective
from contactlab.landing import contact_of
from lib import schema

DEFAULTS = schema.defaults(SCHEMA, "drop")
CORNERS = np.array(list(itertools.product((-1, 1), repeat=3)))


def run(dt_ms: float = 2, integrator: str = "Euler", duration_s: float = 2, motion: dict | None = None, **axes) -> dict:
    return drop.run(drop_scene(**axes), dt_ms, integrator, duration_s, **(motion or {}))


def state(model: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data


# Each axis reaches the compiled model

READ = {
    "iterations": (7, lambda model: model.opt.iterations),
    "ls_iterations": (9, lambda model: model.opt.ls_iterations),
    "noslip_iterations": (3, lambda model: model.opt.noslip_iterations),
    "impratio": (2.5, lambda model: model.opt.impratio),
    "solver": ("PGS", lambda model: mujoco.mjtSolver(model.opt.solver).name.removeprefix("mjSOL_").replace("NEWTON", "Newton")),
    "cone": ("elliptic", lambda model: mujoco.mjtCone(model.opt.cone).name.removeprefix("mjCONE_").lower()),
    "margin_m": (0.001, lambda model: model.geom("cube").margin[0]),
    "priority": (-2, lambda model: model.geom("cube").priority[0]),
    "table_solref": ([0.03, 2], lambda model: model.geom("table").solref.tolist()),
    "table_solimp": ([0.8, 0.9, 0.002, 0.4, 3], lambda model: model.geom("table").solimp.tolist()),
    "table_friction": ([0.3, 0.01, 0.001], lambda model: model.geom("table").friction.tolist()),
    "table_condim": (6, lambda model: model.geom("table").condim[0]),
}


@pytest.mark.parametrize("axis", READ)
def test_an_axis_reaches_the_compiled_model(axis):
    value, read = READ[axis]
    assert read(drop_scene(**{axis: value})) == value
    default = DEFAULTS[axis.removeprefix("table_")] if DEFAULTS[axis] == SAME else DEFAULTS[axis]
    assert read(drop_scene()) == default != value


def test_the_table_has_the_cubes_parameters_unless_it_has_its_own():
    model = drop_scene(solref=[0.005, 1], friction=[0.5, 0.01, 0.001], condim=4, solimp=[0.8, 0.9, 0.002, 0.4, 3])
    table, cube = model.geom("table"), model.geom("cube")
    for name in ("solref", "friction", "condim", "solimp"):
        assert getattr(table, name).tolist() == getattr(cube, name).tolist(), name
    assert drop_scene(solref=[0.005, 1], table_solref=[0.02, 1]).geom("cube").solref.tolist() == [0.005, 1]


def test_defaults_of_solver_options_are_those_of_mujoco():
    """A scene in which they stand is the one in which nothing names them."""
    model, bare = drop_scene(), mujoco.MjModel.from_xml_string("<mujoco/>")
    for name in ("impratio", "iterations", "ls_iterations", "noslip_iterations", "cone", "solver"):
        assert getattr(model.opt, name) == getattr(bare.opt, name), name
    for name in ("geom_margin", "geom_priority", "geom_gap"):
        assert not getattr(model, name).any(), name
    assert model.body("cube").quat.tolist() == [1, 0, 0, 0]


# Orientation and motion at the start


@given(*[st.floats(-6.3, 6.3).map(lambda angle_rad: round(angle_rad, 9))] * 2)
@settings(max_examples=40)
def test_a_turned_cube_starts_with_its_lowest_corner_at_the_drop_height(tilt_rad, cube_yaw_rad):
    """The corners as MuJoCo places them, against h (|cos| + |sin|) and h sum_j |R_ij|."""
    model = drop_scene(tilt_rad=tilt_rad, cube_yaw_rad=cube_yaw_rad, drop_height_m=0.5)
    data, scene = state(model), drop.Scene.of(model)
    corners_m = data.geom("cube").xpos + 0.025 * CORNERS @ data.geom("cube").xmat.reshape(3, 3).T
    assert corners_m[:, 2].min() - scene.top_m == pytest.approx(0.5, abs=1e-12)
    assert scene.half_m == pytest.approx(0.025 * (abs(math.cos(tilt_rad)) + abs(math.sin(tilt_rad))), abs=1e-12)
    half_m = drop.half_extents(data.joint("cube").qpos[3:], 0.025)
    assert half_m == pytest.approx(np.ptp(corners_m, axis=0) / 2, abs=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda quat: np.linalg.norm(quat) > 0.1), st.floats(0.2, 0.4))
@settings(max_examples=60)
def test_a_turned_cube_overlaps_where_mujoco_finds_a_contact(quat, height_m):
    """Over a wide table the closed form and the engine's collision detection agree, but at a hair's breadth."""
    model = drop_scene()
    data, scene = state(model), drop.Scene.of(model)
    quat = np.array(quat) / np.linalg.norm(quat)
    half_m = drop.half_extents(quat, 0.025)[2]
    gap_m = max(height_m - half_m - scene.top_m, scene.bottom_m - height_m - half_m)
    if abs(gap_m) > 1e-5:
        data.joint("cube").qpos = [0, 0, height_m, *quat]
        mujoco.mj_forward(model, data)
        found = contact_of(on_the_table(model, data)) is not None
        assert scene.overlaps(height_m, half_m) == found == (gap_m < 0)


def test_of_several_contacts_the_deepest_is_taken():
    """A cube that stands on the table, tilted a little: its lowest corner is as deep as geometry says."""
    model = drop_scene()
    data, scene = state(model), drop.Scene.of(model)
    data.joint("cube").qpos = [0, 0, 0.322, *np.array([1, 0.02, 0.01, 0]) / np.linalg.norm([1, 0.02, 0.01, 0])]
    mujoco.mj_forward(model, data)
    depth_m = contact_of(on_the_table(model, data)).depth_m
    corners_m = data.geom("cube").xpos + 0.025 * CORNERS @ data.geom("cube").xmat.reshape(3, 3).T
    assert depth_m == pytest.approx(scene.top_m - corners_m[:, 2].min(), abs=1e-12)
    assert len({round(dist, 9) for dist in data.contact.dist}) > 1


@pytest.mark.parametrize("tilt_rad", [0.3, math.pi / 4, 1.2])
def test_the_first_overlap_of_a_tilted_cube_is_that_of_its_lowest_edge(tilt_rad):
    """Whatever the tilt, the lowest point falls the same way: the first overlap comes at the same step and depth."""
    straight, tilted = run(duration_s=0.5), run(duration_s=0.5, tilt_rad=tilt_rad)
    extra_m = 0.025 * (math.cos(tilt_rad) + math.sin(tilt_rad) - 1)
    assert tilted["first_overlap_centre_m"] - straight["first_overlap_centre_m"] == pytest.approx(extra_m, abs=1e-12)
    assert tilted["first_contact_time_s"] == straight["first_contact_time_s"]
    assert tilted["first_contact_depth_m"] == pytest.approx(straight["first_contact_depth_m"], abs=1e-9)


def test_before_contact_a_moving_cube_flies_on_the_parabola_and_keeps_its_spin():
    """Semi-implicit Euler: x = v t, z = z0 - g h^2 n (n + 1) / 2, and the world's y axis is turned about at w t."""
    trajectory, steps, h, model = drop.Trajectory(), 200, 0.002, drop_scene(tilt_rad=0.4, cube_yaw_rad=1.1)
    start_m = model.body("cube").pos[2]
    result = drop.run(model, 2, "Euler", steps * h, trajectory, speed_m_per_s=0.3, spin_rad_s=5)
    assert result["final_x_m"] == pytest.approx(0.3 * steps * h, abs=1e-12)
    assert result["final_y_m"] == pytest.approx(0, abs=1e-15)
    count = np.arange(1, steps + 1)
    assert trajectory.centre_m == pytest.approx(start_m - 9.81 * h**2 * count * (count + 1) / 2, abs=1e-12)
    angle_rad, tilted, turned = 5 * h * count, rotation(0, 0.4), rotation(2, 1.1)
    extents_m = [0.025 * np.abs((rotation(1, angle) @ turned @ tilted)[2]).sum() for angle in angle_rad]
    assert trajectory.half_m == pytest.approx(extents_m, abs=1e-9)


def rotation(axis: int, angle_rad: float) -> np.ndarray:
    """The matrix of a turn about a coordinate axis."""
    matrix, (one, two) = np.eye(3), ((axis + 1) % 3, (axis + 2) % 3)
    matrix[one, one] = matrix[two, two] = math.cos(angle_rad)
    matrix[two, one], matrix[one, two] = math.sin(angle_rad), -math.sin(angle_rad)
    return matrix


@pytest.mark.parametrize(
    ("axes", "speed_m_per_s", "failure_mode"),
    [
        ({}, 0.1, "none"),
        ({}, 0.5, "off the table"),  # 22 cm sideways in free fall, beside a table that ends at 12 cm
        ({}, -0.5, "off the table"),
        ({"friction": [0, 0, 0]}, 0.15, "off the table"),  # lands on it and slides over the edge
        ({"table_width_m": 4.0, "friction": [0, 0, 0]}, 0.15, "none"),
    ],
)
def test_a_cube_that_leaves_the_table_over_its_edge_is_not_too_soft(axes, speed_m_per_s, failure_mode):
    result = run(duration_s=3, motion={"speed_m_per_s": speed_m_per_s}, **axes)
    assert result["failure_mode"] == failure_mode
    assert result["outcome"] == ("kept" if failure_mode == "none" else failure_mode)


@pytest.mark.parametrize(("dt_ms", "failure_mode"), [(1, "too soft"), (10, "wrong side"), (25, "missed contact")])
def test_a_cube_that_goes_through_while_it_moves_sideways_still_says_how(dt_ms, failure_mode):
    """At 0.05 m/s it crosses the mid-plane 2 cm from the middle, well inside the edge."""
    result = run(dt_ms, motion={"speed_m_per_s": 0.05})
    assert (result["outcome"], result["failure_mode"]) == ("passed", failure_mode)
    assert 0.02 < result["crossing_x_m"] < 0.03
    assert result["crossing_y_m"] == pytest.approx(0, abs=1e-9)


def test_a_cube_that_the_tables_edge_pushes_out_sideways_is_pushed_aside():
    """Seen first inside the slab and near its edge, the shortest way out is sideways, neither up nor down."""
    result = run(10, tilt_rad=0.7, motion={"speed_m_per_s": 0.24})
    assert result["failure_mode"] == "pushed aside"
    assert result["final_x_m"] > 0.5
    assert run(10, tilt_rad=0.7)["failure_mode"] == "wrong side"


def test_the_crossing_of_a_flight_past_the_table_is_the_parabolas():
    """x = v sqrt(2 (z0 - middle) / g), however long the steps."""
    for dt_ms in (0.5, 5):
        result = run(dt_ms, duration_s=0.6, motion={"speed_m_per_s": 1})
        fall_s = math.sqrt(2 * (0.3 + 0.025 + 0.975 - 0.295) / 9.81)
        assert result["crossing_x_m"] == pytest.approx(fall_s, abs=dt_ms / 1000)
        assert result["first_overlap_centre_m"] is None


# Options of the solver and parameters of the contact


def slip_m(tilt_rad: float = 0.3, seconds: float = 0.5, **axes) -> float:
    """How far a cube creeps down a table inclined by turning gravity, friction 1, in `seconds` after it has settled."""
    model = drop_scene(drop_height_m=0, cone="elliptic", **axes)
    model.opt.gravity[:] = 9.81 * np.array([math.sin(tilt_rad), 0, -math.cos(tilt_rad)])
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 500)
    start_m = data.qpos[0]
    mujoco.mj_step(model, data, round(seconds / model.opt.timestep))
    return data.qpos[0] - start_m


def test_impratio_and_noslip_take_slip_out():
    """Below the friction angle a soft contact creeps; 100 times the impedance creeps 100 times less, noslip hardly at all."""
    plain = slip_m()
    assert plain > 1e-4
    assert slip_m(impratio=100) == pytest.approx(plain / 100, rel=0.2)
    assert abs(slip_m(noslip_iterations=20)) < 1e-2 * plain


@pytest.mark.parametrize("margin_m", [0.001, 0.01])
def test_a_margin_finds_contacts_before_they_touch(margin_m):
    """The contact begins at the first step that is within the margin of the table, at a depth below 0."""
    result, plain = run(margin_m=margin_m, duration_s=0.6), run(duration_s=0.6)
    trajectory = drop.Trajectory()
    drop.run(drop_scene(), 2, "Euler", 0.6, trajectory)
    gaps_m = np.array(trajectory.centre_m) - 0.025 - 0.3
    first = gaps_m[np.flatnonzero(gaps_m < margin_m)[0]]
    assert result["first_contact_depth_m"] == pytest.approx(-first, abs=1e-9)
    assert result["first_contact_time_s"] <= plain["first_contact_time_s"]
    assert result["effective"]["margin_m"] == margin_m
    if first > 0:
        assert result["first_contact_depth_m"] < 0


def test_a_margin_holds_the_cube_that_far_above_the_table():
    kept, plain = run(margin_m=0.005), run()
    assert kept["final_z_m"] - plain["final_z_m"] == pytest.approx(0.005, abs=2e-4)


def test_a_solver_that_stops_early_ends_elsewhere():
    """A straight fall is solved in one iteration, an impact on an edge is not."""
    assert run(iterations=1)["digest"] == run()["digest"]
    for axis in ("iterations", "ls_iterations"):
        assert run(tilt_rad=0.5, **{axis: 1})["digest"] != run(tilt_rad=0.5)["digest"]


# The parameters that a contact really has

FRICTIONS = st.lists(st.floats(0, 2, allow_subnormal=False), min_size=3, max_size=3)
SOLREFS = st.one_of(
    st.tuples(st.floats(1e-4, 0.1), st.floats(0.1, 3)).map(list),
    st.tuples(st.floats(-1e5, -1) | st.just(0), st.floats(-1e3, -1) | st.just(0)).map(list),
)
SOLIMPS = st.tuples(
    st.floats(1e-5, 0.99999), st.floats(0.01, 0.99999), st.floats(1e-5, 0.01), st.floats(0.01, 0.99), st.floats(1, 5)
).map(list)
PARAMETERS = st.fixed_dictionaries(
    {"friction": FRICTIONS, "solref": SOLREFS, "solimp": SOLIMPS, "condim": st.sampled_from([1, 3, 4, 6])}
)


def mixed(cube: dict, table: dict, priority: int) -> dict:
    """MuJoCo's documented rules for two geoms of the same solmix; the cube's priority beside the table's 0."""
    if priority:
        return cube if priority > 0 else table
    direct = min(cube["solref"][0], table["solref"][0]) <= 0
    return {
        "friction": [max(pair) for pair in zip(cube["friction"], table["friction"], strict=True)],
        "condim": max(cube["condim"], table["condim"]),
        "solref": [(min(pair) if direct else sum(pair) / 2) for pair in zip(cube["solref"], table["solref"], strict=True)],
        "solimp": [sum(pair) / 2 for pair in zip(cube["solimp"], table["solimp"], strict=True)],
    }


@given(PARAMETERS, PARAMETERS, st.integers(-1, 1), st.sampled_from([0.5, 2, 20]), st.sampled_from(["pyramidal", "elliptic"]))
@settings(max_examples=150)
def test_effective_parameters_follow_the_documented_rules(cube, table, priority, dt_ms, cone):
    own = {f"table_{name}": value for name, value in table.items()}
    model = drop_scene(drop_height_m=0, margin_m=0.001, cone=cone, priority=priority, **cube, **own)
    model.opt.timestep = dt_ms / 1000
    data = state(model)
    found, rule = effective(data, 0), mixed(cube, table, priority)
    sliding, torsional, rolling = (max(value, mujoco.mjMINMU) for value in rule["friction"])
    assert found["friction"] == [sliding, sliding, torsional, rolling, rolling]
    assert found["condim"] == rule["condim"]
    assert found["margin_m"] == 0.001
    low, high = mujoco.mjMINIMP, mujoco.mjMAXIMP
    clipped = [min(max(value, low), high) for value in rule["solimp"][:2]]
    assert found["solimp"] == pytest.approx([*clipped, *rule["solimp"][2:]])
    timeconst, dampratio = rule["solref"]
    floor = 2 * dt_ms / 1000
    assert found["solref"] == pytest.approx([max(timeconst, floor) if timeconst > 0 else timeconst, dampratio], rel=1e-9)


def test_the_floor_of_two_timesteps_stands_in_the_solvers_rows_only():
    model = drop_scene(drop_height_m=0, margin_m=0.001, solref=[0.001, 1])
    data = state(model)
    assert data.contact.solref[0].tolist() == [0.001, 1]
    assert effective(data, 0)["solref"] == [0.004, 1]
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_REFSAFE
    mujoco.mj_forward(model, data)
    assert effective(data, 0)["solref"] == [0.001, 1]


@pytest.mark.parametrize("solref", [[-10000, 0], [-10000, -50], [0, -50], [0, 0]])
def test_a_direct_solref_is_a_stiffness_and_a_damping(solref):
    """The solver's rows have k = stiffness / dmax^2 and b = damping / dmax, and no damping is 0."""
    data = state(drop_scene(drop_height_m=0, margin_m=0.001, solref=solref))
    dmax = SCENE["solimp"][1]
    rows = data.efc_KBIP[data.contact[0].efc_address, :2]
    assert (0 - rows).tolist() == pytest.approx([solref[0] / dmax**2, solref[1] / dmax])
    found = effective(data, 0)["solref"]
    assert found == solref
    assert "-0.0" not in map(str, found)


@pytest.mark.parametrize("solref", [[-10000, 1], [0.01, 0], [0, 1]])
def test_the_default_acts_where_a_scene_mixes_the_two_forms_of_solref(solref):
    data = state(drop_scene(drop_height_m=0, margin_m=0.001, solref=solref))
    assert effective(data, 0)["solref"] == [0.02, 1]


def test_an_undamped_contact_gives_back_what_it_took():
    """The cube leaves at the speed at which it came, and one with damping does not.

    With dmin = dmax = d a contact has d (k x + b v) + (1 - d) g, so that without b it is a spring.
    """
    rebounds = {}
    for damping in (0, -50):
        model = drop_scene(drop_height_m=0.05, solref=[-40000, damping], solimp=[0.9, 0.9, 0.001, 0.5, 2], condim=1)
        model.opt.timestep, data, speeds = 1e-5, mujoco.MjData(model), []
        while data.time < 0.15:
            mujoco.mj_step(model, data)
            speeds.append(data.qvel[2])
        rebounds[damping] = max(speeds) / -min(speeds)
    assert rebounds[0] == pytest.approx(1, abs=0.01)
    assert rebounds[-50] < 0.9


def test_a_contact_that_the_solver_leaves_out_has_no_effective_parameters():
    """So the engine marks one that found no room in the arena; nothing may be read from another contact's rows."""
    data = state(drop_scene(drop_height_m=0, margin_m=0.001))
    assert effective(data, 0) == effective(data, 1)
    data.contact[0].efc_address = -1
    assert effective(data, 0) is None


def test_a_drop_records_what_its_first_contact_had():
    result = run(solref=[0.001, 1], priority=1, table_friction=[0.2, 0.01, 0.001], table_solref=[0.5, 1])
    assert result["effective"] == {
        "friction": [1, 1, 0.005, 0.0001, 0.0001],
        "condim": 3,
        "solref": [0.004, 1],
        "solimp": SCENE["solimp"],
        "margin_m": 0,
    }
    assert run(25)["effective"] is None


def test_the_engine_behaves_as_the_effective_solref_says():
    """A solref below the floor gives the bits of the floor itself, and so do a priority and the parameters it makes hold."""
    assert run(solref=[0.001, 1])["digest"] == run(solref=[0.004, 1])["digest"]
    assert run(table_solref=[0.005, 1], priority=-1)["digest"] == run(solref=[0.005, 1])["digest"]
