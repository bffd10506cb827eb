"""Summarise sweeps of picks: a row for every value, over the cube's positions, with the band of each number."""

import argparse
import math
from collections import Counter
from pathlib import Path

import pandas as pd

import tables
from contactlab import script, settings
from contactlab.grasp import cone_ratio
from contactlab.limit import TIMED_OUT
from contactlab.statistics import band, mean, wilson

FIRST = ("mu", "mass_kg", "cap_Nm")


def counts(picks: list[dict], mu: float, mass_kg: float) -> dict:
    """What is counted and averaged over the picks of one value: the means are over the tries whose jaw closed."""
    outcomes = Counter(pick["outcome"] for pick in picks)
    squeeze_N = mean(pick["squeeze_N"] for pick in picks)
    return {
        "successes": outcomes["held"],
        "close_time_s": mean(pick["close_time_s"] for pick in picks),
        "squeeze_N": squeeze_N,
        "cone_ratio": None if squeeze_N is None else cone_ratio(mu, [squeeze_N], mass_kg),
        "held": outcomes["held"],
        "not_closed": outcomes["not closed"],
        "dropped": outcomes["dropped"],
        "flung": sum(pick["flung"] for pick in picks),
    }


def rotation_deg(record: dict) -> float:
    """How far the cube has turned since the start, about whatever axis, in degrees: 2 acos |<q, q0>|."""
    half_yaw = record["settings"]["cube_yaw_rad"] / 2
    w, _, _, z = record["result"]["cube_quat"]
    return math.degrees(2 * math.acos(min(1.0, abs(w * math.cos(half_yaw) + z * math.sin(half_yaw)))))


def summary_row(records: list[dict], mu: float, mass_kg: float) -> dict:
    """One value's row. The k-th perturbed pick of every position together give the k-th perturbed row, hence the band.

    Of picks that timed out nothing is known: they stand beside the n that were measured.
    """
    outcomes = {record["result"]["outcome"] for record in records}
    count, records = len(records), [record for record in records if record["result"]["outcome"] != TIMED_OUT]
    picks = [record["result"] for record in records]
    row = counts(picks, mu, mass_kg)
    low, high = wilson(row["successes"], len(picks)) if picks else (None, None)
    told = {
        "n": len(picks),
        "wilson_low": low,
        "wilson_high": high,
        "outcome": outcomes.pop() if len(outcomes) == 1 else "mixed",
        "rotation_deg": mean(rotation_deg(record) for record in records if record["result"]["outcome"] == "held"),
        "reapproached": sum(pick["reapproaches"] > 0 for pick in picks),
        "diverged": sum(pick["outcome"] == "diverged" for pick in picks),
        "timed_out": count - len(picks),
    }
    again = [counts(list(moved), mu, mass_kg) for moved in zip(*(record["perturbed"] for record in records), strict=True)]
    for name, value in row.items():
        ends = band([value, *(other[name] for other in again)]) if again else None
        told |= {f"{name}_low": ends and ends[0], f"{name}_high": ends and ends[1]}
    return row | told | {"perturbations": len(again)}


def summary(folder: Path, sweeps: list[tuple[str, dict[str, list]]]) -> pd.DataFrame:
    """A row for every value of every sweep, the sweep's name first and the axes that any of the sweeps moves."""
    axes = [*FIRST, *dict.fromkeys(axis for _, grid in sweeps for axis in grid if axis not in ("engine", "position", *FIRST))]
    rows = []
    for name, grid in sweeps:
        values: dict[tuple, list[dict]] = {}
        for moved, record in tables.records(folder, grid):
            place = (moved["engine"], *(settings.to_word(record["settings"][axis]) for axis in axes))
            values.setdefault(place, []).append(record)
        for (engine, *_), records in values.items():
            cell = {axis: records[0]["settings"][axis] for axis in axes}
            measured = summary_row(records, cell["mu"], cell["mass_kg"])
            rows.append({"sweep": name, "engine": engine} | {k: tables.readable(v) for k, v in cell.items()} | measured)
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("--sweep", required=True, nargs="+", action="append", help="a name and axis=value,value; repeated")
    arguments = parser.parse_args()
    sweeps = [(name, settings.grid_from_words(words)) for name, *words in arguments.sweep]
    tables.write(summary(arguments.cells, sweeps), arguments.out)


if __name__ == "__main__":
    script.run(main)
