"""Collect the softest solref of each timestep into one table, one row for each, with the reason where none keeps the cube."""

from records import script, tables
from records.drop_tables import softest_table


def main() -> None:
    arguments = script.table_parser(__doc__).parse_args()
    [(_, grid)] = script.sweeps(arguments)
    tables.write(softest_table(arguments.cells, grid), arguments.out)


if __name__ == "__main__":
    script.run(main)
