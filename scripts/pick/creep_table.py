"""Collect long holds into one table, a row for each time at which a held cube was looked at."""

import argparse
from pathlib import Path

from records import script, settings, tables
from records.pick_tables import creep_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("--sweep", required=True, nargs="+", help="a name and axis=value,value")
    arguments = parser.parse_args()
    tables.write(creep_table(arguments.cells, settings.grid_from_words(arguments.sweep[1:])), arguments.out)


if __name__ == "__main__":
    script.run(main)
