"""A machine's passport: the final state and the printed numbers of every cell, and how the passports of two machines compare.

A cell of a passport is a dictionary of words: `digest`, then each column that the sources print, as they print it, and for a
number with a band `NAME_band`, its lowest and highest value over starts moved by a hair, "low..high".
"""

import hashlib
import json
import os
import re

from contactlab.limit import TIMED_OUT
from contactlab.statistics import band
from records import engines, files, settings

# How the sources print a column, as a format; "" for words and counts. Drops and picks are printed in cm.
PRINTED = {
    "outcome": "", "failure_mode": "", "side": "", "first_overlap_centre_cm": ".2f", "lowest_centre_cm": ".2f",
    "flung": "", "lift_cm": ".2f", "squeeze_N": ".2f", "close_time_s": ".3f", "steps": "",
    "energy_ratio": ".6f", "growth_per_step": ".6f", "max_abs_x_10_steps_m": ".4g", "first_overlap_side": "",
    "matches_stepper": "", "bitwise_integrator_Euler": "",
    "status": "", "warm_up_qpos_m": ".4f", "final_qpos_0_m": ".6f", "final_qpos_1_m": ".6f", "final_ctrl_0_m": ".1f",
    "final_ctrl_1_m": ".1f", "time_s": ".3f", "time_rewinds": "", "final_finite": "", "nonfinite_states": "", "at_qpos0": "",
    "band_entries": "", "bitwise_zero_controls": "", "autoreset_matters": "", "ctrl_kept": "", "badctrl_per_step": ".0f",
    "badctrl_peak": "", "badctrl_final": "", "badqpos_peak": "", "badqvel_peak": "", "badqacc_peak": "",
    "measured_end_m": ".6f", "bitwise": "",
}  # fmt: skip
BANDED = ("lift_cm", "squeeze_N", "close_time_s")  # of a pick
TEXTS = ("nan", "inf", "-inf")  # how a scan writes what is not finite
FOLLOWS = {"steps": "close_time_s"}  # every state of a pick but `close` ends by the clock
STEPPING_PARTS = ("steppers", "energy", "growth", "overlap", "split")
ROW_AXES = {
    "gravity", "forcerange", "autoreset", "integrator", "dyntype", "kp", "kv", "armature_kg", "field", "value", "ctrlrange",
    "actuator", "channel", "stepper", "h_omega", "dt_ms", "by", "call",
}  # fmt: skip

# From the same to what matters most; a cell that only one passport has comes last.
VERDICTS = ("same bits", "same printed numbers", "within band", "other numbers", "different outcome", "only here", "only there")

Words = dict[str, str]


def cell_of(path: str) -> tuple[str, str, str]:
    """Experiment, engine and cell of a record's path below results/: "drop/3.17.0/dt_ms=2.json", "stepping/3.17.0.json"."""
    folder, engine, cell = re.fullmatch(r"(.+?)/(\d+\.\d+\.\d+[^/]*?)(?:/(.+))?\.json", path).groups()
    return {"trajectories/drop": "impact"}.get(folder, folder), engine, cell or "all"


def sample(paths: list[str], fraction: float, seed: int) -> list[str]:
    """A seeded part of the records at `paths`, as many of each experiment as the fraction asks for and at least one.

    It depends on which paths there are, not on their order; the part of one experiment does not depend on the others.
    """
    import numpy as np  # here, as a start of the workflow that samples nothing should not wait for it

    experiments: dict[str, list[str]] = {}
    for path in sorted(set(paths)):
        experiments.setdefault(cell_of(path)[0], []).append(path)
    chosen = []
    for experiment, members in sorted(experiments.items()):
        random = np.random.default_rng([seed, *experiment.encode()])
        count = max(1, round(fraction * len(members)))
        chosen += [members[index] for index in sorted(random.choice(len(members), count, replace=False))]
    return chosen


def digest_of(record: dict) -> str:
    """SHA-256 of a run's final state; of a scan, which ends in many states, over all that it wrote; None if it timed out."""
    return record["result"].get("digest") if "result" in record else _digest(record)


def _digest(written: dict) -> str:
    return hashlib.sha256(json.dumps(written).encode()).hexdigest()


def name_of(path: str) -> str:
    """A cell's name in passports, experiment, MuJoCo version and cell, from its record's path below results/.

    The architecture of an emulated engine belongs to the machine, and how often a pick is repeated from moved starts changes
    neither its state nor its numbers.
    """
    experiment, engine, cell = cell_of(path)
    named = [word for word in cell.split(",") if not word.startswith("perturbation")]
    return f"{experiment}/{engines.split(engine)[0]}/{','.join(named)}"


def entries(path: str, record: dict) -> dict[str, Words]:
    """The cells of a passport that a record makes, by name: one of a drop or a pick, one for every row of a scan."""
    name, cell = name_of(path), cell_of(path)[2]
    if record.get("result", {}).get("outcome") == TIMED_OUT:
        return {}  # not measured
    if "result" in record:
        return {name: _words(record["result"]["digest"], record["result"]) | _bands(record)}
    place = name.rpartition("/")[0]
    parts = {cell: record["rows"]} if "rows" in record else {part: record[part] for part in STEPPING_PARTS}
    found = {}
    for part, rows in parts.items():
        for row in rows:
            axes = settings.to_words({axis: value for axis, value in row.items() if axis in ROW_AXES and value is not None})
            measured = {column: value for column, value in row.items() if column not in ROW_AXES}
            name = f"{place}/{','.join([part, *axes])}"
            if name in found:
                raise ValueError(f"{path}: two rows are {name}; records.passport.ROW_AXES has to name what tells them apart")
            found[name] = _words(_digest(row), measured)
    return found


def _words(digest: str, measured: dict) -> Words:
    """The words of one cell. Sixteen hexadecimal digits are enough to tell states apart."""
    columns = _published(measured)
    return {"digest": digest[:16]} | {name: printed(name, columns[name]) for name in PRINTED if name in columns}


def _bands(record: dict) -> Words:
    """The band of each number of a pick that was repeated from moved starts; a number that never happened has none."""
    again = record.get("perturbed", [])
    picks = [_published(pick) for pick in (record["result"], *again)] if again else []
    ends = {name: band(pick[name] for pick in picks) for name in BANDED}
    return {f"{name}_band": "..".join(printed(name, end) for end in found) for name, found in ends.items() if found}


def _published(measured: dict) -> dict:
    """What was measured by column, in cm where the sources print a length in cm."""
    columns = {}
    for name, value in measured.items():
        in_cm = f"{name.removesuffix('_m')}_cm"
        if in_cm in PRINTED:
            columns[in_cm] = None if value is None else 100 * value
        else:
            columns[name] = value
    return columns


def printed(column: str, value) -> str:
    """A value as the sources print its column; "none" where it did not happen. No zero is negative."""
    if value is None:
        return "none"
    return format(float(value), f"z{PRINTED[column]}") if PRINTED[column] and value not in TEXTS else settings.to_word(value)


def agreement(here: Words, there: Words) -> tuple[str, list[str]]:
    """The verdict on a cell that two machines measured, and the columns that they print differently."""
    columns = [name for name in PRINTED if here.get(name) != there.get(name)]
    if not columns:
        return ("same bits" if here["digest"] == there["digest"] else "same printed numbers"), []
    if not all(_is_number(words.get(name)) for name in columns for words in (here, there)):
        return "different outcome", columns
    judged = [name for name in columns if FOLLOWS.get(name) not in columns]
    within = all(_inside(name, here, there) or _inside(name, there, here) for name in judged)
    return ("within band" if within else "other numbers"), columns


def _is_number(word: str | None) -> bool:
    return bool(word and re.fullmatch(r"-?[\d.]+(e[+-]\d+)?", word))


def _inside(name: str, banded: Words, other: Words) -> bool:
    """Whether the other machine's number lies in this one's band."""
    low, dots, high = banded.get(f"{name}_band", "").partition("..")
    return bool(dots) and float(low) <= float(other[name]) <= float(high)


def to_line(words: Words) -> str:
    """A cell as one line of a passport."""
    return ",".join(f"{name}={word}" for name, word in words.items())


def load(path: str | os.PathLike) -> dict:
    """The passport in a file, its cells as words. Raises ValueError for a file that is not there or is no sealed passport."""
    try:
        record, _ = files.sealed(path)
        cells = {name: dict(word.split("=", 1) for word in line.split(",")) for name, line in record["cells"].items()}
        return {"machine": record["machine"], "cells": cells}
    except FileNotFoundError:
        raise ValueError(f"{path}, which is not there") from None
    except (OSError, ValueError, KeyError, AttributeError):
        raise ValueError(f"{path}, which is no passport, or was changed after it was made") from None
