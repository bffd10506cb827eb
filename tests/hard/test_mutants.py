"""Physics falsified on purpose, an edit at a time (mutants.yaml): a test of tests/unit must fail for each."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import Workflow

MUTANTS = yaml.safe_load(Path(__file__).with_name("mutants.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of the project, which each mutant changes and puts back."""
    return Workflow(tmp_path_factory.mktemp("mutants") / "project").folder


def run_tests(project: Path, robot: Path, nodes: str) -> subprocess.CompletedProcess:
    """The named tests, up to the first that fails."""
    command = [sys.executable, "-m", "pytest", "-x", "-n", "0", "-p", "no:cacheprovider", "--robot", robot]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    command += [f"tests/unit/{node}" for node in nodes.split()]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.seeds(short=2, hard=len(MUTANTS))
def test_a_mutant_is_caught(project, robot_folder, seed):
    mutant = MUTANTS[seed]
    path = project / mutant["file"]
    text = path.read_text(encoding="utf-8")
    assert text.count(mutant["old"]) == 1, mutant["what"]
    try:
        path.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
        done = run_tests(project, robot_folder, mutant["tests"])
    finally:
        path.write_text(text, encoding="utf-8")
    # 1: a test failed; 0: the mutant survived; any other: the tests did not run.
    assert done.returncode == 1, f"{mutant['what']}\n{done.stdout}"
    assert "SyntaxError" not in done.stdout
