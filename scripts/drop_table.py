"""Collect the cells of a drop sweep into one table, a row a cell."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd

import tables
from contactlab import script, settings


def drop_table(folder: Path, grid: dict[str, list]) -> pd.DataFrame:
    """One row for every cell of the grid: the axes that it moves, then what the run saw, then the other axes."""
    rows = []
    for moved, record in tables.records(folder, grid):
        result = record["result"]
        texts = result.pop("warning_texts")  # for the few warnings that no counter counts
        result |= tables.effective(result.pop("effective"))
        result["warnings"] = tables.readable(result["warnings"]) or "; ".join(texts)
        rows.append(moved | result | {axis: value for axis, value in record["settings"].items() if axis not in moved})
    return tables.to_centimetres(pd.DataFrame(rows).map(tables.readable), list(result))


def main(complete: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table) -> None:
    """Write the table; `complete` may add columns of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("grid", nargs="+", help='axis=value,value; "default" where an axis is not moved')
    arguments = parser.parse_args()
    table = drop_table(arguments.cells, settings.grid_from_words(arguments.grid))
    tables.write(complete(table), arguments.out)


if __name__ == "__main__":
    script.run(main)
