"""The last line of a run: how many published numbers come out, and where to look at all results."""

import atexit
from pathlib import Path

from records import headline


def promise(workflow, *results: str) -> None:
    """Print the line when this process ends, with the first of `results` that the run was asked for; the last is the ledger."""
    atexit.register(_print, workflow, results)


def _print(workflow, results: tuple[str, ...]) -> None:
    if path := shown(workflow, results):
        print(f"{headline.of_file(Path(results[-1]))}: {path}", flush=True)


def shown(workflow, results: tuple[str, ...]) -> str | None:
    """The first of `results` that the run was to make, if it has made all; None of a dry run, a report or a run that failed.

    A run that finds nothing to do calls no hook of Snakemake's, so what was done is asked of its graph of jobs. It has a
    scheduler once that graph is whole.
    """
    if workflow.scheduler is None or workflow.dryrun or any(workflow.dag.needrun_jobs()):
        return None
    made = {output for job in workflow.dag.jobs for output in job.output}
    return next((path for path in results if path in made), None)
