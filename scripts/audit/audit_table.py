"""Write the table of an audit: one row for each run, with its measures, their bands and its outcomes."""

import argparse

from records import audit_tables, files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    audit_tables.add_arguments(parser)
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    files.write_csv(arguments.out, audit_tables.rows(arguments.audit, audit_tables.read(arguments.cells, arguments.audit)))


if __name__ == "__main__":
    script.run(main)
