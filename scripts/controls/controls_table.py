"""Write the rows of one scan, of all engines it ran on, as a table."""

import argparse
from pathlib import Path

from records import files, script
from records.controls_tables import controls_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", required=True, nargs="+", type=Path, help="JSON, in a folder for each engine")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    records = {path.parent.name: files.read_json(path) for path in arguments.records}
    files.write_csv(arguments.out, controls_table(records))


if __name__ == "__main__":
    script.run(main)
