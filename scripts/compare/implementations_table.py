"""Put the cells of other implementations beside C's: what became of each, how far they came apart, what could not run."""

import argparse
from pathlib import Path

import pandas as pd

from records import implementation_tables, measured, script, settings, tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", required=True, type=Path, help="folder of the records")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument(
        "--variant", nargs=3, action="append", default=[], help="experiment, an implementation and values of its axes; repeated"
    )
    parser.add_argument(
        "--sweep", nargs="+", action="append", default=[], help="experiment, name and axis=value,value of a sweep; repeated"
    )
    parser.add_argument("--scan", nargs=2, action="append", default=[], help="experiment and name of a scan; repeated")
    measured.add_declarations(parser)
    arguments = parser.parse_args()
    rows, variants = [], {}
    for experiment, *variant in arguments.variant:
        variants.setdefault(experiment, []).append(tuple(variant))
    for experiment, name, *words in arguments.sweep:
        grid, declaration = settings.grid_from_words(words), arguments.declarations[experiment]
        rows += implementation_tables.rows(arguments.results, experiment, name, grid, variants[experiment], declaration)
    for experiment, name in arguments.scan:
        declaration = arguments.declarations[experiment]
        rows += implementation_tables.scan_rows(arguments.results, experiment, name, variants[experiment], declaration)
    table = pd.DataFrame(rows, columns=implementation_tables.COLUMNS)
    tables.write(table.astype(dict.fromkeys(implementation_tables.COUNTS, "Int64")), arguments.out)


if __name__ == "__main__":
    script.run(main)
