"""Write the rows of one scan, of all engines it ran on, as a table."""

import argparse

import pandas as pd

import tables
from contactlab import files, script, settings


def controls_table(records: list[dict]) -> pd.DataFrame:
    """The rows of the records, the engine first. Values keep their type, as a warning that one engine lacks is empty there."""
    rows = [{"engine": record["mujoco"]} | row for record in records for row in record["rows"]]
    table = pd.DataFrame(rows, dtype=object)
    return table.map(settings.to_word, na_action="ignore") if "quantity" in table else table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", required=True, nargs="+", help="a record for each engine, JSON")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    tables.write(controls_table([files.read_json(path) for path in arguments.records]), arguments.out)


if __name__ == "__main__":
    script.run(main)
