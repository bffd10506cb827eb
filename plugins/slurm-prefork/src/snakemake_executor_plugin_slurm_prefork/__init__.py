"""The executor `slurm`, whose Slurm jobs are each run by one Snakemake on the executor `prefork`."""

import shlex
from dataclasses import dataclass, field

import snakemake_executor_plugin_slurm as slurm
from snakemake_executor_plugin_slurm import common_settings
from snakemake_interface_executor_plugins.utils import encode_target_jobs_cli_args, format_cli_arg

__all__ = ["Executor", "ExecutorSettings", "common_settings"]


@dataclass
class ExecutorSettings(slurm.ExecutorSettings):
    """Settings of the executor `slurm`, and the modules that the warm interpreters of a Slurm job import."""

    preload: list[str] = field(
        default_factory=list,
        metadata={
            "help": "Modules to import once in every warm interpreter that has them.",
            "metavar": "MODULE",
            "nargs": "+",
            # The interface would make one string of the list if the field had a `type`.
            "parse_func": list,
            "unparse_func": " ".join,
        },
    )


class Executor(slurm.Executor):
    """Submits as the executor `slurm` does; what it submits is a Snakemake that makes the files of a job or of a group."""

    def get_job_args(self, job, **kwargs) -> str:
        """Ask for a job's files in place of its wildcards, whose values `--target-jobs` would cut at a comma."""
        wildcards = format_cli_arg("--target-jobs", encode_target_jobs_cli_args(job.get_target_spec()))
        files = [str(file) for one in (job if job.is_group() else [job]) for file in one.output]
        return super().get_job_args(job, **kwargs).replace(wildcards, shlex.join(files))

    def additional_general_args(self) -> str:
        preload = self.workflow.executor_settings.preload
        return shlex.join(["--executor", "prefork", *(["--prefork-preload", *preload] if preload else [])])
