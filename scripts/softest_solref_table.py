"""Collect the softest solref of each timestep into one table, a row a timestep, with why none helps where none does."""

import argparse
from pathlib import Path

import pandas as pd

import tables
from contactlab import script, settings


def why(result: dict) -> str | None:
    """Why no time constant keeps the cube: the first contact decides, and no solref has acted before it."""
    if result["softest_s"] is not None:
        return None
    reasons = {
        "wrong side": "at the first overlap the centre is below the mid-plane, and every contact pushes down",
        "missed contact": "no step overlaps the table, so there is no contact",
    }
    return reasons.get(result["stiffest_failure_mode"], result["stiffest_failure_mode"])


def softest_table(folder: Path, grid: dict[str, list]) -> pd.DataFrame:
    """One row for every cell of the grid: the axes that it moves, then what was found, times in ms."""
    rows = []
    for moved, record in tables.records(folder, grid):
        result = record["result"]
        times = {f"{name}_ms": result.pop(f"{name}_s") for name in ("softest", "reliable", "floor")}
        times = {name: None if value is None else 1000 * value for name, value in times.items()}
        monotone = {True: "yes", False: "no", None: None}[result.pop("monotone")]
        reason = why({"softest_s": times["softest_ms"], **result})
        rows.append(moved | times | {"monotone": monotone} | result | {"why_none": reason})
    table = pd.DataFrame(rows)
    return tables.to_centimetres(table, [name for name in table if name.startswith("stiffest_")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("grid", nargs="+", help='axis=value,value; "default" where an axis is not moved')
    arguments = parser.parse_args()
    tables.write(softest_table(arguments.cells, settings.grid_from_words(arguments.grid)), arguments.out)


if __name__ == "__main__":
    script.run(main)
