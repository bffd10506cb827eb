"""Collect the cells of a sweep of falls into one table, a row a cell."""

import pandas as pd

from records import script, tables


def main() -> None:
    arguments = script.table_parser(__doc__).parse_args()
    [(_, grid)] = script.sweeps(arguments)
    rows = [
        moved | {"duration_s": record["settings"]["duration_s"]} | {"fallen_m": record["result"]["fallen_m"]}
        for moved, record in tables.records(arguments.cells, grid)
    ]
    tables.write(pd.DataFrame(rows), arguments.out)


if __name__ == "__main__":
    script.run(main)
