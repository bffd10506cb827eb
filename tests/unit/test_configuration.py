"""A wrong configuration is one line that names the key, the value and what is allowed; a right one is filled in."""

import copy
import functools

import pytest
from conftest import ENVS, PROJECT, PUBLISHED, SCHEMA, changed, refusal

from lib import checks, messages, naming, schema
from lib.plan import Plan
from records import settings

SWEEP = "drop.sweeps.timestep"


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("drops", {}, "config has the unknown key 'drops'; allowed: drop, stepping, pick, controls, runtime, audits"),
        (f"{SWEEP}.dt", [1], "config.drop.sweeps.timestep has the unknown key 'dt'; allowed: dt_ms, "),
        (f"{SWEEP}.dt_ms", [0], "config.drop.sweeps.timestep.dt_ms[0] is 0; allowed: above 0"),
        (f"{SWEEP}.dt_ms", [1, -2], "config.drop.sweeps.timestep.dt_ms[1] is -2; allowed: above 0"),
        (f"{SWEEP}.dt_ms", [float("nan")], "config.drop.sweeps.timestep.dt_ms[0] is nan; allowed: a finite number"),
        (f"{SWEEP}.dt_ms", [float("inf")], "config.drop.sweeps.timestep.dt_ms[0] is inf; allowed: a finite number"),
        (f"{SWEEP}.dt_ms", ["2 ms"], "config.drop.sweeps.timestep.dt_ms[0] is '2 ms'; allowed: a number"),
        (f"{SWEEP}.dt_ms", ["1e-3"], "dt_ms[0] is '1e-3'; allowed: a number, written 1.0e-3"),
        (f"{SWEEP}.table_solref", [["1e-3", 1]], "allowed: same, or two numbers, both above 0 or neither, written 1.0e-3"),
        (f"{SWEEP}.engine", ["3"], "timestep.engine[0] is '3'; allowed: a version such as 3.17.0, as text, or with an arch"),
        (f"{SWEEP}.dt_ms", ["2"], "dt_ms[0] is '2'; allowed: a number, written 2"),
        (f"{SWEEP}.solref", [["-1e4", 0]], "timestep.solref[0][0] is '-1e4'; allowed: a number, written -1.0e+4"),
        ("pick.settings.setle_m", 1, "the unknown key 'setle_m'; allowed: settle_s, "),
        (f"{SWEEP}.mass_kg", [1], "the unknown key 'mass_kg'; allowed: cube_mass_kg, "),
        (f"{SWEEP}.thickness", [1], "the unknown key 'thickness'; allowed: table_thickness_m, "),
        (f"{SWEEP}.gravity", [1], "the unknown key 'gravity'; allowed: engine, dt_ms, integrator, solref, solimp and "),
        (f"{SWEEP}.dt_ms", [True], "config.drop.sweeps.timestep.dt_ms[0] is True; allowed: a number"),
        (f"{SWEEP}.dt_ms", 2, "config.drop.sweeps.timestep.dt_ms is 2; allowed: a list"),
        (f"{SWEEP}.dt_ms", [], "config.drop.sweeps.timestep.dt_ms is []; allowed: 1 or more"),
        (f"{SWEEP}.dt_ms", [1, 2, 1.0], "config.drop.sweeps.timestep.dt_ms is [1, 2, 1.0]; allowed: each value once"),
        (f"{SWEEP}.dt_ms", [5000], "config.drop.sweeps.timestep.dt_ms[0] is 5000; allowed: up to 1000"),
        (f"{SWEEP}.integrator", ["RK5"], "allowed: Euler, implicit, implicitfast, RK4, discrete"),
        (f"{SWEEP}.solref", [[0.02]], "config.drop.sweeps.timestep.solref[0] is [0.02]; allowed: two numbers"),
        (f"{SWEEP}.solref", [[0.02, 1, 1]], "solref[0] is [0.02, 1, 1]; allowed: two numbers"),
        (f"{SWEEP}.solref", [[0.02, -1]], "solref[0] is [0.02, -1]; allowed: two numbers, both above 0 or neither"),
        (f"{SWEEP}.solref", ["0.02 1"], "solref[0] is '0.02 1'; allowed: two numbers"),
        (f"{SWEEP}.solref", [[0.02, 1], [0.02, 1.0]], "allowed: each value once"),
        (f"{SWEEP}.impratio", [0], "timestep.impratio[0] is 0; allowed: above 0"),
        (f"{SWEEP}.iterations", [0], "timestep.iterations[0] is 0; allowed: 1 or more"),
        (f"{SWEEP}.ls_iterations", [1.5], "timestep.ls_iterations[0] is 1.5; allowed: a whole number"),
        (f"{SWEEP}.noslip_iterations", [-1], "timestep.noslip_iterations[0] is -1; allowed: 0 or more"),
        (f"{SWEEP}.margin_m", [-0.001], "timestep.margin_m[0] is -0.001; allowed: 0 or more"),
        (f"{SWEEP}.priority", [0.5], "timestep.priority[0] is 0.5; allowed: a whole number"),
        (f"{SWEEP}.table_condim", [2], "timestep.table_condim[0] is 2; allowed: same, 1, 3, 4, 6"),
        (f"{SWEEP}.table_friction", [[-1, 0, 0]], "table_friction[0] is [-1, 0, 0]; allowed: same, or three numbers from 0"),
        (f"{SWEEP}.table_solref", ["stiff"], "table_solref[0] is 'stiff'; allowed: same, or two numbers, both above 0 or"),
        (f"{SWEEP}.table_solimp", [[0.9]], "table_solimp[0] is [0.9]; allowed: same, or dmin, dmax, width in m, midpoint"),
        (f"{SWEEP}.tilt_rad", [7], "timestep.tilt_rad[0] is 7; allowed: up to 6.3"),
        (f"{SWEEP}.speed_m_per_s", ["fast"], "timestep.speed_m_per_s[0] is 'fast'; allowed: a number"),
        ("pick.settings.cone", "round", "config.pick.settings.cone is 'round'; allowed: pyramidal, elliptic"),
        ("pick.sweeps.mass.solimp", [[0.9, 1, 0.001, 0.5, 2]], "mass.solimp[0][1] is 1; allowed: below 1"),
        ("pick.sweeps.mass.cube_yaw_rad", [-9], "mass.cube_yaw_rad[0] is -9; allowed: -6.3 or more"),
        (f"{SWEEP}.drop_height_m", [-0.01], "drop_height_m[0] is -0.01; allowed: 0 to 100, the cube starts above the table"),
        (f"{SWEEP}.drop_height_m", [101], "drop_height_m[0] is 101; allowed: 0 to 100, the cube starts above the table"),
        (f"{SWEEP}.allowed_overlap_m", [-0.01], "allowed_overlap_m[0] is -0.01; allowed: 0 or more"),
        (f"{SWEEP}.table_thickness_m", [0.5], "is 0.5, which reaches below the floor; allowed: up to table_top_m, 0.3"),
        (f"{SWEEP}.engine", ["3.17.0", "3.99.0"], "timestep.engine is 3.99.0, which has no lock in envs/; allowed: "),
        (f"{SWEEP}.engine", [3.17], "drop.sweeps.timestep.engine[0] is 3.17; allowed: a version such as 3.17.0, as text"),
        (f"{SWEEP}.engine", ["latest"], "engine[0] is 'latest'; allowed: a version such as 3.17.0"),
        ("drop.sweeps", {"../up": PUBLISHED["drop"]["sweeps"]["timestep"]}, "has the name '../up'; allowed: lower-case"),
        ("drop.sweeps", {"ledger": PUBLISHED["drop"]["sweeps"]["timestep"]}, "has the name 'ledger'; allowed: lower-case"),
        ("drop.sweeps", {"engines": PUBLISHED["drop"]["sweeps"]["timestep"]}, "has the name 'engines'; allowed: lower-case"),
        ("drop.sweeps", [], "config.drop.sweeps is []; allowed: a mapping"),
        ("drop.sweps", None, "config.drop has the unknown key 'sweps'; allowed: "),
        (f"{SWEEP}.dt_ms", None, "config.drop.sweeps.timestep lacks dt_ms; it must be there"),
        (f"{SWEEP}.dt_ms", [None], "config.drop.sweeps.timestep.dt_ms[0] is None; allowed: a number"),
        ("stepping.steps", 1.5, "config.stepping.steps is 1.5; allowed: a whole number"),
        ("stepping.engine", "2.0.0", "config.stepping.engine is 2.0.0, which has no lock in envs/; allowed: "),
        ("pick.sweeps.friction.mu", [0], "config.pick.sweeps.friction.mu[0] is 0; allowed: above 0"),
        ("pick.sweeps.mass.mass_kg", [-0.1], "config.pick.sweeps.mass.mass_kg[0] is -0.1; allowed: 1e-06 or more"),
        ("pick.sweeps.torque_cap.cap_Nm", [float("nan")], "torque_cap.cap_Nm[0] is nan; allowed: a finite number"),
        ("pick.sweeps.mass.position", [0, 10], "mass.position is 10; allowed: nominal, or up to position_count - 1, 9"),
        ("pick.sweeps.mass.position", ["left"], "position[0] is 'left'; allowed: nominal, or a whole number from 0 on"),
        ("pick.settings.settle_s", 0, "config.pick.settings.settle_s is 0; allowed: above 0"),
        ("pick.settings.setle_s", 0.3, "settings has the unknown key 'setle_s'; allowed: settle_s, "),
        ("pick.robot.digest", "abc", "config.pick.robot.digest is 'abc'; allowed: 64 hexadecimal digits"),
        ("pick.timesteps_s", [0.002], "config.pick.timesteps_s is [0.002]; allowed: 2 or more"),
        ("controls.nans", {}, "config.controls has the unknown key 'nans'; allowed: nan, engine, displaced, scan"),
        ("controls.engine", ["3.99.0"], "config.controls.engine is 3.99.0, which has no lock in envs/; allowed: "),
        ("runtime.engine", [], "config.runtime.engine is []; allowed: 1 or more"),
        ("controls.nan.gravity", ["on"], "config.controls.nan.gravity[0] is 'on'; allowed: enable, disable"),
        ("controls.nan.forcerange", [True], 'config.controls.nan.forcerange[0] is True; allowed: "yes" or "no", in quotes'),
        ("controls.nan.ctrlrange_m", [1, -1], "config.controls.nan.ctrlrange_m[1] is -1; allowed: above 0"),
        ("controls.nan.servo.kd", 3, "config.controls.nan.servo has the unknown key 'kd'; allowed: kp, kv"),
        ("controls.nan.plant.axis", [0, 0, 0], "controls.nan.plant.axis is [0, 0, 0]; allowed: three numbers, not all 0"),
        ("controls.nan.plant.mass_kg", 0, "config.controls.nan.plant.mass_kg is 0; allowed: 1e-06 or more"),
        ("controls.displaced.steps", 0, "config.controls.displaced.steps is 0; allowed: 1 or more"),
        ("controls.scan.integrator", ["RK5"], "scan.integrator[0] is 'RK5'; allowed: Euler, RK4, implicit, implicitfast"),
        ("controls.scan.gains", [{"kp": 1}], "config.controls.scan.gains[0] lacks kv; it must be there"),
        ("controls.scan.band_m", float("nan"), "config.controls.scan.band_m is nan; allowed: a finite number"),
        ("controls.state.field", ["time"], "config.controls.state.field[0] is 'time'; allowed: qpos, qvel, act"),
        ("controls.clamp.value", ["$(touch hacked)"], "controls.clamp.value[0] is '$(touch hacked)'; allowed: a number as"),
        ("controls.clamp.value", [5], "config.controls.clamp.value[0] is 5; allowed: a number as text"),
        ("controls.mechanism.actuator", {"a;b": {}}, "controls.mechanism.actuator has the name 'a;b'; allowed: lower-case"),
        ("controls.mechanism.actuator.motor.element", "muscle", "is 'muscle'; allowed: motor, position, velocity, intvelocity"),
        ("runtime.facts.sleeping", {}, "config.runtime.facts has the unknown key 'sleeping'; allowed: sleep, forward, reset"),
        ("runtime.facts.arena.arena", [{"memory": "none"}], "memory is 'none'; allowed: a number of bytes, or a number"),
        ("runtime.health.nu", [0], "config.runtime.health.nu[0] is 0; allowed: 1 or more"),
        ("drop.sweeps", {"health": PUBLISHED["drop"]["sweeps"]["timestep"]}, "has the name 'health'; allowed: lower-case"),
        ("max_cells", 40, "config.pick.sweeps.friction has 90 cells, 299 with the other sweeps; allowed: max_cells, 40"),
    ],
)  # fmt: skip
def test_a_fault_is_named_in_one_line(key, value, expected):
    assert expected in refusal(changed(key, value))


def test_a_missing_key_is_named():
    config = copy.deepcopy(PUBLISHED)
    del config["drop"]["sweeps"]["timestep"]["dt_ms"]
    assert refusal(config) == "config.drop.sweeps.timestep lacks dt_ms; it must be there"


def test_a_configuration_without_chapter_5_is_allowed():
    rest = {name: part for name, part in PUBLISHED.items() if name not in ("controls", "runtime")}
    filled = checks.checked(rest, SCHEMA, ENVS)
    assert {name: filled[name] for name in ("controls", "runtime")} == {
        name: {"engine": []} for name in ("controls", "runtime")
    }


def taken_away(*keys: str) -> dict:
    """The published configuration, checked, with null for some keys."""
    config = copy.deepcopy(PUBLISHED) | {"presets": {"ours": {"drop": {"engine": ["3.17.0"], "dt_ms": [2]}}}}
    for key in keys:
        *path, last = key.split(".")
        functools.reduce(dict.__getitem__, path, config)[last] = None
    return checks.checked(config, SCHEMA, ENVS)


@pytest.mark.parametrize(
    "key",
    [
        "drop.sweeps.timestep", "drop.impact", "pick.sweeps.mass", "pick.nominal", "presets.ours", "controls.scan",
        "controls.mechanism.actuator.motor", "runtime.facts", "runtime.facts.sleep", "runtime.timings.timers", "runtime.health",
    ],
)  # fmt: skip
def test_null_takes_away_what_has_a_name_and_leaves_the_rest(key):
    path, last = key.rsplit(".", 1)
    left, all_of_it = (
        functools.reduce(dict.__getitem__, path.split("."), config) for config in (taken_away(key), taken_away())
    )
    assert left == {name: value for name, value in all_of_it.items() if name != last}
    assert last in all_of_it


def test_a_setting_that_is_null_is_at_its_default():
    found = taken_away("max_cells", "pick.converged", "pick.robot", "stepping.steps", "engines.variant", "pick.checks")
    assert found == taken_away() | {"pick": taken_away()["pick"] | {"checks": []}}


def test_a_part_of_which_nothing_is_left_is_not_there():
    left = taken_away("runtime.timings.timers", "runtime.timings.sleep")["runtime"]
    assert left == {name: part for name, part in taken_away()["runtime"].items() if name != "timings"}


def test_null_takes_away_whole_experiments():
    config = taken_away("stepping", "drop", "pick", "controls", "runtime")
    assert (config["drop"]["sweeps"], config["pick"]["sweeps"]) == ({}, {})
    assert {name: config[name]["engine"] for name in ("stepping", "controls", "runtime")} == {
        "stepping": [],
        "controls": [],
        "runtime": [],
    }
    plan = Plan(PROJECT, config, SCHEMA)
    assert plan.engines_used() == ["3.17.0"]  # of the preset
    assert [plan.records(name) for name in ("stepping", "controls", "runtime")] == [[], [], []]


def test_a_cube_starts_as_far_inside_the_table_as_is_allowed():
    config = changed(f"{SWEEP}.drop_height_m", [0.1, -0.02])
    config["drop"]["sweeps"]["timestep"]["allowed_overlap_m"] = [0.02, 0.01]
    assert refusal(config).endswith(
        "drop_height_m[1] is -0.02; allowed: 0 to 100, the cube starts above the table; or inside it, "
        "by up to allowed_overlap_m, 0.01"
    )
    config["drop"]["sweeps"]["timestep"]["allowed_overlap_m"] = [0.1]
    config["drop"]["sweeps"]["timestep"]["cube_size_m"] = [0.05, 0.03]
    assert refusal(config).endswith(
        "drop_height_m[1] is -0.02, where the cube's centre starts below the table's mid-plane; allowed: above -0.02"
    )
    del config["drop"]["sweeps"]["timestep"]["cube_size_m"]
    assert checks.checked(config, SCHEMA, ENVS)["drop"]["sweeps"]["timestep"]["drop_height_m"] == [0.1, -0.02]


def test_an_integrator_that_an_engine_lacks(tmp_path):
    for lock in ("mujoco-3.11.0", "mujoco-3.17.0", "so101"):
        (tmp_path / f"{lock}.txt").touch()
    config = changed("drop.sweeps.integrators.engine", ["3.17.0", "3.11.0"])
    assert refusal(config, tmp_path) == (
        "config.drop.sweeps.integrators.integrator is discrete, which MuJoCo 3.11.0 lacks; allowed: 3.13.0 or newer"
    )


def test_the_speculative_flag_needs_an_engine_that_has_it():
    config = changed(f"{SWEEP}.speculative", [False, True])
    assert refusal(config) == (
        "config.drop.sweeps.timestep.speculative is true, which MuJoCo 3.17.0 lacks; allowed: 4.0.0 or newer"
    )
    config["drop"]["sweeps"]["timestep"]["engine"] = ["4.0.0"]
    assert checks.checked(config, SCHEMA, ENVS)["drop"]["sweeps"]["timestep"]["speculative"] == [False, True]


def test_a_version_without_a_lock_is_told_how_to_get_one():
    assert refusal(changed("stepping.engine", "4.0.1")).endswith("after: make lock VERSION=4.0.1")


def test_a_name_too_long_for_a_file():
    sweep = PUBLISHED["drop"]["sweeps"]["timestep"]
    awkward = {
        "solref": [[-123456.789012345, -123.456789012345]],
        "solimp": [[0.912345678901234, 0.954321098765432, 0.00123456789012345, 0.512345678901234, 2.12345678901234]],
        "friction": [[0.123456789012345, 0.00512345678901234, 0.000112345678901234]],
    }
    assert "a cell's name has" in refusal(changed(SWEEP, sweep | awkward))


def test_defaults_are_filled_in():
    config = checks.checked(copy.deepcopy(PUBLISHED), SCHEMA, ENVS)
    assert config["stepping"]["curve_points"] == 121
    assert checks.checked({key: value for key, value in PUBLISHED.items() if key != "max_cells"}, SCHEMA, ENVS) == config


def test_a_cell_has_one_name_whatever_the_order_of_the_configuration():
    config = checks.checked(copy.deepcopy(PUBLISHED), SCHEMA, ENVS)
    sweep = {"engine": ["3.17.0"], "mu": [0.3], "mass_kg": [0.03], "cap_Nm": [0.5], "position": [0]}
    sweep |= {"ls_iterations": [50], "iterations": [100, 10], "hold_s": [0.8]}
    names = set()
    for items in (list(sweep.items()), list(reversed(sweep.items()))):
        for common in ({}, dict(reversed(config["pick"]["settings"].items()))):
            config["pick"]["settings"] = common
            cells = settings.grid(naming.moved(config, SCHEMA, "pick", dict(items)))
            names.add(tuple(settings.cell_name(cell) for cell in cells))
    stem = "engine=3.17.0,mu=0.3,mass_kg=0.03,cap_Nm=0.5,position=0"
    assert names == {(f"{stem},iterations=100,ls_iterations=50", f"{stem},ls_iterations=50")}


@pytest.mark.parametrize(
    ("experiment", "name", "expected"),
    [
        ("drop", "dt_ms=2,gravity=5", "drop has no axis gravity; allowed: "),
        ("drop", "integrator=RK4,dt_ms=2", "the one name of this cell is dt_ms=2,integrator=RK4"),
        ("drop", "dt_ms=2,integrator=Euler", "the one name of this cell is dt_ms=2"),
        ("drop", "dt_ms=2.0", "the one name of this cell is dt_ms=2"),
        ("drop", "dt_ms=0", "dt_ms is 0; allowed: above 0"),
        ("drop", "dt_ms=2,integrator=RK5", "integrator is 'RK5'; allowed: Euler, implicit, implicitfast, RK4, discrete"),
        ("drop", "dt_ms=2,solref=0.02_-1", "solref is [0.02, -1]; allowed: two numbers, both above 0 or neither"),
        ("pick", "mu=0.3,mass_kg=0.03,cap_Nm=0.5,position=left", "position is 'left'; allowed: nominal, or a whole number"),
    ],
)
def test_a_file_that_would_ignore_part_of_its_name_is_refused(experiment, name, expected):
    with pytest.raises(messages.ConfigError) as caught:
        naming.named(SCHEMA, experiment, name)
    assert str(caught.value).startswith(f"{name}: ")
    assert expected in str(caught.value)


def test_a_name_stands_for_all_settings_in_the_schemas_order():
    found = naming.named(SCHEMA, "drop", "dt_ms=2,solref=0.005_1")
    assert list(found) == list(schema.axes(SCHEMA, "drop"))
    assert (found["dt_ms"], found["solref"], found["integrator"]) == (2, [0.005, 1], "Euler")
    assert naming.named(SCHEMA, "drop", "default") == schema.defaults(SCHEMA, "drop")


def test_every_axis_says_what_it_is_and_where_it_acts():
    for experiment in ("drop", "pick"):
        for name, axis in schema.axes(SCHEMA, experiment).items():
            assert axis["stage"] in ("model", "run", "source"), name
            assert axis["description"], name
            assert axis["stage"] != "source" or "default" not in axis, name


def test_what_has_no_published_value_must_stand_in_every_sweep():
    assert SCHEMA["$defs"]["drop_sweep"]["required"] == ["engine", "dt_ms"]
    assert SCHEMA["$defs"]["pick_sweep"]["required"] == ["engine", "mu", "mass_kg", "cap_Nm", "position"]


def test_defaults_of_contact_axes_are_those_of_mujoco():
    """A scene with only the scene's own numbers compiles to the contact parameters that the schema calls defaults."""
    import mujoco

    model = mujoco.MjModel.from_xml_string('<mujoco><worldbody><geom type="box" size="1 1 1"/></worldbody></mujoco>')
    defaults = schema.defaults(SCHEMA, "drop")
    assert model.geom_solref[0].tolist() == defaults["solref"]
    assert model.geom_solimp[0].tolist() == defaults["solimp"]
    assert model.geom_friction[0].tolist() == defaults["friction"]
    assert model.geom_condim[0] == defaults["condim"]
    assert model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert defaults["cone"] == "pyramidal"
