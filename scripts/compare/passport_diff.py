"""Compare the passports of two machines, a row for every cell of either."""

import argparse

import pandas as pd

from records import measured, passport, script, tables, verdicts
from records.printed import Declarations, Run, experiment_of, measures_of

COLUMNS = ["experiment", "mujoco", "cell", "verdict", "here", "there", "changed_measures", "code_here", "code_there"]


def diff_row(name: str, here: Run | None, there: Run | None, declarations: Declarations) -> dict:
    """One cell: the verdict, and what is printed differently, here and there."""
    key, mujoco, cell = name.split("/", 2)
    found = verdicts.compare(here, there, measures_of(key, declarations))
    differing = found.printed_otherwise().items()
    told = {side: ", ".join(f"{name} {getattr(one, side) or 'none'}" for name, one in differing) for side in ("here", "there")}
    row = {"experiment": key, "mujoco": mujoco, "cell": cell, "verdict": found.verdict}
    return row | told | {"changed_measures": found.changed_measures()}


def diff(here: dict, there: dict, declarations: Declarations) -> list[dict]:
    """The rows of two passports, each with the digests of the code that measured its experiment here and there."""
    rows = []
    for name in sorted(here["cells"] | there["cells"]):
        row = diff_row(name, here["cells"].get(name), there["cells"].get(name), declarations)
        experiment = experiment_of(row["experiment"], declarations)
        code = {f"code_{side}": one["code"].get(experiment) for side, one in (("here", here), ("there", there))}
        rows.append(row | code)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--here", required=True, help="this machine's passport")
    parser.add_argument("--there", required=True, help="the other machine's passport")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    measured.add_declarations(parser)
    arguments = parser.parse_args()
    rows = diff(passport.load(arguments.here), passport.load(arguments.there), arguments.declarations)
    tables.write(pd.DataFrame(rows, columns=COLUMNS), arguments.out)


if __name__ == "__main__":
    script.run(main)
