"""Runs killed at any moment, and clocks set back: the next plain run completes, with the files that it would have had."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial

import pytest
from conftest import CHEAP_TARGETS, Workflow
from live import Live, assert_same, until

KILLS = 3
DROPS = ["results/timestep.csv"]
DAY_S = 86400


def assert_completed(workflow: Workflow, undisturbed: Workflow, *targets: str) -> None:
    """The next plain run completes, all that is then there is as it should be, and nothing is left to do."""
    done = workflow.run(*targets)
    assert done.returncode == 0, done.stdout
    assert_same(workflow, undisturbed, *targets)
    assert workflow.executed(*targets) == Counter()


@pytest.mark.seeds(short=1, hard=17)
def test_a_run_killed_three_times_is_completed_by_the_next(prepared, undisturbed, tmp_path, seed):
    """Every process of the run is killed at once, while jobs are at work: a seeded moment after a seeded share of them."""
    moments = random.Random(seed)
    workflow = prepared.copied_to(tmp_path / "copy")
    for left in range(KILLS, 0, -1):
        run = Live(workflow, *CHEAP_TARGETS)
        until(partial(run.has_done, moments.random() / left), "jobs")
        time.sleep(moments.uniform(0, 0.1))
        run.stop_at_work()
        run.signal(signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL, run.printed()
        assert run.unfinished()
    assert_completed(workflow, undisturbed, *CHEAP_TARGETS)


@pytest.mark.seeds(short=0, hard=4)
def test_a_run_whose_snakemake_alone_is_killed_is_completed_by_the_next(prepared, undisturbed, tmp_path, seed):
    """As when memory runs out: the warm interpreters and jobs are not killed, and must not write into the next run."""
    workflow = prepared.copied_to(tmp_path / "copy")
    run = Live(workflow, *CHEAP_TARGETS)
    until(partial(run.has_done, 7 * seed), "jobs")
    run.process.kill()
    assert run.wait() == -signal.SIGKILL
    assert_completed(workflow, undisturbed, *CHEAP_TARGETS)
    assert not run.processes()


@pytest.mark.parametrize("victim", ["warm interpreter", "cell"])
@pytest.mark.seeds(short=0, hard=3)
def test_a_run_with_a_killed_process_names_the_job_and_the_next_completes(prepared, undisturbed, tmp_path, victim, seed):
    """The run ends as with any failed job."""
    workflow = prepared.copied_to(tmp_path / "copy")
    run = Live(workflow, *DROPS)
    until(partial(run.has_done, 2 + seed), "jobs")
    interpreter, *cells = until(partial(stopped_at_a_cell, run), "a cell")
    os.kill(interpreter if victim == "warm interpreter" else cells[0], signal.SIGKILL)
    run.signal(signal.SIGCONT)
    assert run.wait() == 1
    assert "Error in rule drop_run" in run.printed()
    assert "logs/drop_run/3.17.0/" in run.printed()
    assert_completed(workflow, undisturbed, *DROPS)


def stopped_at_a_cell(run: Live) -> list[int]:
    """Stop a run while its engine runs a cell: the ids of the warm interpreter and of its forks, or none where no cell runs.

    The first of the forks has been there for a while, so that Snakemake knows of it.
    """
    before = engines_of(run)
    time.sleep(0.005)
    run.signal(signal.SIGSTOP)
    found = engines_of(run)
    if len(found) < 2 or found[1] not in before:
        run.signal(signal.SIGCONT)
        return []
    return found


def engines_of(run: Live) -> list[int]:
    return [pid for pid, line in run.processes().items() if line.startswith(".engines/3.17.0/bin/python")]


@pytest.mark.seeds(short=0, hard=3)
def test_a_clock_set_back_stops_nothing(undisturbed, tmp_path, seed):
    """All that is there, made or given, is dated tomorrow; what is then made of it is dated today."""
    targets = (DROPS, ["results/grasp_summary.csv"], CHEAP_TARGETS)[seed]
    workflow = undisturbed.copied_to(tmp_path / "copy")
    tomorrow = time.time() + DAY_S
    for folder in ("results", "envs", "workflow", ".store"):
        for path in (workflow.folder / folder).rglob("*"):
            os.utime(path, (tomorrow, tomorrow), follow_symlinks=False)
    for target in targets:
        (workflow.folder / target).unlink()
    assert_completed(workflow, undisturbed, *targets)


@pytest.mark.parametrize(
    ("name", "old", "new", "rules"),
    [
        ("workflow/published/claims.csv", "51.422174", "51.422175", {"pick_checks", "ledger_table"}),
        ("envs/mujoco-3.17.0.txt", "numpy==", "numpy ==", {"engine", "drop_run", "pick_run"}),
    ],
)
def test_an_edit_that_is_dated_back_is_seen(undisturbed, tmp_path, name, old, new, rules):
    """What people edit, then older than all that was made of it: Snakemake alone would look at the date and see nothing."""
    workflow = undisturbed.copied_to(tmp_path / "copy")
    path = workflow.folder / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(path, (DAY_S, DAY_S))
    listing = [sys.executable, "workflow/lib/integrity.py"]  # make sums: the edit is meant
    subprocess.run(listing, cwd=workflow.folder, env=os.environ | {"PYTHONPATH": "scripts"}, check=True)
    plan = workflow.run("--dry-run", *CHEAP_TARGETS).stdout
    assert set(re.findall(r"^(?:local)?rule (\w+):", plan, re.MULTILINE)) >= rules, plan
