"""Write one table of the stepping experiment."""

import argparse

import pandas as pd

import tables
from contactlab import files, script


def stepping_table(run: dict, name: str) -> pd.DataFrame:
    """The rows of one part of the run, the engine first; heights in cm, as they are published."""
    table = pd.DataFrame(run[name])
    table.insert(0, "engine", run["mujoco"])
    return tables.to_centimetres(table, ["first_overlap_centre_m"]) if name == "overlap" else table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", required=True, help="the record of the run, JSON")
    parser.add_argument("--table", required=True, help="which part of it: steppers, energy, growth, overlap, split")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    tables.write(stepping_table(files.read_json(arguments.run), arguments.table), arguments.out)


if __name__ == "__main__":
    script.run(main)
