"""Run one cell of an audit of code: call the user's function with the settings of the run, and write what it returns."""

import argparse
import json

from records import audit_code, files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument("--settings", required=True, help="what the run is told, JSON")
    arguments = parser.parse_args()
    files.write_json(arguments.out, audit_code.cell(json.loads(arguments.settings)))


if __name__ == "__main__":
    script.run(main)
