"""What the executor uses of Snakemake without Snakemake promising it: each test fails when Snakemake changes it."""

import inspect
import subprocess
import sys
from types import SimpleNamespace

from snakemake.cli import get_argument_parser
from snakemake.executors import local
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


def test_the_local_executor_still_runs_a_job_by_the_methods_that_are_overridden():
    assert {"run_job", "cached_or_run", "shutdown", "cancel"} <= set(dir(local.Executor))
    assert "subprocess_exec" in inspect.getsource(sys.modules["snakemake.workflow"])
