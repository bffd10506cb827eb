"""What CONTRIBUTING.md promises: an experiment is a declaration, rules, its physics and scripts, and touches nothing else.

The experiment of tests/data/experiment is put into a copy of the project, all of whose files stay as they are. A ball in free
fall has a closed form for each integrator.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT, TWO_DROPS, Workflow, rows

EXPERIMENT = PROJECT / "tests/data/experiment"
FALL = {"sweeps": {"steps": {"engine": ["3.17.0"], "dt_ms": [2, 5], "integrator": ["Euler", "RK4"]}}}
GRAVITY = 9.81  # m/s^2, MuJoCo's default


@pytest.fixture
def grown(workflow) -> Workflow:
    """The project with the experiment added as CONTRIBUTING.md says."""
    kept = {path for path in workflow.folder.rglob("*") if path.is_file()}
    added = [path.relative_to(EXPERIMENT) for path in EXPERIMENT.rglob("*") if path.is_file()]
    assert not kept & {workflow.folder / path for path in added}  # nothing of the project is replaced
    shutil.copytree(EXPERIMENT, workflow.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    workflow.configure(TWO_DROPS | {"fall": FALL})
    return workflow


def test_the_example_has_the_files_that_contributing_names():
    text = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## An experiment")[2].partition("\n## ")[0]
    named = {path.replace("NAME", "fall") for path in re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)}
    files = [path.relative_to(EXPERIMENT) for path in EXPERIMENT.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert len(files) == 8
    assert named == {path.as_posix() for path in files}


def test_an_added_experiment_runs_and_falls_as_far_as_its_closed_form(grown):
    assert grown.executed("figures/fall_steps.png") == {
        "fall_model": 1, "fall_run": 4, "fall_table": 1, "fall_figure": 1,
    }  # fmt: skip
    table = rows(grown.folder / "results/fall_steps.csv")
    assert len(table) == 4
    for row in table:
        step, time = float(row["dt_ms"]) / 1000, float(row["duration_s"])
        ahead = step * time / 2 if row["integrator"] == "Euler" else 0  # velocity first: g h^2 n(n+1)/2
        assert float(row["fallen_m"]) == pytest.approx(GRAVITY * (time**2 / 2 + ahead), rel=1e-12)
    assert (grown.folder / "figures/fall_steps.png").read_bytes().startswith(b"\x89PNG")


def test_an_added_experiment_is_part_of_all_and_its_configuration_is_checked(grown):
    assert "fall_figure" in grown.run("--dry-run").stdout
    grown.configure(TWO_DROPS | {"fall": {"sweeps": {"steps": FALL["sweeps"]["steps"] | {"integrator": ["RK5"]}}}})
    done = grown.run("--dry-run")
    assert done.returncode != 0
    assert "config.fall.sweeps.steps.integrator[0] is 'RK5'; allowed: Euler, implicit, implicitfast, RK4" in done.stdout


def test_what_the_added_experiment_takes_counts_against_max_cells(grown):
    grown.configure(TWO_DROPS | {"max_cells": 5, "fall": FALL})
    assert "config.fall.sweeps.steps has 4 cells" in grown.run("--dry-run").stdout


def test_a_key_that_no_experiment_has_is_refused_and_the_added_one_is_offered(grown):
    grown.configure(TWO_DROPS | {"fell": FALL})
    line = next(line for line in grown.run("--dry-run").stdout.splitlines() if "fell" in line)
    assert line.startswith("config has the unknown key 'fell'; allowed: ")
    assert "fall" in line


def test_without_its_key_the_added_experiment_makes_nothing(grown):
    grown.configure(TWO_DROPS)
    assert "fall" not in grown.run("--dry-run", "results/mine.csv").stdout


def test_an_added_experiment_keeps_to_the_projects_style(grown):
    snakefmt = [Path(sys.executable).with_name("snakefmt"), "--check", "workflow/rules/fall.smk"]
    for command in (snakefmt, [sys.executable, PROJECT / "tests/lint_rules.py"]):
        done = subprocess.run(command, cwd=grown.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_an_added_experiment_is_measured_again_put_into_passports_and_compared_between_versions(grown):
    """It gets all of it from its declaration; a fall without contact has the same bits in every version."""
    grown.configure(TWO_DROPS | {"fall": FALL, "verify": {"fraction": 1}, "engines": {"compare": ["3.11.0"]}})
    done = grown.run("results/fall_steps.csv", "results/passport.json", "verify", "results/engines.csv")
    assert done.returncode == 0, done.stdout
    cells = json.loads((grown.folder / "results/passport.json").read_text(encoding="utf-8"))["cells"]
    falls = {name: line for name, line in cells.items() if name.startswith("fall/3.17.0/")}
    assert len(falls) == 4
    table = rows(grown.folder / "results/fall_steps.csv")
    for line, row in zip(falls.values(), table, strict=True):
        assert f"fallen_m={float(row['fallen_m']):.6f}" in line
    again = [row for row in rows(grown.folder / "results/verify.csv") if row["experiment"] == "fall"]
    assert [row["verdict"] for row in again] == ["same bits"] * 4
    versions = [row for row in rows(grown.folder / "results/engines.csv") if row["experiment"] == "fall"]
    assert [(row["engine"], row["reference"], row["first_different_step"]) for row in versions] == [
        ("3.11.0", "3.17.0", "")
    ] * 4


def test_an_added_experiment_has_its_place_in_the_report(grown):
    grown.executed("figures/fall_steps.png")
    done = grown.run("--report", "report.html", "figures/fall_steps.png")
    assert done.returncode == 0, done.stdout
    assert "Free fall" in (grown.folder / "report.html").read_text(encoding="utf-8")


def test_a_record_of_an_added_experiment_that_was_changed_is_refused(grown):
    grown.executed("results/fall_steps.csv")
    cell = grown.folder / "results/fall/3.17.0/dt_ms=2.json"
    text = cell.read_text(encoding="utf-8").replace('"fallen_m": 1', '"fallen_m": 2')
    cell.unlink()  # a link into the store
    cell.write_text(text, encoding="utf-8")
    done = grown.run("--force", "results/fall_steps.csv")
    assert done.returncode != 0
    assert "results/fall/3.17.0/dt_ms=2.json is not what was measured; make it again with: snakemake" in done.stdout


def test_a_cell_of_an_added_experiment_that_takes_too_long_is_timed_out(grown):
    endless = {"sweeps": {"steps": {"engine": ["3.17.0"], "dt_ms": [0.001], "duration_s": [60]}}}
    grown.configure(TWO_DROPS | {"fall": endless, "cell_limit_s": 0.5})
    done = grown.run("results/fall/3.17.0/dt_ms=0.001,duration_s=60.json")
    assert done.returncode == 0, done.stdout
    cell = json.loads((grown.folder / "results/fall/3.17.0/dt_ms=0.001,duration_s=60.json").read_text(encoding="utf-8"))
    assert cell["result"] == {"outcome": "timed out", "fallen_m": None, "warnings": None, "digest": None, "warning_texts": []}
