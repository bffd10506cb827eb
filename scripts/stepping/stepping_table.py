"""Write one table of the stepping experiment."""

import argparse
from pathlib import Path

import pandas as pd

from records import files, script, tables


def stepping_table(run: dict, engine: str, name: str) -> pd.DataFrame:
    """The rows of one part of an engine's run, the engine first; heights in cm, as they are published."""
    table = pd.DataFrame(run[name])
    table.insert(0, "engine", engine)
    return tables.to_centimetres(table, ["first_overlap_centre_m"]) if name == "overlap" else table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", required=True, type=Path, help="the record of the run, JSON, with the engine's name")
    parser.add_argument("--table", required=True, help="which part of it: steppers, energy, growth, overlap, split")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    table = stepping_table(files.read_json(arguments.run), arguments.run.parent.name, arguments.table)
    tables.write(table, arguments.out)


if __name__ == "__main__":
    script.run(main)
