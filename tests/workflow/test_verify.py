"""`verify` and passports in the workflow: a small grid is measured again, and compared with a passport of another machine."""

from pathlib import Path

import pandas as pd
import pytest
from conftest import rows

from records import files

CONFIG = {
    "stepping": {"energy_steps": 50, "curve_points": 5, "dt_ms": [2, 25]},
    "drop": {"sweeps": {"x": {"engine": ["3.17.0"], "dt_ms": [2, 10]}}, "impact": {"engine": ["3.17.0"], "dt_ms": [2]}},
    "pick": {
        "settings": {"perturbations": 1},
        "sweeps": {
            "friction": {"engine": ["3.17.0"], "mu": [1.0], "mass_kg": [0.03], "cap_Nm": [0.5], "position": [0]},
        },
        "nominal": {"engine": ["3.17.0"], "mu": [1.0], "mass_kg": [0.03], "cap_Nm": [2.94], "position": ["nominal"]},
        "checks": [],
    },
    "controls": {"engine": ["3.17.0"], "nan": {"steps": 20}},
    "verify": {"fraction": 1},
}


def tamper(path: Path, monkeypatch) -> None:
    """Another digest in a result, sealed again as this code and machine would: nothing but a second measurement can tell."""
    record, made = files.sealed(path)
    record["result"]["digest"] = "0" * 64
    path.unlink()  # a link into the store, which keeps what was measured
    monkeypatch.setattr(files, "origin", lambda path, by: made)
    files.write_json(path, record)
    monkeypatch.undo()


def test_a_small_grid_is_measured_again_compared_and_a_changed_result_is_found(workflow, monkeypatch):
    workflow.configure(CONFIG)
    results = workflow.folder / "results"
    done = workflow.run("results/passport_diff.csv")
    assert done.returncode != 0
    assert "passport: which one to compare with is not given; add --config passport=passports/NAME.json" in done.stdout
    assert not (results / "drop").exists()

    done = workflow.run("verify", "results/passport.json")
    assert done.returncode == 0, done.stdout
    found = rows(results / "verify.csv")
    assert {row["experiment"] for row in found} == {"drop", "impact", "pick", "controls", "stepping"}
    assert [row["verdict"] for row in found] == ["same bits"] * 7
    check_comparison(workflow, files.read_json(results / "passport.json"))

    first, again = (folder / "drop/3.17.0/dt_ms=2.json" for folder in (results, results / "verify"))
    assert first.is_symlink()
    assert not again.is_symlink()  # measured, not fetched from the store
    tamper(first, monkeypatch)
    done = workflow.run("verify")
    assert done.returncode != 0
    expected = "verify_check.py: 1 of 7 cells differ when they are measured again, first drop 3.17.0 dt_ms=2; "
    assert any(line.strip().startswith(expected) for line in done.stdout.splitlines()), done.stdout
    [differing] = [row for row in rows(results / "verify.csv") if row["verdict"] != "same bits"]
    assert (differing["verdict"], differing["changed_measures"]) == ("same digits", "")
    assert (differing["experiment"], differing["cell"], differing["same_file"]) == ("drop", "dt_ms=2", "False")
    assert (differing["digest"], differing["digest_again"]) == ("0" * 64, files.read_json(again)["result"]["digest"])


def check_comparison(workflow, mine: dict) -> None:
    """With a passport that differs in two cells, those two are told."""
    assert set(mine["engines"]) == {"3.17.0"}
    assert len(mine["cells"]) == 2 + 1 + 2 + 8 + (2 + 6 + 30 + 4 + 1)  # drops, impact, picks, NaN rows, steppers
    other = dict(mine["cells"])
    other["drop/3.17.0/dt_ms=2"] = other["drop/3.17.0/dt_ms=2"].replace("outcome=kept", "outcome=passed")
    del other["drop/3.17.0/dt_ms=10"]
    files.write_json(workflow.folder / "passports/other.json", mine | {"machine": "Darwin arm64 Apple M5", "cells": other})
    done = workflow.run("figures/passport.png", "--config", "passport=passports/other.json")
    assert done.returncode == 0, done.stdout
    verdicts = pd.read_csv(workflow.folder / "results/passport_diff.csv")["verdict"].value_counts()
    assert verdicts.to_dict() == {"same bits": len(mine["cells"]) - 2, "changed": 1, "not there": 1}
    assert (workflow.folder / "figures/passport.png").read_bytes().startswith(b"\x89PNG")


def test_a_cell_stands_once_in_a_sample_whatever_architectures_a_sweep_compares(workflow):
    """Emulated engines have the machine's own cells' names in passports, and so belong to a passport of their own."""
    both = ["3.17.0", "3.17.0-aarch64"]
    sweeps = {"x": {"engine": both, "dt_ms": [2, 10]}}
    workflow.configure(CONFIG | {"drop": {"sweeps": sweeps}})
    done = workflow.run("--dry-run", "results/passport.json")
    if "qemu" in done.stdout and done.returncode:
        pytest.skip("no emulator on this machine")
    assert done.returncode == 0, done.stdout
    assert "results/drop/3.17.0/dt_ms=2.json" in done.stdout
    assert "aarch64" not in done.stdout
