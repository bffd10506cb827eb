"""Measure what a health check costs beside a step of the same model, and write its rows."""

import argparse
import json

import mujoco

from contactlab import runtime
from records import files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", required=True, type=json.loads, help="settings of the measurement, a JSON object")
    parser.add_argument("--out", required=True, help="the record to write, JSON")
    arguments = parser.parse_args()
    rows = runtime.health_cost(arguments.settings)
    files.write_json(arguments.out, {"settings": arguments.settings, "mujoco": mujoco.__version__, "rows": rows})


if __name__ == "__main__":
    script.run(main)
