"""The profile for Slurm fits the workflow; that its jobs run is what `make test-slurm` shows."""

import yaml
from conftest import PROJECT, TWO_DROPS

from lib import provenance
from records import current_run

PROFILE = yaml.safe_load((PROJECT / "profiles/slurm/config.yaml").read_text(encoding="utf-8"))


def test_every_grouped_rule_is_there_and_every_group_has_a_size(workflow):
    workflow.configure(TWO_DROPS)
    assert set(PROFILE["groups"]) <= set(workflow.run("--list-rules").stdout.split())
    assert set(PROFILE["groups"].values()) == set(PROFILE["group-components"])


def test_the_locked_executor_fits_the_workflows_versions():
    workflow, slurm = (provenance.locked_versions(PROJECT / f"envs/{name}.txt") for name in ("workflow", "slurm"))
    shared = workflow.keys() & slurm.keys()
    assert {name: slurm[name] for name in shared} == {name: workflow[name] for name in shared}
    assert "snakemake-executor-plugin-slurm" in slurm.keys() - shared


def test_a_node_of_another_kind_than_the_run_was_planned_for_is_refused(workflow, monkeypatch):
    """A job's own Snakemake, as the executor starts it on a node, reads what the run has told its jobs."""
    workflow.configure(TWO_DROPS)
    monkeypatch.chdir(workflow.folder)
    current_run.PATH.parent.mkdir(exist_ok=True)  # syntax is kept there
    current_run.tell("machine Linux x86_64 Another Processor", {}, cell_limit_s=60)
    done = workflow.run("--mode", "remote", "--dry-run", "results/mine.csv")
    assert done.returncode != 0
    [line] = [line for line in done.stdout.splitlines() if "planned for" in line]
    assert line.endswith("planned for machine Linux x86_64 Another Processor; plan and run on nodes of one kind")
    assert "Traceback" not in done.stdout
