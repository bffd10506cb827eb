"""Compare the passports of two machines, a row for every cell of either."""

import argparse

import pandas as pd

from records import measured, passport, script, tables, verdicts
from records.printed import Declarations, Run, measures_of

COLUMNS = ["experiment", "mujoco", "cell", "verdict", "here", "there", "changed_measures"]


def diff_row(name: str, here: Run | None, there: Run | None, declarations: Declarations) -> dict:
    """One cell: the verdict, and what is printed differently, here and there."""
    key, mujoco, cell = name.split("/", 2)
    found = verdicts.compare(here, there, measures_of(key, declarations))
    differing = found.printed_otherwise().items()
    told = {side: ", ".join(f"{name} {getattr(one, side) or 'none'}" for name, one in differing) for side in ("here", "there")}
    row = {"experiment": key, "mujoco": mujoco, "cell": cell, "verdict": found.verdict}
    return row | told | {"changed_measures": found.changed_measures()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--here", required=True, help="this machine's passport")
    parser.add_argument("--there", required=True, help="the other machine's passport")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    measured.add_declarations(parser)
    arguments = parser.parse_args()
    here, there = (passport.load(path)["cells"] for path in (arguments.here, arguments.there))
    rows = [diff_row(name, here.get(name), there.get(name), arguments.declarations) for name in sorted(here | there)]
    tables.write(pd.DataFrame(rows, columns=COLUMNS), arguments.out)


if __name__ == "__main__":
    script.run(main)
