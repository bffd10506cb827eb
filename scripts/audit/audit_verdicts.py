"""Write the verdicts of an audit: one row for each measure and variation, beside the reference."""

from records import audit_comparison, audit_headline, audit_tables, script


def main() -> None:
    print(audit_headline.sentence(audit_tables.write(__doc__, audit_comparison.rows)))


if __name__ == "__main__":
    script.run(main)
