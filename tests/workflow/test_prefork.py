"""The executor `prefork` makes what the local executor makes."""

import os
import re

import yaml
from conftest import PROJECT
from snakemake_executor_plugin_prefork.command import parse

GRID = {
    "engine": ["3.17.0"],
    "dt_ms": [2, 10, 25],
    "integrator": ["Euler", "implicitfast", "RK4", "discrete"],
    "solref": [[0.02, 1], [0.005, 1]],
}


def test_the_default_profile_forks():
    profile = yaml.safe_load((PROJECT / "profiles/default/config.yaml").read_text(encoding="utf-8"))
    assert profile["executor"] == "prefork"
    assert "mujoco" in profile["prefork-preload"]


def test_cells_have_the_same_bytes_as_with_the_local_executor(workflow, monkeypatch):
    """Every cell of a grid, its models and its table; the engine is built once and kept."""
    config = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))
    del config["implementations"]  # which names the sweeps that go
    workflow.configure(config | {"drop": {"sweeps": {"grid": GRID}}})
    monkeypatch.chdir(workflow.folder)
    (workflow.folder / "results/README.md").unlink()
    found = []
    for executor in ("local", "prefork"):
        store = {"SNAKEMAKE_OUTPUT_CACHE": str(workflow.folder / f"store of {executor}")}  # nothing of the other's is taken
        done = workflow.run("--executor", executor, "--printshellcmds", "results/grid.csv", env=os.environ | store)
        assert done.returncode == 0, done.stdout
        results = workflow.folder / "results"
        found.append({path.relative_to(results): path.read_bytes() for path in results.rglob("*") if path.is_file()})
        results.rename(workflow.folder / f"results of {executor}")
    local, prefork = found
    assert prefork == local
    assert sum(name.parts[0] == "drop" for name in prefork) == 24
    commands = re.findall(r"^Shell command: (.*drop_run.*)$", done.stdout, re.MULTILINE)
    assert len(commands) == 24
    assert all(map(parse, commands))  # so all were forked, for nothing was said of going the local executor's way
    assert "prefork:" not in done.stdout
