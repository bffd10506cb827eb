"""Run one fall, and write how far the ball fell."""

import argparse

import mujoco

from contactlab import fall
from records import files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene")
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    cell = settings.from_words(arguments.settings)
    model = mujoco.MjModel.from_xml_path(arguments.model)
    result = fall.run(model, cell["dt_ms"], cell["integrator"], cell["duration_s"])
    files.write_json(arguments.out, {"settings": cell, "mujoco": mujoco.__version__, "result": result})


if __name__ == "__main__":
    script.run(main)
