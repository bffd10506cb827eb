"""The Makefile on machines unlike this one: the make that macOS brings, and a Python that is too old."""

import os
import re
import shutil
import subprocess

import pytest
import yaml
from conftest import PROJECT

# What make has learnt since 3.81, the version of macOS. Source: GNU make's NEWS.
NEWER = {
    "3.82": r"^\.ONESHELL|^define .*=|^undefine |^private ",
    "4.0": r"^[^\t#]*(!=|::=)|\$\((file|guile) |^-?load ",
    "4.3": r"^[^\t#]*&:|\.EXTRA_PREREQS",
    "4.4": r"\$\((let|intcmp) |\.WAIT|\.NOTINTERMEDIATE",
}
MAKEFILE = (PROJECT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("version", NEWER)
def test_the_makefile_needs_no_newer_make_than_macos_has(version):
    assert re.findall(NEWER[version], MAKEFILE, re.MULTILINE) == []


@pytest.mark.parametrize(
    ("version", "line"), [("3.82", ".ONESHELL:"), ("4.0", "SHOWN != date"), ("4.3", "a b &: c"), ("4.4", "x = $(let a,b,c)")]
)
def test_what_is_newer_is_found(version, line):
    assert re.search(NEWER[version], line, re.MULTILINE)


def test_a_python_that_is_too_old_is_one_line_and_leaves_nothing(tmp_path):
    """Xcode's python3 is 3.9, and the locks begin with 3.11; `false` says no as that does."""
    shutil.copy(PROJECT / "Makefile", tmp_path)
    shutil.copytree(PROJECT / "envs", tmp_path / "envs")
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    done = subprocess.run(["make", "PYTHON=false"], cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
    assert said == ["make: false is not Python 3.11 or newer; allowed: one that is, as in make PYTHON=python3.13"]
    assert not (tmp_path / ".venv").exists()


def test_each_machine_of_the_public_checks_runs_them_and_keeps_its_passport():
    workflow = yaml.safe_load((PROJECT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    [job] = workflow["jobs"].values()
    machines = [row["machine"] for row in job["strategy"]["matrix"]["include"]]
    assert machines == ["linux-x86_64", "linux-aarch64", "macos-aarch64"]
    steps = [step.get("run", step.get("uses", "")) for step in job["steps"]]
    assert any(step.startswith("make test") for step in steps)
    kept = next(step["with"] for step in job["steps"] if step.get("uses", "").startswith("actions/upload-artifact"))
    assert any(kept["path"] in step for step in steps)
    assert "${{ matrix.machine }}" in kept["name"]
