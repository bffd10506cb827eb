"""Collect picks into one table, one row for each; a pick that several sweeps share stands in it once."""

import argparse
from pathlib import Path

from records import script, settings, tables
from records.pick_tables import pick_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("--grid", required=True, nargs="+", action="append", help="axis=value,value of a sweep; repeated")
    arguments = parser.parse_args()
    grids = [settings.grid_from_words(words) for words in arguments.grid]
    tables.write(pick_table(arguments.cells, grids), arguments.out)


if __name__ == "__main__":
    script.run(main)
