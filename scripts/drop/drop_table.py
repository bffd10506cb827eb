"""Collect the cells of a drop sweep into one table, one row for each cell."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from records import script, settings, tables
from records.drop_tables import drop_table


def main(complete: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table) -> None:
    """Write the table; `complete` may add columns of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("grid", nargs="+", help='axis=value,value; "default" where an axis is not moved')
    arguments = parser.parse_args()
    table = drop_table(arguments.cells, settings.grid_from_words(arguments.grid))
    tables.write(complete(table), arguments.out)


if __name__ == "__main__":
    script.run(main)
