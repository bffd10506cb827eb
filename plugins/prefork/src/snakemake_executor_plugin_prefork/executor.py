"""The executor: Snakemake's local one, with another way to start the shell commands of plain Python jobs."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from snakemake.executors import local
from snakemake_interface_executor_plugins.settings import ExecutorSettingsBase

from .command import parse
from .interpreters import Fork, Interpreters
from .snakemake_internals import (
    BASH_PREFIX,
    ShellSubprocess,
    is_single_job,
    lift_default_rate_limit,
    list_remaining_jobs_on_demand,
    put_in_shell,
    widen_sample,
)


@dataclass
class ExecutorSettings(ExecutorSettingsBase):
    """Settings of the executor, as the command line and profiles name them: --prefork-preload, --prefork-interpreters."""

    preload: list[str] = field(
        default_factory=list,
        metadata={
            "help": "Modules to import once in every warm interpreter that has them; FOLDER:MODULE for one that lies beside "
            "the scripts of a folder, which alone get it.",
            "metavar": "MODULE",
            "nargs": "+",
            # The interface would make one string of the list if the field had a `type`.
            "parse_func": list,
            "unparse_func": " ".join,
        },
    )
    interpreters: int = field(
        default=8,
        metadata={"help": "How many warm interpreters to keep; jobs that need yet another start Python anew.", "metavar": "N"},
    )


class Executor(local.Executor):
    """The local executor, forking the shell command of a job from a warm interpreter where that changes nothing else."""

    def __post_init__(self):
        super().__post_init__()
        self.grouped = set()
        self.interpreters = None
        if is_single_job(self.workflow):
            return
        if hindrance := no_fork():
            self.logger.warning(f"prefork: {hindrance}; jobs run as with the local executor.")
            return
        settings = self.workflow.executor_settings
        self.interpreters = Interpreters(settings.preload, settings.interpreters, self.logger.warning)
        self.shell = ShellSubprocess()
        put_in_shell(self.shell)

    def run_jobs(self, jobs):
        for ease in (lift_default_rate_limit, list_remaining_jobs_on_demand, widen_sample):
            ease(self.workflow)
        super().run_jobs(jobs)

    def run_job(self, job):
        if job.is_group():
            self.grouped.update(job)  # connected by pipes or services, which the local executor oversees
        super().run_job(job)

    def cached_or_run(self, job, run_func: Callable, *args):
        if self.interpreters is not None and job.is_shell and job not in self.grouped:
            self.shell.local.start = self.start
        try:
            super().cached_or_run(job, run_func, *args)
        finally:
            if self.interpreters is not None:
                self.shell.local.start = None

    def start(self, command: str, *, executable: str | None = None, env: dict[str, str], stdout=None, **options) -> Fork | None:
        """The fork that runs a shell command, or None where the shell itself has to."""
        if os.path.basename(executable or "") != "bash" or stdout == subprocess.PIPE or changes_bash(env):
            return None
        plain = parse(command.removeprefix(BASH_PREFIX))
        return plain and self.interpreters.fork(plain, env, executable=executable, stdout=stdout)

    def shutdown(self):
        try:
            super().shutdown()
        finally:
            self.close()

    def cancel(self):
        try:
            super().cancel()
        finally:
            self.close()

    def close(self):
        """End the warm interpreters and leave snakemake.shell as it was."""
        if self.interpreters is not None:
            self.interpreters.close()
            put_in_shell(subprocess)


def no_fork() -> str | None:
    """Why jobs cannot be forked from a warm interpreter on this system; None where they can.

    A fork of a process that has used macOS's frameworks, as NumPy uses Accelerate, may be ended by the system when it uses
    them too; CPython's multiprocessing does not fork there by itself for that reason.
    """
    if not hasattr(os, "fork"):
        return "this system cannot fork"
    return "macOS's frameworks need not survive a fork" if sys.platform == "darwin" else None


def changes_bash(env: dict[str, str]) -> bool:
    """Whether an environment gives Bash commands to run first or functions that hide a program."""
    return "BASH_ENV" in env or any(name.startswith("BASH_FUNC_") for name in env)
