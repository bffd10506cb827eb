"""What the executor uses of Snakemake without Snakemake promising it: each test fails when Snakemake changes it."""

import inspect
import subprocess
import sys
from types import SimpleNamespace

from snakemake.cli import get_argument_parser
from snakemake.executors import local
from snakemake.scheduling import greedy
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.settings.types import MaxJobsPerTimespan

from snakemake_executor_plugin_prefork import snakemake_internals as internals


def test_the_shell_module_starts_its_commands_by_a_module_that_can_be_put_aside():
    shell = internals.shell_module()
    assert shell.sp is subprocess
    assert "sp.Popen(" in inspect.getsource(shell)
    other = internals.ShellSubprocess()
    internals.put_in_shell(other)
    try:
        assert shell.sp is other
        assert other.PIPE is subprocess.PIPE
    finally:
        internals.put_in_shell(subprocess)


def test_a_command_still_begins_as_it_did():
    assert internals.shell_module().shell._get_process_prefix("/bin/bash") == internals.BASH_PREFIX


def test_the_default_limit_of_jobs_is_the_one_that_is_lifted():
    default = MaxJobsPerTimespan.parse_choice(get_argument_parser().get_default("max_jobs_per_timespan"))
    assert (default.max_jobs, default.timespan) == internals.DEFAULT_RATE_LIMIT
    source = inspect.getsource(JobScheduler)
    assert "job_rate_limiter" in source
    assert '"_job_count"' in source


def test_the_default_limit_is_lifted_and_one_of_the_users_stays():
    for limit, lifted in ((internals.DEFAULT_RATE_LIMIT, True), ((5, 1), False)):
        limiter = SimpleNamespace(max_jobs=limit[0], timespan=limit[1])
        scheduler = SimpleNamespace(job_rate_limiter=limiter, resources={"_job_count": 3})
        internals.lift_default_rate_limit(SimpleNamespace(scheduler=scheduler))
        assert scheduler.job_rate_limiter is (None if lifted else limiter)
        assert scheduler.resources["_job_count"] == (sys.maxsize if lifted else 3)


class Scheduler:
    """A scheduler whose jobs that remain are listed as Snakemake's lists them, by a property; it counts how often."""

    def __init__(self):
        self.subsample, self.listed = 3, 0

    @property
    def remaining_jobs(self):
        self.listed += 1
        return ["a", "b"]


def test_the_jobs_that_remain_are_listed_where_they_are_read_and_anew_each_time():
    scheduler = Scheduler()
    for _ in range(2):
        internals.list_remaining_jobs_on_demand(SimpleNamespace(scheduler=scheduler))
    assert isinstance(scheduler, Scheduler)
    scheduler.listed = 0
    handed_on = scheduler.remaining_jobs
    assert scheduler.listed == 0
    assert handed_on
    assert list(handed_on) == ["a", "b"] == handed_on[:]
    assert scheduler.listed == 1
    assert len(scheduler.remaining_jobs) == 2
    assert scheduler.listed == 2


def test_snakemake_still_hands_the_jobs_that_remain_to_a_scheduler_that_need_not_read_them():
    assert isinstance(JobScheduler.remaining_jobs, property)
    assert "jobs, self.remaining_jobs, self.resources" in inspect.getsource(JobScheduler.job_selector)
    assert inspect.getsource(greedy).count("remaining_jobs") == 1  # its parameter


def test_no_fewer_jobs_are_looked_at_than_can_run_at_once():
    for asked, cores, looked_at in ((3, 2, 3), (3, 64, 64), (None, 64, None)):
        scheduler = SimpleNamespace(subsample=asked)
        internals.widen_sample(SimpleNamespace(scheduler=scheduler, cores=cores))
        assert scheduler.subsample == looked_at
    assert "self.subsample" in inspect.getsource(JobScheduler.schedule)


def test_the_local_executor_still_runs_a_job_by_the_methods_that_are_overridden():
    assert {"run_job", "cached_or_run", "shutdown", "cancel"} <= set(dir(local.Executor))
    assert "subprocess_exec" in inspect.getsource(sys.modules["snakemake.workflow"])
