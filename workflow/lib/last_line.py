"""The last line of a run: what came out in one sentence, and where to look at it."""

import atexit
from collections.abc import Callable
from pathlib import Path

from lib import snakemake_internals

Sentence = Callable[[Path], str]


def promise(workflow, sentence: Sentence, *results: str) -> None:
    """Print the line when this process ends, with the first of `results` that the run was to make; the last has the sentence.

    A run that was not asked for any of them, or has not made all, prints none.
    """
    atexit.register(_print, workflow, sentence, results)


def _print(workflow, sentence: Sentence, results: tuple[str, ...]) -> None:
    made = snakemake_internals.completed(workflow)
    for path in [path for path in results if path in made][:1]:
        print(f"{sentence(Path(results[-1]))}: {path}", flush=True)
