"""Measure the runtime facts, or the timings that no two runs repeat, and write their rows."""

import argparse
import json

import mujoco

from contactlab import runtime
from records import files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--what", required=True, choices=runtime.MEASUREMENTS, help="the facts or the timings")
    parser.add_argument("--settings", required=True, type=json.loads, help="settings of each of them, a JSON object")
    parser.add_argument("--out", required=True, help="the record to write, JSON")
    arguments = parser.parse_args()
    rows = runtime.measure(runtime.MEASUREMENTS[arguments.what], arguments.settings)
    files.write_json(arguments.out, {"settings": arguments.settings, "mujoco": mujoco.__version__, "rows": rows})


if __name__ == "__main__":
    script.run(main)
