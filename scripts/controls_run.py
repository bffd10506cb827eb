"""Run one control-fault scan and write its rows."""

import argparse
import json

import mujoco

from contactlab import controls, files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scan", required=True, choices=controls.SCANS, help="which scan")
    parser.add_argument("--settings", required=True, type=json.loads, help="the scan's settings, a JSON object")
    parser.add_argument("--out", required=True, help="the record to write, JSON")
    arguments = parser.parse_args()
    rows = controls.SCANS[arguments.scan](arguments.settings)
    files.write_json(arguments.out, {"settings": arguments.settings, "mujoco": mujoco.__version__, "rows": rows})


if __name__ == "__main__":
    script.run(main)
