"""Compare the passports of two machines, a row for every cell of either."""

import argparse

import pandas as pd

from records import passport, script, tables

COLUMNS = ["experiment", "mujoco", "cell", "verdict", "here", "there"]


def diff_row(name: str, here: passport.Words | None, there: passport.Words | None) -> dict:
    """One cell: the verdict, and what is printed differently, here and there."""
    experiment, mujoco, cell = name.split("/", 2)
    row = {"experiment": experiment, "mujoco": mujoco, "cell": cell}
    if here is None or there is None:
        return row | {"verdict": "only there" if here is None else "only here", "here": "", "there": ""}
    verdict, columns = passport.agreement(here, there)
    told = (", ".join(f"{name} {words.get(name, 'none')}" for name in columns) for words in (here, there))
    return row | {"verdict": verdict} | dict(zip(("here", "there"), told, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--here", required=True, help="this machine's passport")
    parser.add_argument("--there", required=True, help="the other machine's passport")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    here, there = (passport.load(path)["cells"] for path in (arguments.here, arguments.there))
    rows = [diff_row(name, here.get(name), there.get(name)) for name in sorted(here | there)]
    tables.write(pd.DataFrame(rows, columns=COLUMNS), arguments.out)


if __name__ == "__main__":
    script.run(main)
