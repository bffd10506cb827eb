"""Fail, naming the first cell, where a cell did not come out the same when it was measured again."""

import argparse

from contactlab.limit import TIMED_OUT
from records import script, tables
from records.verdicts import SAME_BITS


def check(table) -> str:
    """What to say when every cell came out the same. Raises ValueError where one did not, or where none could be compared."""
    ended, differing = table[table["verdict"] == TIMED_OUT], table[~table["verdict"].isin([SAME_BITS, TIMED_OUT])]
    compared = len(table) - len(ended)
    if not compared:
        raise ValueError(f"all {len(table)} cells timed out; cell_limit_s of the configuration allows more")
    if differing.empty:
        aside = f"; {len(ended)} timed out and could not be compared" if len(ended) else ""
        return f"{compared} of {compared} cells gave the same bits again{aside}"
    first = differing.iloc[0]
    raise ValueError(
        f"{len(differing)} of {compared} cells differ when they are measured again, first {first['experiment']} "
        f"{first['engine']} {first['cell']}; results/verify.csv has them all"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", required=True, help="results/verify.csv")
    print(check(tables.read(parser.parse_args().table)))


if __name__ == "__main__":
    script.run(main)
