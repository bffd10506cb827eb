"""Compare a sample of the results with what the same cells give when they are measured again."""

import argparse
from pathlib import Path

import pandas as pd

from contactlab.limit import TIMED_OUT
from records import files, measured, passport, script, tables


def verify_row(path: str, results: Path, again: Path) -> dict:
    """One cell: the digests of its state, and whether the two files are the same to the last byte."""
    experiment, engine, cell = passport.cell_of(path)
    first, second = (passport.digest_of(files.read_json(folder / path)) for folder in (results, again))
    same_file = (results / path).read_bytes() == (again / path).read_bytes()
    return {
        "experiment": experiment,
        "engine": engine,
        "cell": cell,
        "digest": first,
        "digest_again": second,
        "same_file": same_file,
        "verdict": TIMED_OUT if None in (first, second) else "same bits" if same_file else "differs",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    measured.add_arguments(parser)
    parser.add_argument("--again", required=True, type=Path, help="folder of the records that were measured again")
    parser.add_argument("--fraction", required=True, type=float, help="part of each experiment's cells")
    parser.add_argument("--seed", required=True, type=int, help="of the sample")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    chosen = passport.sample(measured.paths(arguments), arguments.fraction, arguments.seed)
    rows = [verify_row(path, arguments.results, arguments.again) for path in chosen]
    tables.write(pd.DataFrame(rows), arguments.out)


if __name__ == "__main__":
    script.run(main)
