"""Fail, naming the first cell, where a cell did not come out the same when it was measured again."""

import argparse

import tables
from contactlab import script


def check(table) -> str:
    """What to say when every cell came out the same. Raises ValueError where one did not."""
    differing = table[table["verdict"] == "differs"]
    if differing.empty:
        return f"{len(table)} of {len(table)} cells gave the same bits again"
    first = differing.iloc[0]
    raise ValueError(
        f"{len(differing)} of {len(table)} cells differ when they are measured again, first {first['experiment']} "
        f"{first['engine']} {first['cell']}; results/verify.csv has them all"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", required=True, help="results/verify.csv")
    print(check(tables.read(parser.parse_args().table)))


if __name__ == "__main__":
    script.run(main)
