"""Summarise sweeps of picks: a row for every value, over the cube's positions, with the band of each number.

A sweep that is `against` another grid is compared with it, a row's picks with those of the same value there.
"""

from records import measured, script, settings, tables
from records.pick_tables import summary


def main() -> None:
    parser = script.table_parser(__doc__)
    parser.add_argument("--moved-starts", action="store_true", help="compare the picks from moved starts, not those unmoved")
    measured.add_declarations(parser, required=False)
    arguments = parser.parse_args()
    sweeps = [(name, *settings.grids_from_words(words)) for name, *words in arguments.sweep]
    declaration = arguments.declarations and arguments.declarations["pick"]
    tables.write(summary(arguments.cells, sweeps, declaration, arguments.moved_starts), arguments.out)


if __name__ == "__main__":
    script.run(main)
