"""Run one pick cell: pick the cube of a scene at one place, again from perturbed starts, and write what happened."""

import argparse
from contextlib import nullcontext

import numpy as np

from contactlab import marks
from contactlab.limit import limited
from contactlab.pick_cell import TimedStep, description, run_cell, timed_out
from contactlab.runs import marked_steps
from contactlab.scene import load_scene
from contactlab.task import SO_101, Robot
from records import current_run, files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene")
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument("--trajectory", help="also write the recorded trajectory of the pick, compressed .npz")
    parser.add_argument("--marks", action="store_true", help="add a mark of the state after every step of the unmoved pick")
    parser.add_argument(
        "--parts", type=Robot.from_json, default=SO_101, help="names of the robot's parts, JSON; the SO-101's by default"
    )
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    step, model = TimedStep(), load_scene(files.unaltered(arguments.model), arguments.parts)
    cell = settings.from_words(arguments.settings)
    with marked_steps() if arguments.marks else nullcontext() as marked:
        try:
            with limited(current_run.cell_limit_s()):
                record, trajectory = run_cell(model, cell, step, bool(arguments.trajectory), arguments.parts)
            print(f"{record['result']['steps']} steps of the unmoved pick took {step.seconds:.4f} s in mj_step")
        except TimeoutError as error:
            if arguments.trajectory:
                raise  # there is none to write
            record, trajectory = timed_out(model, cell, arguments.parts), {}
            print(error)
    if trajectory:
        with files.replacing(arguments.trajectory) as part, part.open("wb") as stream:
            np.savez_compressed(stream, **trajectory, **description(model))
    if arguments.marks:
        record["marks"] = marks.to_text(marked)
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
