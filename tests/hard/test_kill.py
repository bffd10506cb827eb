"""Runs killed at any moment: the next plain run completes, and its files are those of a run that nobody disturbed."""

import random
from collections import Counter

import pytest
from live import TARGETS, Live, half_written, made

GOLDEN = 0.6180339887498949  # its multiples modulo 1 spread evenly, however many there are


@pytest.fixture(scope="module")
def undisturbed(prepared, tmp_path_factory) -> tuple[dict[str, bytes], int]:
    """What a run makes that nobody disturbs, and its number of jobs."""
    workflow = prepared.copied_to(tmp_path_factory.mktemp("kill") / "undisturbed")
    jobs = workflow.executed(*TARGETS)
    return made(workflow), jobs.total()


@pytest.mark.seeds(short=1, hard=50)
def test_a_killed_run_is_completed_by_the_next(prepared, undisturbed, tmp_path, seed):
    """Every process of the run is killed at once, while jobs are at work, a seeded moment after a seeded number of jobs."""
    expected, jobs = undisturbed
    workflow = prepared.copied_to(tmp_path / "copy")
    moment = random.Random(seed)
    after = int(GOLDEN * (seed + 1) % 1 * jobs)
    at_work = Live(workflow, *TARGETS).kill(after, moment.uniform(0, 0.2))
    assert at_work > 0
    assert made(workflow) != expected
    done = workflow.run(*TARGETS)
    assert done.returncode == 0, done.stdout
    assert made(workflow) == expected
    assert not half_written(workflow)
    assert workflow.executed(*TARGETS) == Counter()
