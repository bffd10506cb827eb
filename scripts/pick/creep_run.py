"""Run one pick with a long hold, and write how far the cube creeps out of the jaws."""

import argparse

import mujoco

from contactlab.creep import held_slip
from contactlab.limit import TIMED_OUT, limited
from contactlab.pick_cell import split_cell
from contactlab.runs import physics_digest
from contactlab.scene import load_scene, require_scene
from contactlab.task import SO_101, Robot, Task
from records import current_run, files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene, or compiled")
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument(
        "--parts", type=Robot.from_json, default=SO_101, help="names of the robot's parts, JSON; the SO-101's by default"
    )
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    robot, cell = arguments.parts, settings.from_words(arguments.settings)
    model = load_scene(files.unaltered(arguments.model), robot)
    position_m, _, rest = split_cell(cell)
    task = Task.from_config(require_scene(model, rest, robot))
    try:
        with limited(current_run.cell_limit_s()):
            result = held_slip(model, position_m, task, robot)
    except TimeoutError:
        unknown = {"held_s": [None], "slip_m": [None], "sunk_m": [None], "flung": None, "digest": None}
        result = {"outcome": TIMED_OUT} | unknown
    record = {"settings": cell, "mujoco": mujoco.__version__, "model_digest": physics_digest(model), "result": result}
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
