"""A Snakemake executor: the local one, but Python jobs are forked from warm interpreters that have imported what they need."""

from snakemake.executors.local import common_settings

from .executor import Executor, ExecutorSettings

__all__ = ["Executor", "ExecutorSettings", "common_settings"]
