"""Put the sweeps on two architectures beside the published numbers and each other: what belongs to the machine?"""

import argparse
from pathlib import Path

import pandas as pd

from records import measured, script, tables
from records.architectures import architectures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", required=True, help="what the sources print, CSV")
    parser.add_argument("--columns", required=True, help="the table and column that measures each quantity, CSV")
    parser.add_argument(
        "--tables", nargs="+", action="append", default=[],
        help="an experiment and its tables, CSV, in a folder an engine; repeated",
    )  # fmt: skip
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    measured.add_declarations(parser)
    arguments = parser.parse_args()
    read = {"dtype": str, "keep_default_na": False}
    where = pd.read_csv(arguments.columns, **read).drop(columns="case")
    claims = pd.read_csv(arguments.claims, **read).merge(where, on=["document", "section", "quantity"])
    found: dict[str, dict[str, pd.DataFrame]] = {}
    experiments = {}
    for experiment, *paths in arguments.tables:
        for path in map(Path, paths):
            found.setdefault(path.parent.name, {})[path.stem] = tables.read(path)
            experiments[path.stem] = arguments.declarations[experiment]
    tables.write(architectures(found, experiments, claims), arguments.out)


if __name__ == "__main__":
    script.run(main)
