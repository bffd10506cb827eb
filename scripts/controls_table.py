"""Write the rows of one scan, of all engines it ran on, as a table."""

import argparse

from contactlab import files, script, settings


def controls_table(records: list[dict]) -> list[dict]:
    """The rows of the records, the engine first; in long form values are words, as they share one column."""
    rows = [{"engine": record["mujoco"]} | row for record in records for row in record["rows"]]
    return [row | {"value": settings.to_word(row["value"])} if "quantity" in row else row for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", required=True, nargs="+", help="a record for each engine, JSON")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    files.write_csv(arguments.out, controls_table([files.read_json(path) for path in arguments.records]))


if __name__ == "__main__":
    script.run(main)
