"""Cells that timed out. A time-out is no measurement, as it depends on the machine's load: the store keeps none, and the next
run that needs such a cell tries it again.
"""

from pathlib import Path

from snakemake.caching.rule import RuleCache
from snakemake.jobs import Job

from contactlab.limit import TIMED_OUT

OUTCOME = f'"outcome": "{TIMED_OUT}"'.encode()


class Measurements(RuleCache):
    """The part of the store that holds what a rule makes, without what timed out."""

    async def store(self, job: Job) -> None:
        if not any(OUTCOME in Path(path).read_bytes() for path in job.output):
            await super().store(job)


def timed_out(folder: Path) -> list[str]:
    """The cells in a folder that timed out; those that are links are in the store, hence measured."""
    return [str(path) for path in folder.rglob("*.json") if not path.is_symlink() and OUTCOME in path.read_bytes()]
