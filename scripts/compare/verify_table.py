"""Compare a sample of the results with what the same cells give when they are measured again."""

import argparse
from pathlib import Path

import pandas as pd

from records import files, measured, passport, printed, script, tables, verdicts
from records.printed import Declaration, Declarations, Run


def measured_in(file: Path, record: dict, cell: str, declaration: Declaration) -> dict[str, Run]:
    """What a record measured, and the whole file as one more run, which no bit that it holds escapes."""
    return {"": Run({}, files.digest_of(file))} | printed.runs(cell, record, declaration)


def verify_row(path: str, results: Path, again: Path, declarations: Declarations) -> dict:
    """One cell: the digests of its state, whether the two files are the same to the last byte, and the verdict."""
    folder, engine, cell = printed.cell_of(path)
    declaration = printed.declared_for(folder, declarations)
    records = {place: files.read_json(place / path) for place in (results, again)}
    first, second = (measured_in(place / path, record, cell, declaration) for place, record in records.items())
    told = verdicts.together(
        verdicts.compare(second.get(name), first.get(name), declaration["measures"]) for name in first | second
    )
    return {
        "experiment": printed.key_of(folder, declarations),
        "engine": engine,
        "cell": cell,
        "digest": printed.digest_of(records[results]),
        "digest_again": printed.digest_of(records[again]),
        "same_file": first[""] == second[""],
        "verdict": told.verdict,
        "changed_measures": told.changed_measures(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    measured.add_arguments(parser)
    parser.add_argument("--again", required=True, type=Path, help="folder of the records that were measured again")
    parser.add_argument("--fraction", required=True, type=float, help="part of each experiment's cells")
    parser.add_argument("--seed", required=True, type=int, help="of the sample")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    chosen = passport.sample(measured.paths(arguments), arguments.declarations, arguments.fraction, arguments.seed)
    rows = [verify_row(path, arguments.results, arguments.again, arguments.declarations) for path in chosen]
    tables.write(pd.DataFrame(rows), arguments.out)


if __name__ == "__main__":
    script.run(main)
