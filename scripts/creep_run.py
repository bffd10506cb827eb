"""Run one pick with a long hold, and write how far the cube creeps out of the jaws."""

import argparse

import mujoco

from contactlab import files, script, settings
from contactlab.creep import held_slip
from contactlab.scene import load_scene, physics_digest, require_scene
from contactlab.task import Task
from pick_run import split_cell


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene, or compiled")
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    model, cell = load_scene(arguments.model), settings.from_words(arguments.settings)
    position_m, _, rest = split_cell(cell)
    result = held_slip(model, position_m, Task.from_config(require_scene(model, rest)))
    record = {"settings": cell, "mujoco": mujoco.__version__, "model_digest": physics_digest(model), "result": result}
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
