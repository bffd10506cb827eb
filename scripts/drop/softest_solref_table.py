"""Collect the softest solref of each timestep into one table, one row for each, with the reason where none keeps the cube."""

import argparse
from pathlib import Path

from records import script, settings, tables
from records.drop_tables import softest_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("grid", nargs="+", help='axis=value,value; "default" where an axis is not moved')
    arguments = parser.parse_args()
    tables.write(softest_table(arguments.cells, settings.grid_from_words(arguments.grid)), arguments.out)


if __name__ == "__main__":
    script.run(main)
