"""Summarise sweeps of picks: a row for every value, over the cube's positions, with the band of each number."""

from records import script, tables
from records.pick_tables import summary


def main() -> None:
    arguments = script.table_parser(__doc__).parse_args()
    tables.write(summary(arguments.cells, script.sweeps(arguments)), arguments.out)


if __name__ == "__main__":
    script.run(main)
