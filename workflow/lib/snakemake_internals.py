"""Everything of Snakemake that is not documented and that this workflow stands on, each with the reason.

`tests/workflow/test_snakemake_internals.py` holds each to the Snakemake that is installed; `min_version` in the Snakefile is
the one that is locked. prefork has a module of the same name for its own.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from snakemake.caching.rule import RuleCache
from snakemake.common import overwrite_function_params
from snakemake.exceptions import CacheMissException
from snakemake.io import AnnotatedString, report
from snakemake.persistence.file import FilePersistence

from contactlab.limit import TIMED_OUT

if TYPE_CHECKING:  # snakemake.workflow cannot be the first of Snakemake's modules to be imported
    from snakemake.io import ReportObject
    from snakemake.jobs import Job
    from snakemake.rules import Rule
    from snakemake.workflow import Workflow

__all__ = [
    "Marked", "Measurements", "asked_for", "completed", "files_of", "is_main", "keep_measurements", "know_parameters",
    "mark_incomplete", "marked", "named_files", "report", "runs_here",
]  # fmt: skip

OUTCOME = f'"outcome": "{TIMED_OUT}"'.encode()
AGAIN = ("results", "verify")  # where cells are measured again


class Measurements(RuleCache):
    """The part of the store that holds what a rule makes, without what timed out and what is measured again for `verify`.

    `cache:` is a property of a rule and cannot depend on the job or on what it has made; this class, which Snakemake makes for
    every rule, is asked job by job.
    """

    async def exists(self, job: Job) -> bool:
        return not _again(job) and await super().exists(job)

    async def fetch(self, job: Job) -> None:
        if _again(job):
            raise CacheMissException(f"{job.output[0]} is measured again")
        await super().fetch(job)

    async def store(self, job: Job) -> None:
        if not _again(job) and not any(is_timed_out(Path(path)) for path in job.output):
            await super().store(job)


def _again(job: Job) -> bool:
    return Path(job.output[0]).parts[:2] == AGAIN


def is_timed_out(path: Path) -> bool:
    """Whether a cell was ended before its time."""
    return OUTCOME in path.read_bytes()


def mark_incomplete(paths: Iterable[Path]) -> None:
    """Let Snakemake take files for those that a kill cut short; `rerun-incomplete` makes them again where a run needs them.

    A file that is only removed is not made again as long as what was made from it is there. Snakemake opens its marks after
    it has read the Snakefile, too late for the Snakefile to ask for its object.
    """
    for path in paths:
        FilePersistence(nolock=True)._mark_incomplete(str(path), external_jobid=None)


def keep_measurements(workflow: Workflow) -> None:
    """Let every rule that has been defined keep in the store what belongs there."""
    for rule in workflow.rules:
        rule.cache = Measurements(rule, rule.cache.flag)


def know_parameters(workflow: Workflow) -> None:
    """Tell Snakemake the parameters of every rule's functions once.

    It asks for their signatures each time that it calls one, a dozen times for each job, which takes as long as most of them.
    """
    for rule in workflow.rules:
        for function in filter(inspect.isfunction, map(_function, (*rule.input, *rule.params))):
            overwrite_function_params(function, inspect.signature(function).parameters)


def _function(item):
    """The function behind an input or a param that is one."""
    return item.callable if isinstance(item, AnnotatedString) else item


def named_files(workflow: Workflow) -> list[str]:
    """The configuration files of the command line, read before Snakemake, which takes the last of a key that stands twice."""
    return list(map(str, workflow.configfiles))


def is_main(workflow: Workflow) -> bool:
    """Whether this process plans the run; jobs of other nodes, and of `script:`, read the Snakefile again."""
    return workflow.is_main_process


def files_of(workflow: Workflow) -> Iterable[str]:
    """All files that the jobs of a planned run read and make, whose dates must not lie in the future."""
    return {file for job in workflow.dag.jobs for file in (*job.input, *job.output)}


def runs_here(workflow: Workflow) -> bool:
    """Whether a run whose jobs are grouped for a cluster would run them on this machine.

    Snakemake lets profiles/default win over `--profile`, so that all would run on what may be a login node.
    """
    return workflow.local_exec and bool(workflow.group_settings.overwrite_groups)


def asked_for(workflow: Workflow) -> set[str]:
    """The files that a run is asked for, by name or as the default, and what these are made of where rules name it.

    Input functions are asked while Snakemake plans its jobs, before it knows which these are.
    """
    asked, found = set(workflow.dag_settings.targets or [workflow.default_target]), set()
    while asked:
        found.add(target := asked.pop())
        for rule in workflow.rules:
            matches = [match.groupdict() for output in rule.output if (match := output.match(target))]
            for wildcards in matches[:1] or [{}] * (rule.name == target):
                named = [item for item in rule.input if not callable(item)]
                asked |= {str(item).format(**wildcards) for item in named} - found
    return found


def completed(workflow: Workflow) -> set[str]:
    """The files of a run that has made all that it was asked for; none of a dry run, a report or a run that failed.

    A run that finds nothing to do calls no hook, so what was done is asked of its graph of jobs; it has a scheduler once that
    graph is whole.
    """
    if workflow.scheduler is None or workflow.dryrun or any(workflow.dag.needrun_jobs()):
        return set()
    return {file for job in workflow.dag.jobs for file in job.output}


@dataclass(frozen=True)
class Marked:
    """A file that a rule marks with `report(...)`.

    Snakemake's report asks the jobs of a run; the page of all results is one of them, and what it shows is known before.
    """

    path: str
    wildcards: dict[str, str]
    _rule: Rule
    _mark: ReportObject

    @property
    def category(self) -> str:
        return self._filled(self._mark.category) or "Other"

    @property
    def subcategory(self) -> str | None:
        return self._filled(self._mark.subcategory)

    @property
    def title(self) -> str:
        """The label that is not the kind of the file, or its name."""
        labels = [self._filled(label) for name, label in (self._filled(self._mark.labels) or {}).items() if name != "kind"]
        return labels[0] if labels else Path(self.path).stem

    @property
    def caption(self) -> str | None:
        return self._mark.caption and os.path.relpath(self._mark.caption.get_path_or_uri(secret_free=True))

    def param(self, name: str):
        """A param of its job."""
        return self._filled(self._rule.params.get(name))

    def inputs(self) -> list[str]:
        """What its job reads."""
        found = [self._filled(item) for item in self._rule.input]
        return [path for item in found for path in ([item] if isinstance(item, str) else item)]

    def _filled(self, value):
        if callable(value):
            return value(SimpleNamespace(**self.wildcards))
        return value.format(**self.wildcards) if isinstance(value, str) else value


def marked(workflow: Workflow, paths: Iterable[str]) -> list[Marked]:
    """Those of `paths` that a rule marks for the report, in their order."""
    outputs = [(rule, output) for rule in workflow.rules for output in rule.output if "report" in output.flags]
    return [
        Marked(path, match.groupdict(), rule, output.flags["report"])
        for path in paths
        for rule, output in outputs
        if (match := output.match(path))
    ]
