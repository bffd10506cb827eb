"""Drive the state machine of a pick by hand, sensing with mj_contactForce, and compare it with `scripted_pick`.

Lesson 16, step 4. It has the machine in common with `scripted_pick`, but a loop and a reading of contacts of its own.
"""

import argparse

import mujoco

from contactlab import limit
from contactlab.pick_by_hand import largest_difference
from contactlab.pick_cell import split_cell
from contactlab.scene import load_scene, require_scene
from contactlab.task import SO_101, Robot, Task
from records import current_run, files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene")
    parser.add_argument("--out", required=True, help="the record to write, JSON")
    parser.add_argument(
        "--parts", type=Robot.from_json, default=SO_101, help="names of the robot's parts, JSON; the SO-101's by default"
    )
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    cell = settings.from_words(arguments.settings)
    model = load_scene(files.unaltered(arguments.model), arguments.parts)
    position_m, _, rest = split_cell(cell)
    task = Task.from_config(require_scene(model, rest, arguments.parts))
    try:
        with limit.limited(current_run.cell_limit_s()):
            difference, steps = largest_difference(model, position_m, task, arguments.parts)
        result = {"max_qpos_difference_rad": difference, "steps": steps}
    except TimeoutError:
        result = {"outcome": limit.TIMED_OUT}
    files.write_json(arguments.out, {"settings": cell, "mujoco": mujoco.__version__} | result)


if __name__ == "__main__":
    script.run(main)
