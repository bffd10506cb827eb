"""Summarise sweeps of picks: a row for every value, over the cube's positions, with the band of each number."""

import argparse
from pathlib import Path

from records import script, settings, tables
from records.pick_tables import summary


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
