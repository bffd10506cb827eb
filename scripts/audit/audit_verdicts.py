"""Write the verdicts of an audit: one row for each measure and variation, beside the reference."""

import argparse

from records import audit_comparison, audit_headline, audit_tables, files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    audit_tables.add_arguments(parser)
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    found = audit_tables.read(arguments.cells, arguments.audit)
    files.write_csv(arguments.out, audit_comparison.rows(arguments.audit, found))
    print(audit_headline.sentence(arguments.out))


if __name__ == "__main__":
    script.run(main)
