"""Put the displaced run and the scan of settings into the words of the chapter: one number over many rows."""

import argparse
from pathlib import Path

import pandas as pd

from records import script, tables
from records.controls_chapter import controls_checks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", required=True, nargs="+", type=Path, help="controls_displaced.csv, controls_scan.csv")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    checks = [controls_checks(tables.read(path), path.stem) for path in arguments.tables]
    tables.write(pd.concat(checks), arguments.out)


if __name__ == "__main__":
    script.run(main)
