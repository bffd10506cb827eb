"""Run one control-fault scan and write its rows."""

import argparse
import json

import mujoco

from contactlab import controls, marks
from contactlab.runs import marked_steps
from records import files, script


def marked_cases(scan: str, settings: dict) -> list[dict]:
    """Every case of a scan by itself: its axes, its rows, and a mark of the state after every step of its measured run."""
    found = []
    for case, alone in controls.cases(scan, settings):
        with marked_steps() as marked:
            rows = controls.SCANS[scan](alone)
        found.append({"case": case, "rows": rows, "marks": marks.to_text(marked)})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scan", required=True, choices=controls.SCANS, help="which scan")
    parser.add_argument("--settings", required=True, type=json.loads, help="the scan's settings, a JSON object")
    parser.add_argument("--out", required=True, help="the record to write, JSON")
    parser.add_argument(
        "--marks", action="store_true", help="write every case by itself, with a mark of the state after every step"
    )
    arguments = parser.parse_args()
    record = {"settings": arguments.settings, "mujoco": mujoco.__version__}
    if arguments.marks:
        record["cases"] = marked_cases(arguments.scan, arguments.settings)
    else:
        record["rows"] = controls.SCANS[arguments.scan](arguments.settings)
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
