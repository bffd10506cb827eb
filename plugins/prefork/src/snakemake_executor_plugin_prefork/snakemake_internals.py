"""Everything of Snakemake that is not documented and that this executor stands on, each with the reason.

`tests/test_internals.py` holds each to the Snakemake that is installed.
"""

import functools
import importlib
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

BASH_PREFIX = "set -euo pipefail; "  # what snakemake.shell puts before a command; it is no part of what a job's rule says

DEFAULT_RATE_LIMIT = (100, 1)  # jobs, seconds; Snakemake's --max-jobs-per-timespan


class ShellSubprocess:
    """Stands in snakemake.shell for the module `subprocess`: the same, but a thread may start its commands otherwise.

    `snakemake.shell` alone knows the final command of a job, its environment and its benchmark. So everything around the
    start of the process stays Snakemake's.
    """

    def __init__(self):
        self.local = threading.local()

    def __getattr__(self, name: str):
        return getattr(subprocess, name)

    def Popen(self, command: str, **options):
        start = getattr(self.local, "start", None)
        process = start(command, **options) if start else None
        return process if process is not None else subprocess.Popen(command, **options)


def shell_module():
    """The module snakemake.shell: as an attribute of the package, `snakemake.shell` is the function of that name."""
    return importlib.import_module("snakemake.shell")


def put_in_shell(started) -> None:
    """Let snakemake.shell start its commands by `started`, which stands in for the module `subprocess` there."""
    shell_module().sp = started


def lift_default_rate_limit(workflow) -> None:
    """Start jobs as fast as cores come free, unless --max-jobs-per-timespan says how many.

    The default, 100 a second, is meant for submitting to a cluster. With any limit each pass of the scheduler sets a timer
    for one more pass, beside the pass for every job that ends: the work for n jobs grows with the square of n.
    """
    limit = getattr(workflow.scheduler, "job_rate_limiter", None)
    if limit and (limit.max_jobs, limit.timespan) == DEFAULT_RATE_LIMIT:
        workflow.scheduler.job_rate_limiter = None
        workflow.scheduler.resources["_job_count"] = sys.maxsize


class OnDemand(Sequence):
    """What a function lists, which is called only where somebody looks."""

    def __init__(self, function: Callable[[], Sequence]):
        self._listed = functools.cache(function)

    def __len__(self) -> int:
        return len(self._listed())

    def __getitem__(self, index):
        return self._listed()[index]


def list_remaining_jobs_on_demand(workflow) -> None:
    """Let the scheduler list the jobs that remain only where that is read, which the greedy one never does.

    It hands the list on whenever it chooses jobs, so that making it takes n^2 for n jobs.
    """
    scheduler = workflow.scheduler
    kind = type(scheduler)
    if not isinstance(scheduler.remaining_jobs, OnDemand):
        remaining = property(lambda self: OnDemand(lambda: kind.remaining_jobs.fget(self)))
        scheduler.__class__ = type(kind.__name__, (kind,), {"remaining_jobs": remaining})


def widen_sample(workflow) -> None:
    """Let the scheduler look at no fewer jobs than can run at once, whatever --scheduler-subsample says."""
    if workflow.scheduler.subsample:
        workflow.scheduler.subsample = max(workflow.scheduler.subsample, workflow.cores)


def is_single_job(workflow) -> bool:
    """Whether another Snakemake started this process to run one job, which needs no warm interpreter."""
    return workflow.subprocess_exec
