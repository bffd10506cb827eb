"""Collect picks into one table, one row for each; a pick that several sweeps share stands in it once."""

from records import script, tables
from records.pick_tables import pick_table


def main() -> None:
    arguments = script.table_parser(__doc__).parse_args()
    tables.write(pick_table(arguments.cells, [grid for _, grid in script.sweeps(arguments)]), arguments.out)


if __name__ == "__main__":
    script.run(main)
