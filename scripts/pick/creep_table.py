"""Collect long holds into one table, a row for each time at which a held cube was looked at."""

from records import script, tables
from records.pick_tables import creep_table


def main() -> None:
    arguments = script.table_parser(__doc__).parse_args()
    [(_, grid)] = script.sweeps(arguments)
    tables.write(creep_table(arguments.cells, grid), arguments.out)


if __name__ == "__main__":
    script.run(main)
