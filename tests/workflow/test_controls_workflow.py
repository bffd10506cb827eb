"""Chapter 5 through the workflow: its configuration, its tables and figure, and its rows of the ledger."""

import copy
from collections import Counter

import configuration
import pandas as pd
import pytest
from conftest import PROJECT, SCHEMA
from controls_checks import spread
from controls_table import controls_table
from ledger_table import ledger
from test_configuration import ENVS, PUBLISHED, changed, error

from records import files, tables

BALL = {"axis": [1, 0, 0], "mass_kg": 1, "damping_N_s_per_m": 8, "timestep_ms": 2}
DOMINOES = {"timestep_ms": 2, "rows": 1, "per_row": 2, "gap_m": 0.1, "row_gap_m": 0.2, "tilt_rad": 0.12, "steps": 10}
SMALL = {
    "controls": {
        "engine": ["3.11.0", "3.17.0"],
        "nan": {"steps": 5},
        "displaced": {"steps": 5, "warm_up_steps": 5},
        "scan": {"integrator": ["Euler", "discrete"], "dyntype": ["none"], "gains": [{"kp": 30, "kv": 1}], "steps": 5},
        "state": {"field": ["qpos"], "steps": 20},
        "clamp": {"value": ["inf", "nan"], "steps": 5},
        "mechanism": {"actuator": {"motor": {"element": "motor", "command": 2}}, "steps": 20},
    },
    "runtime": {
        "engine": ["3.11.0", "3.17.0"],
        "facts": {"stderr": {"steps": 5}, "arena": {"steps": 5, "arena": [{"memory": "16K"}]}, "sleep": DOMINOES},
        "timings": {"timers": {"steps": 50}, "sleep": DOMINOES},
        "health": {"nu": [3], "steps": 20, "repeats": 1},
    },
}
SCANS = ["nan", "displaced", "scan", "state", "clamp", "mechanism"]
TABLES = [*(f"controls_{scan}" for scan in SCANS), "controls_checks", "runtime", "runtime_timings", "health"]
TARGETS = [*(f"results/{table}.csv" for table in TABLES), "figures/controls.png"]


def made(workflow) -> dict[str, pd.DataFrame]:
    return {table: tables.read(workflow.folder / f"results/{table}.csv") for table in TABLES}


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("controls.nans", {}, "config.controls has the unknown key 'nans'; allowed: engine, nan, displaced, scan"),
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
        ("runtime.facts.sleeping", {}, "config.runtime.facts has the unknown key 'sleeping'; allowed: forward, reset"),
        ("runtime.facts.arena.arena", [{"memory": "none"}], "memory is 'none'; allowed: a number of bytes, or a number"),
        ("runtime.health.nu", [0], "config.runtime.health.nu[0] is 0; allowed: 1 or more"),
        ("drop.sweeps", {"health": PUBLISHED["drop"]["sweeps"]["timestep"]}, "has the name 'health'; allowed: lower-case"),
    ],
)  # fmt: skip
def test_a_fault_is_named_in_one_line(key, value, expected):
    assert expected in error(changed(key, value))


def test_the_committed_settings_are_the_schemas_defaults():
    bare = copy.deepcopy(PUBLISHED)
    for experiment in ("controls", "runtime"):
        bare[experiment] = {part: {} for part in PUBLISHED[experiment]} | {"engine": PUBLISHED[experiment]["engine"]}
    filled = configuration.checked(bare, SCHEMA, ENVS)
    assert {name: filled[name] for name in ("controls", "runtime")} == {
        name: PUBLISHED[name] for name in ("controls", "runtime")
    }


def test_a_configuration_without_chapter_5_is_allowed():
    rest = {name: part for name, part in PUBLISHED.items() if name not in ("controls", "runtime")}
    assert "controls" not in configuration.checked(rest, SCHEMA, ENVS)


def test_a_small_chain_on_two_engines_and_what_then_reruns(workflow):
    config = copy.deepcopy(PUBLISHED | SMALL)
    workflow.configure(config)
    cold = Counter(
        engine=2, controls_run=13, runtime_run=4, health_run=2, controls_table=9, controls_checks=1, controls_figure=1
    )
    assert workflow.executed(*TARGETS) == cold
    found = made(workflow)
    assert all(set(table["engine"]) == {"3.11.0", "3.17.0"} and table.columns[0] == "engine" for table in found.values())
    scan = found["controls_scan"].drop_duplicates(["engine", "integrator"]).set_index(["engine", "integrator"])["status"]
    assert scan["3.11.0", "discrete"] == "not in this engine"
    assert scan["3.17.0", "discrete"] == "measured"
    # 3.11 counts each bad state twice, 3.16 and later once: what a version changes is a row.
    state = found["controls_state"].query("autoreset == 'disable'").set_index("engine")["badqpos_peak"]
    assert (state["3.11.0"], state["3.17.0"]) == (40, 20)
    assert set(found["controls_mechanism"]["bitwise"]) == {"no_force zero_controls", "zero_controls"}
    page = (PROJECT / "results/README.md").read_text(encoding="utf-8")
    unexplained = {column for table in found.values() for column in table if f"`{column}`" not in page}
    assert {column for column in unexplained if not column.endswith(("_peak", "_final", "_first_step"))} == set()
    assert (workflow.folder / "figures/controls.png").read_bytes().startswith(b"\x89PNG")
    assert not list(workflow.folder.rglob("MUJOCO_LOG.TXT"))

    assert workflow.executed(*TARGETS) == Counter()

    config["controls"]["clamp"]["value"].append("1e20")
    workflow.configure(config)
    assert workflow.executed(*TARGETS) == Counter(controls_run=2, controls_table=1)


def test_the_published_configuration_gives_the_chapters_numbers(workflow, claims):
    """Of 130 numbers 118 are equal at the printed digits, 10 are timings, two are taken for each other."""
    done = workflow.run(*TARGETS)
    assert done.returncode == 0, done.stdout
    read = {"dtype": str, "keep_default_na": False}
    columns, causes = (
        pd.read_csv(PROJECT / f"workflow/published/{name}.csv", **read).query("document == 'hygiene'")
        for name in ("columns", "known_differences")
    )
    chapter = pd.DataFrame([claim for claim in claims if claim["document"] == "hygiene"])
    told = ledger(chapter, columns, causes, made(workflow), {})
    assert Counter(told["verdict"]) == {"exact": 118, "timing": 10, "differs": 2}
    different = told[told["verdict"] == "differs"]
    assert list(different["quantity"]) == ["arena_used", "stack_left"]
    assert all(different["cause"])
    health = made(workflow)["health"]
    assert (health["chapter_check_ratio"] > 5 * health["health_check_ratio"]).all()


def test_every_claim_of_chapter_5_has_a_column(claims):
    columns = pd.read_csv(PROJECT / "workflow/published/columns.csv", dtype=str, keep_default_na=False)
    placed = set(columns[["document", "section", "quantity"]].itertuples(index=False, name=None))
    chapter = [claim for claim in claims if claim["document"] == "hygiene"]
    assert len(chapter) == 130
    assert all((claim["document"], claim["section"], claim["quantity"]) in placed for claim in chapter)


def test_rows_of_engines_with_other_warnings_stand_in_one_table(tmp_path):
    old = {"mujoco": "3.11.0", "rows": [{"badqpos_peak": 2, "badqpos_first_step": None}]}
    new = {"mujoco": "9.0.0", "rows": [{"badqpos_peak": 1, "badqpos_first_step": 3, "other_peak": 0}]}
    files.write_csv(tmp_path / "table.csv", controls_table({"3.11.0": old, "9.0.0-aarch64": new}))
    assert (tmp_path / "table.csv").read_text(encoding="utf-8").splitlines() == [
        "engine,badqpos_peak,badqpos_first_step,other_peak",
        "3.11.0,2,,",
        "9.0.0-aarch64,1,3,0",
    ]


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0.5, 0.5], "0.5"), ([3.0, 3], "3"), ([8, 7, 9], "7..9"), (["nan", "nan"], "nan"), ([1e-23, -2.5], "-2.5..1e-23")],
)
def test_the_spread_of_rows(values, expected):
    assert spread(pd.Series(values)) == expected
