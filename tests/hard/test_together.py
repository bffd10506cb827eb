"""Two runs at the same time: in one folder, and in two clones that fill one store."""

import os
import re
import signal
from functools import partial

import pytest
from live import Live, assert_same, until

from records import files

TARGETS = ["results/timestep.csv"]


def test_a_second_run_in_the_folder_stops_in_one_line_and_disturbs_nothing(prepared, undisturbed, tmp_path):
    """The first one is held in the middle, whatever the machine does, until the second has ended."""
    workflow = prepared.copied_to(tmp_path / "copy")
    first = Live(workflow, *TARGETS)
    until(partial(first.has_done, 2), "jobs")
    first.stop_at_work()
    second = workflow.run(*TARGETS)
    assert second.returncode != 0
    [line] = [line for line in second.stdout.splitlines() if "allowed" in line]
    assert line == f"process {first.process.pid} runs the workflow in this folder; allowed: one run at a time"
    assert "Traceback" not in second.stdout
    assert "--unlock" not in second.stdout
    assert workflow.run("--dry-run", *TARGETS).returncode == 0
    first.signal(signal.SIGCONT)
    assert first.wait() == 0, first.printed()
    assert_same(workflow, undisturbed, *TARGETS)


def simulated(run: Live) -> set[str]:
    """The cells that a run has measured itself; the others it found in the store."""
    return set(re.findall(r"^Moving output file (\S+) to cache", run.log(), re.MULTILINE))


@pytest.mark.seeds(short=0, hard=20)
def test_two_clones_fill_one_store_at_the_same_time(prepared, undisturbed, tmp_path, seed):
    """Both start on nothing; each waits at its first cell for the other, so they measure the same."""
    store = tmp_path / "store"
    clones = [prepared.copied_to(tmp_path / name) for name in ("one", "other")]
    runs = []
    for clone in clones:
        run = Live(clone, *TARGETS, env=os.environ | {"SNAKEMAKE_OUTPUT_CACHE": str(store)})
        until(partial(run.has_done, 2), "the models")
        run.stop_at_work()
        runs.append(run)
    for run in runs:
        run.signal(signal.SIGCONT)
    assert [run.wait() for run in runs] == [0, 0], [run.printed() for run in runs]
    assert simulated(runs[0]) & simulated(runs[1])
    for clone in clones:
        assert_same(clone, undisturbed, *TARGETS)
    assert len(list(store.iterdir())) == len(simulated(runs[0]) | simulated(runs[1]))
    for entry in store.iterdir():
        files.read_json(entry)  # raises where it is torn
