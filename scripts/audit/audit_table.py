"""Write the table of an audit: one row for each run, with its measures, their bands and its outcomes."""

from records import audit_tables, script


def main() -> None:
    audit_tables.write(__doc__, audit_tables.rows)


if __name__ == "__main__":
    script.run(main)
