"""Whatever a sweep asks for within the schema ends as a row: a result, or what went wrong with it."""

import math
from collections import Counter
from random import Random

import drop_model
import drop_run
import generate
import pandas as pd
import pick_model
import pick_run
import pytest
from conftest import SCHEMA, rows

from contactlab.limit import TIMED_OUT
from lib import schema
from records import drop_tables, files, pick_tables, settings, style

CELLS = 10  # of each experiment that one seed makes
MOVED = 6  # axes of a cell at most, beside those that it must have
LIMIT_S = 1.0
PICK = {"engine": ["3.17.0"], "mu": [0.3], "mass_kg": [0.03], "cap_Nm": [0.5], "position": ["nominal"]}
SHORT_PICK = {"perturbations": 1, "settle_s": 0.05, "pre_s": 0.3, "down_s": 0.2, "hold_s": 0.1, "close_timeout_s": 1.0}


def random_cell(random: Random, experiment: str, only=lambda axis: True, **kept) -> dict:
    """Every setting of a cell: a few axes anywhere the schema allows, the others at their default or as `kept`."""
    axes = {name: axis for name, axis in schema.axes(SCHEMA, experiment).items() if axis["stage"] != "source"}
    required = [name for name in axes if "default" not in axes[name]]
    free = [name for name in axes if name not in required and name not in kept and only(axes[name])]
    moved = required + random.sample(free, random.randint(1, MOVED))
    cell = schema.defaults(SCHEMA, experiment) | kept
    cell |= {name: generate.valid(random, axes[name], SCHEMA) for name in moved if name not in kept}
    return {name: cell[name] for name in axes if name in cell}


def stage(experiment: str, cell: dict, name: str) -> dict:
    return {axis: cell[axis] for axis in cell if schema.axes(SCHEMA, experiment)[axis]["stage"] == name}


def run_script(script, monkeypatch, *arguments: str) -> None:
    """A script's main."""
    monkeypatch.setattr("sys.argv", [script.__name__, *arguments])
    script.main()


def claims_no_nan(row: dict) -> bool:
    """Whether every number of a record is one: what is not known is None."""
    if isinstance(row, dict):
        return all(map(claims_no_nan, row.values()))
    if isinstance(row, list):
        return all(map(claims_no_nan, row))
    return not isinstance(row, float) or math.isfinite(row)


def checked_row(table: pd.DataFrame, record: dict) -> str:
    """The outcome of a cell, whose record and whose row claim nothing that is not known."""
    assert claims_no_nan(record), record
    (row,) = table.to_dict("records")
    outcome = row["outcome"]
    assert outcome in {*style.ENDINGS, "kept", "passed", *style.FAILURES} - {"none"}
    if outcome == TIMED_OUT:
        assert pd.isna(row.get("digest"))
        assert pd.isna(row.get("final_z_cm")) or pd.isna(row.get("cube_z_cm"))
    if outcome == "diverged":
        assert row["warnings"]
    return outcome


@pytest.mark.seeds(short=1, hard=25)
def test_a_random_drop_ends_as_a_row(tmp_path, monkeypatch, in_run, seed):
    in_run(LIMIT_S)
    random = Random(seed)
    for index in range(CELLS):
        cell = random_cell(random, "drop", speculative=False, duration_s=0.6)  # speculative is 4.0's
        thin, high = sorted((cell["table_thickness_m"], cell["table_top_m"]))
        cell |= {"table_thickness_m": thin, "table_top_m": high}  # what reaches below the floor is refused
        cell["allowed_overlap_m"] = 100  # and so is what starts deeper inside the table, or beyond its mid-plane
        cell["drop_height_m"] = max(cell["drop_height_m"], -(thin + cell["cube_size_m"]) / 4)
        model, path = tmp_path / f"{index}.xml", tmp_path / str(index) / "3.17.0/default.json"
        run_script(drop_model, monkeypatch, "--out", str(model), *settings.to_words(stage("drop", cell, "model")))
        run_script(drop_run, monkeypatch, "--model", str(model), "--out", str(path), *settings.to_words(cell))
        checked_row(drop_tables.drop_table(tmp_path / str(index), {"engine": ["3.17.0"]}), files.read_json(path))


@pytest.mark.seeds(short=1, hard=25)
def test_a_random_pick_ends_as_a_row(tmp_path, monkeypatch, in_run, robot_folder, seed):
    """What its plan depends on is as published: what cannot be planned is refused before any pick is run."""
    in_run(LIMIT_S)
    random = Random(seed)
    for index in range(CELLS):
        cell = random_cell(random, "pick", lambda axis: axis.get("simulated"), **SHORT_PICK)
        cell["position"] = cell["position"] if cell["position"] == "nominal" else cell["position"] % cell["position_count"]
        model, path = tmp_path / f"{index}.xml", tmp_path / str(index) / "3.17.0/default.json"
        robot = str(robot_folder / "so101.xml")
        scene = settings.to_words(stage("pick", cell, "model"))
        run_script(pick_model, monkeypatch, "--robot", robot, "--out", str(model), *scene)
        run_script(pick_run, monkeypatch, "--model", str(model), "--out", str(path), *settings.to_words(cell))
        record = files.read_json(path)
        checked_row(pick_tables.pick_table(tmp_path / str(index), [{"engine": ["3.17.0"]}]), record)
        row = pick_tables.summary_row([record])
        assert row["n"] + row["timed_out"] == 1
        assert row["n"] == row["held"] + row["not_closed"] + row["dropped"] + row["jaws_inside"] + row["diverged"]


def test_a_sweep_with_a_good_a_diverging_and_an_endless_cell_has_a_table_and_a_figure(workflow):
    """What timed out is a row, is kept in no store, and is tried again until it ends; the other cells never are."""
    sweep = {
        "engine": ["3.17.0"],
        "dt_ms": [0.5, 100, 0.01],
        "integrator": ["RK4"],
        "solref": [[-1e5, -1e4]],
        "duration_s": [0.8],
    }
    target, cells = ["results/x.csv", "figures/x.png"], workflow.folder / "results/drop/3.17.0"
    made = Counter(drop_run=1, drop_table=1, drop_figure=1)
    config = {"drop": {"sweeps": {"x": sweep}}, "pick": {"sweeps": {"x": PICK}, "nominal": PICK, "checks": []}, "stepping": {}}
    workflow.configure(config | {"cell_limit_s": 0.5})
    assert workflow.executed(*target) == made + Counter(drop_model=1, drop_run=2)
    table = rows(workflow.folder / "results/x.csv")
    assert [row["outcome"] for row in table] == ["kept", "diverged", TIMED_OUT]
    assert [row["final_z_cm"] != "" for row in table] == [True, True, False]
    assert (workflow.folder / "figures/x.png").read_bytes().startswith(b"\x89PNG")
    kept = {settings.from_cell_name(path.stem)["dt_ms"]: path.is_symlink() for path in cells.glob("*.json")}
    assert kept == {0.5: True, 100: True, 0.01: False}
    assert workflow.executed(*target) == made
    workflow.configure(config | {"cell_limit_s": 600})
    assert workflow.executed(*target) == made
    assert [row["outcome"] for row in rows(workflow.folder / "results/x.csv")] == ["kept", "diverged", "kept"]
    workflow.configure(config | {"cell_limit_s": 0.5})
    assert workflow.executed(*target) == Counter()
    assert all(path.is_symlink() for path in cells.glob("*.json"))
