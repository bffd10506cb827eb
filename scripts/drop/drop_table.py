"""Collect the cells of a drop sweep into one table, one row for each cell."""

from collections.abc import Callable

import pandas as pd

from records import script, tables
from records.drop_tables import drop_table


def main(complete: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table) -> None:
    """Write the table; `complete` may add columns of its own."""
    arguments = script.table_parser(__doc__).parse_args()
    [(_, grid)] = script.sweeps(arguments)
    tables.write(complete(drop_table(arguments.cells, grid)), arguments.out)


if __name__ == "__main__":
    script.run(main)
