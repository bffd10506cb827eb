"""Check what lesson 16 builds from scratch, steps 1 to 5: one row for each number, in long form, with SciPy as the referee."""

import argparse
from pathlib import Path

import pandas as pd

from records import files, script, settings, tables
from records.grasp_checks import CASE, checks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, nargs="+", help="the picks to look into, JSON")
    parser.add_argument("--machine", required=True, type=Path, help="the machine driven by hand, JSON, in its engine's folder")
    parser.add_argument("--claims", required=True, help="what the sources print, CSV")
    parser.add_argument("--out", required=True, type=Path, help="the table to write, CSV")
    arguments = parser.parse_args()
    claims = pd.read_csv(arguments.claims, dtype=str, keep_default_na=False)
    machine = files.read_json(arguments.machine)
    records = [files.read_json(path) for path in arguments.cells]
    table = checks(records, machine, claims[claims["document"] == "grasp"])
    table.insert(0, "engine", arguments.machine.parent.name)
    table = table.reindex(columns=list(dict.fromkeys([*table, *CASE])))  # absent where no pick is held
    for column in ("mu", "mass_kg", "cap_Nm"):
        table[column] = table[column].map(lambda value: value if pd.isna(value) else settings.to_word(float(value)))
    tables.write(table, arguments.out)


if __name__ == "__main__":
    script.run(main)
