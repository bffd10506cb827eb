"""Tabulate how far placements move what is measured of picks, a row for every value over the cube's positions."""

from records import script, tables
from records.placed_picks import placements


def main() -> None:
    arguments = script.table_parser(__doc__).parse_args()
    tables.write(placements(arguments.cells, script.sweeps(arguments)), arguments.out)


if __name__ == "__main__":
    script.run(main)
