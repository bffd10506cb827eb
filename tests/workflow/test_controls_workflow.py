"""Chapter 5 through the workflow: its tables and figure, and its rows of the ledger."""

import copy
from collections import Counter

import pandas as pd
from conftest import PROJECT, PUBLISHED, claims_of, published_table

from records import tables
from records.causes import REFUTED, explained
from records.ledger import ledger

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


def test_a_small_chain_on_two_engines_and_what_then_reruns(bare):
    config = copy.deepcopy(PUBLISHED | SMALL)
    bare.configure(config)
    cold = Counter(
        engine=2,
        controls_run=12,
        controls_curves=1,
        runtime_run=4,
        health_run=2,
        controls_table=9,
        controls_checks=1,
        controls_figure=1,
    )
    assert bare.executed(*TARGETS) == cold
    found = made(bare)
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
    assert (bare.folder / "figures/controls.png").read_bytes().startswith(b"\x89PNG")
    assert not list(bare.folder.rglob("MUJOCO_LOG.TXT"))

    assert bare.executed(*TARGETS) == Counter()

    config["controls"]["clamp"]["value"].append("1e20")
    bare.configure(config)
    assert bare.executed(*TARGETS) == Counter(controls_run=2, controls_table=1)


def test_the_published_configuration_gives_the_chapters_numbers(workflow):
    """All are equal at the printed digits but timings, and two that are taken for each other."""
    done = workflow.run(*TARGETS)
    assert done.returncode == 0, done.stdout
    chapter = claims_of("hygiene")
    columns, causes = (published_table(name).query("document == 'hygiene'") for name in ("columns", "known_differences"))
    told = explained(ledger(pd.DataFrame(chapter), columns, made(workflow), {}), causes, columns, made(workflow), {})
    timings = sum(claim["kind"] == "timing" for claim in chapter)
    assert Counter(told["verdict"]) == {"exact": len(chapter) - timings - 2, "timing": timings, "differs": 2}
    different = told[told["verdict"] == "differs"]
    assert list(different["quantity"]) == ["arena_used", "stack_left"]
    assert not different["cause"].str.startswith(REFUTED).any()
    health = made(workflow)["health"]
    assert (health["chapter_check_ratio"] > 5 * health["health_check_ratio"]).all()
