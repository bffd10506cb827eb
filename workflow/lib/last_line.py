"""The last line of a run: how many published numbers come out, and where to look at all results."""

import atexit
from pathlib import Path

from lib import snakemake_internals
from records import headline


def promise(workflow, *results: str) -> None:
    """Print the line when this process ends, with the first of `results` that the run was to make; the last is the ledger.

    A run that was not asked for any of them, or has not made all, prints none.
    """
    atexit.register(_print, workflow, results)


def _print(workflow, results: tuple[str, ...]) -> None:
    made = snakemake_internals.completed(workflow)
    for path in [path for path in results if path in made][:1]:
        print(f"{headline.of_file(Path(results[-1]))}: {path}", flush=True)
