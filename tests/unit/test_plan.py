"""Declarations, and what a plan makes of them and of the committed configuration."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from conftest import DECLARATIONS, FILLED, PROJECT, SCHEMA
from snakemake.exceptions import WorkflowError

from lib import comparing, experiments, questions
from lib.plan import Plan
from records import passport

DECLARED = {"title": "Free fall", "order": 9, "description": "A ball falls.", "cells": "grid", "axes": {}}


@pytest.fixture
def plan() -> Plan:
    return Plan(PROJECT, FILLED, SCHEMA)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"cells": "some"}, "cells: 'some' is not one of ['grid', 'parts', 'whole', 'named']"),
        ({"axis": {}}, "the declaration: Additional properties are not allowed ('axis' was unexpected)"),
        ({"cells": "parts"}, "cells is parts; allowed: axes where the cells are a grid, and only there"),
        ({"measures": {"fallen_m": {"digit": ".2f"}}}, "measures.fallen_m: Additional properties are not allowed"),
    ],
)
def test_a_wrong_declaration_is_one_line_that_names_the_file(tmp_path, changed, said):
    (tmp_path / "fall.yaml").write_text(yaml.safe_dump(DECLARED | changed), encoding="utf-8")
    with pytest.raises(experiments.DeclarationError) as caught:
        experiments.load(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'fall.yaml'}: {said}")
    assert "\n" not in str(caught.value)


def test_experiments_stand_in_the_order_that_they_declare(tmp_path):
    for name, order in (("b", 1), ("a", 2), ("c", 1)):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(DECLARED | {"order": order}), encoding="utf-8")
    assert list(experiments.load(tmp_path)) == ["b", "c", "a"]


def test_every_declared_script_is_there():
    for name, declared in SCHEMA.experiments.items():
        scripts = [declared.get("run"), *(declared.get("preset", {}).get(part) for part in ("table", "figure"))]
        for script in filter(None, scripts):
            assert (PROJECT / "scripts" / name / script).is_file(), script


def test_the_measured_cells_of_grids_are_those_of_the_committed_passport(plan):
    """The passport of another machine has these cells by name, so that every one of them can be compared."""
    committed = json.loads((PROJECT / "passports/linux-x86_64-intel-xeon.json").read_text(encoding="utf-8"))["cells"]
    paths = [path for path in comparing.measured(plan) if "=" in path]
    named = {passport.name_of(path, DECLARATIONS) for path in paths}
    assert named == {name for name in committed if re.match("(drop|impact|pick)/", name)}


def test_an_emulated_machine_measures_the_same_cells_once(plan):
    own, emulated = comparing.measured(plan), comparing.measured(plan, "-aarch64")
    own_names, emulated_names = ({passport.name_of(path, DECLARATIONS) for path in paths} for paths in (own, emulated))
    assert own_names == emulated_names
    assert len(emulated) == len(set(emulated))
    assert all("-aarch64/" in path for path in emulated)


@pytest.mark.parametrize(
    ("experiment", "ways"),
    [
        ("drop", {"", "trajectories/", "marks/", "verify/", "verify/trajectories/"}),
        ("pick", {"", "marks/", "verify/"}),
        ("stepping", {"", "verify/"}),
    ],
)
def test_cells_are_run_in_the_ways_that_are_declared(plan, experiment, ways):
    assert {way for way in [*ways, "other/"] if re.fullmatch(plan.ways(experiment), way)} == ways


def test_a_way_has_its_option_and_what_is_measured_again_has_the_same(plan):
    options = plan.runs("drop")["options"]
    expected = {"": [], "marks/": ["--marks"], "trajectories/": ["--trajectory"], "verify/": []}
    expected["verify/trajectories/"] = expected["trajectories/"]
    assert {way: options(SimpleNamespace(way=way)) for way in expected} == expected


def test_categories_of_the_report_are_sorted_by_their_names(plan):
    names = ["ledger", *SCHEMA.experiments, "versions", "architectures", "machines", "settings"]
    categories = [plan.category(name) for name in names]
    assert categories == sorted(categories)
    assert categories[0].endswith(" Ledger")


def test_a_cell_of_another_robot_is_refused(plan):
    with pytest.raises(WorkflowError, match="belongs to robot=other; allowed by the configuration: default"):
        plan.settings_of("pick", "robot=other,mu=1,mass_kg=0.03,cap_Nm=0.5,position=0")


def test_the_ledger_reads_every_table_that_measures_a_published_number(plan):
    plan.makes("drop", ["results/timestep.csv", "results/mine.csv", "figures/timestep.png"])
    assert plan.measured_tables() == ["results/timestep.csv"]
    own = Plan(PROJECT, FILLED, SCHEMA)
    own.source["drop"] = {"robot": "mine"}
    own.makes("drop", ["results/timestep.csv"])
    assert own.measured_tables() == []


def test_emulated_runs_leave_out_what_the_version_lacks_and_repeat_as_the_configuration_says():
    config = FILLED | {"architectures": FILLED["architectures"] | {"engine": "3.11.0-aarch64", "perturbations": 2}}
    plan = Plan(PROJECT, config, SCHEMA)
    named = list(config["drop"]["sweeps"].items())
    assert [name for name, _ in plan.elsewhere("drop", named, "3.11.0-aarch64")] == ["timestep"]  # no integrator discrete
    [(_, grid), *_] = plan.elsewhere("pick", list(config["pick"]["sweeps"].items()), "3.11.0-aarch64")
    assert (grid["engine"], grid["perturbations"]) == (["3.11.0-aarch64"], [2])
    [(_, grid), *_] = plan.elsewhere("pick", list(config["pick"]["sweeps"].items()), "3.11.0")
    assert "perturbations" not in grid


def test_marginal_values_are_repeated_as_often_elsewhere_as_here_and_others_as_the_configuration_says():
    """Cells, in the order of the table: those of the machine's own that are marginal, the others without perturbations."""
    part = FILLED["architectures"] | {"engine": "3.17.0-aarch64", "perturbations": 0}
    sweep = FILLED["pick"]["sweeps"]["friction"] | {"mu": [0.02, 0.03, 0.05], "position": [0, 1]}
    named = [("friction", sweep), ("converged", sweep | {"perturbations": [0], "iterations": [100]})]

    def cells(**marginal) -> list[str]:
        plan = Plan(PROJECT, FILLED | {"architectures": part | marginal}, SCHEMA)
        return [Path(path).stem for path in plan.cells_of_all("pick", plan.elsewhere("pick", named, "3.17.0-aarch64"))]

    plain, marginal = cells(marginal={}), cells(marginal={"pick": [{"mu": [0.030], "cap_Nm": [0.5, 1.0]}]})
    assert len(plain) == 12
    assert all("perturbations=0" in cell for cell in plain)
    assert marginal == [
        cell.replace(",perturbations=0", "") if "mu=0.03," in cell and "iter" not in cell else cell for cell in plain
    ]
    assert cells(marginal={"pick": [{"mu": [0.03], "cap_Nm": [1.0]}]}) == plain


def test_a_question_with_a_run_of_its_own_has_cells_of_its_own():
    asked = {
        name: yaml.safe_load((PROJECT / f"presets/{name}.yaml").read_text())["presets"][name] for name in ("creep", "condim")
    }
    plan = Plan(PROJECT, FILLED | {"presets": asked}, SCHEMA)
    creep, condim = (questions.Question(plan, name) for name in ("creep", "condim"))
    assert (creep.runs_itself, creep.folder, creep.table) == (True, "results/creep", "creep_table.py")
    assert (condim.runs_itself, condim.folder, condim.table) == (False, "results/pick", "pick_summary.py")
    assert (creep.caption, condim.caption) == ("creep", "condim")
    assert "creep" not in questions.not_asked(plan)
