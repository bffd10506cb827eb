"""A machine's passport: the final state and the printed numbers of every cell, and which cells are measured again.

A cell of a passport is one line of words: `digest`, then each measure as the sources print it, and for a number with a band
`NAME_band`, its lowest and highest value over starts moved by a hair, "low..high".
"""

import os

from contactlab.limit import TIMED_OUT
from records import engines, files
from records.printed import Declarations, Run, cell_of, declared_for, key_of, runs

DIGITS = 16  # hexadecimal ones of a digest, enough to tell states apart


def sample(paths: list[str], declarations: Declarations, fraction: float, seed: int) -> list[str]:
    """A seeded part of the records at `paths`, as many of each experiment as the fraction asks for and at least one.

    It depends on which paths there are, not on their order; the part of one experiment does not depend on the others.
    """
    import numpy as np  # here, as a start of the workflow that samples nothing should not wait for it

    experiments: dict[str, list[str]] = {}
    for path in sorted(set(paths)):
        experiments.setdefault(key_of(cell_of(path)[0], declarations), []).append(path)
    chosen = []
    for experiment, members in sorted(experiments.items()):
        random = np.random.default_rng([seed, *experiment.encode()])
        count = max(1, round(fraction * len(members)))
        chosen += [members[index] for index in sorted(random.choice(len(members), count, replace=False))]
    return chosen


def name_of(path: str, declarations: Declarations) -> str:
    """A cell's name in passports, experiment, MuJoCo version and cell, from its record's path below results/.

    The architecture of an emulated engine belongs to the machine, and how often a run is repeated from moved starts changes
    neither its state nor its numbers.
    """
    folder, engine, cell = cell_of(path)
    named = [word for word in cell.split(",") if not word.startswith("perturbation")]
    return f"{key_of(folder, declarations)}/{engines.split(engine)[0]}/{','.join(named)}"


def entries(path: str, record: dict, declarations: Declarations) -> dict[str, Run]:
    """The cells of a passport that a record makes, by name: one of a result, one for every row; none of what timed out."""
    place, _, cell = name_of(path, declarations).rpartition("/")
    try:
        found = runs(cell, record, declared_for(cell_of(path)[0], declarations))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return {f"{place}/{name}": run for name, run in found.items() if run.words.get("outcome") != TIMED_OUT}


def to_line(run: Run) -> str:
    """A cell as one line of a passport."""
    bands = {f"{name}_band": "..".join(ends) for name, ends in run.bands.items()}
    return ",".join(f"{name}={word}" for name, word in ({"digest": run.digest[:DIGITS]} | run.words | bands).items())


def from_line(line: str) -> Run:
    """The cell in one line of a passport."""
    words = dict(word.split("=", 1) for word in line.split(","))
    digest, banded = words.pop("digest"), [name for name in words if name.endswith("_band")]
    bands = {name.removesuffix("_band"): tuple(words.pop(name).split("..")) for name in banded}
    return Run(words, digest, bands)


def other_code(here: dict, there: dict) -> list[str]:
    """The experiments that two passports have by other code."""
    return sorted(name for name in here["code"].keys() & there["code"].keys() if here["code"][name] != there["code"][name])


def load(path: str | os.PathLike) -> dict:
    """The passport in a file: its machine, its cells as runs, and by experiment the digest of the code that measured them.

    Raises ValueError for a file that is not there or is no sealed passport.
    """
    try:
        record, _ = files.sealed(path)
        cells = {name: from_line(line) for name, line in record["cells"].items()}
        return {"machine": record["machine"], "code": dict(record.get("code", {})), "cells": cells}
    except FileNotFoundError:
        raise ValueError(f"{path}, which is not there") from None
    except (OSError, ValueError, KeyError, AttributeError):
        raise ValueError(f"{path}, which is no passport, or was changed after it was made") from None
