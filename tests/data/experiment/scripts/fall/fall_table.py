"""Collect the cells of a sweep of falls into one table, a row a cell."""

import argparse
from pathlib import Path

import pandas as pd

from records import script, settings, tables


def fall_table(folder: Path, grid: dict[str, list]) -> pd.DataFrame:
    """One row for every cell of the grid: the axes that it moves, the duration, and the distance fallen in m."""
    rows = [
        moved | {"duration_s": record["settings"]["duration_s"], "fallen_m": record["result"]["fallen_m"]}
        for moved, record in tables.records(folder, grid)
    ]
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("grid", nargs="+", help='axis=value,value; "default" where an axis is not moved')
    arguments = parser.parse_args()
    tables.write(fall_table(arguments.cells, settings.grid_from_words(arguments.grid)), arguments.out)


if __name__ == "__main__":
    script.run(main)
