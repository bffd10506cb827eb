"""Put every published number beside the one measured here, with a verdict."""

import argparse
from pathlib import Path

import pandas as pd

from records import script, settings, tables
from records.causes import explained
from records.ledger import COLUMNS, ledger


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--published", required=True, nargs=3,
        help="three CSV: what the sources print, which table and column measures each quantity, kinds of known differences",
    )  # fmt: skip
    parser.add_argument("--tables", required=True, nargs="*", type=Path, help="tables that measure and that show causes, CSV")
    parser.add_argument("--emulated", required=True, nargs="*", type=Path, help="tables of an emulated engine, CSV")
    parser.add_argument("--machine", required=True, help="what the ledger calls this machine")
    parser.add_argument("--out", required=True, help="the ledger to write, CSV")
    parser.add_argument("--defaults", nargs="+", default=[], help="axis=value for what a case calls default")
    arguments = parser.parse_args()
    read = {"dtype": str, "keep_default_na": False}
    claims, columns, causes = (pd.read_csv(path, **read) for path in arguments.published)
    measured, emulated = ({path.stem: tables.read(path) for path in paths} for paths in (arguments.tables, arguments.emulated))
    defaults = {axis: str(tables.readable(value)) for axis, value in settings.from_words(arguments.defaults).items()}
    table = explained(ledger(claims, columns, measured, defaults, emulated), causes, columns, measured, defaults)
    table["machine"] = table["engine"].map(lambda engine: arguments.machine.removeprefix("machine ") if engine else "")
    tables.write(table[COLUMNS], arguments.out)


if __name__ == "__main__":
    script.run(main)
