"""Collect long holds into one table, a row for each time at which a held cube was looked at."""

import argparse
from pathlib import Path

import pandas as pd

import tables
from contactlab import script, settings


def creep_table(folder: Path, grid: dict[str, list]) -> pd.DataFrame:
    """The axes that the grid moves, the time since the hold began, how far the cube crept and sank, and how the pick ended."""
    rows = []
    for moved, record in tables.records(folder, grid):
        result = record["result"]
        for held_s, slip_m, sunk_m in zip(*(result[name] for name in ("held_s", "slip_m", "sunk_m")), strict=True):
            moves_m = {"slip_mm": slip_m, "sunk_mm": sunk_m}
            seen = {"held_s": held_s} | {name: None if move_m is None else 1000 * move_m for name, move_m in moves_m.items()}
            rows.append(moved | seen | {name: result[name] for name in ("outcome", "flung", "digest")})
    return pd.DataFrame(rows).map(tables.readable)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("--sweep", required=True, nargs="+", help="a name and axis=value,value")
    arguments = parser.parse_args()
    tables.write(creep_table(arguments.cells, settings.grid_from_words(arguments.sweep[1:])), arguments.out)


if __name__ == "__main__":
    script.run(main)
