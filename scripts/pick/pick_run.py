"""Run one pick cell: pick the cube of a scene at one place, again from perturbed starts, and write what happened."""

import numpy as np

from contactlab.pick_cell import TimedStep, description, run_cell, timed_out
from records import cells, files, pick_cells, script


def main() -> None:
    parser = pick_cells.parser(__doc__)
    parser.add_argument("--trajectory", help="also write the recorded trajectory of the pick, compressed .npz")
    arguments = parser.parse_args()
    step, model = TimedStep(), pick_cells.model_of(arguments)

    def measure(cell: dict) -> dict:
        record, trajectory = run_cell(model, cell, step, bool(arguments.trajectory), arguments.parts)
        print(f"{record['result']['steps']} steps of the unmoved pick took {step.seconds:.4f} s in mj_step")
        if trajectory:
            with files.replacing(arguments.trajectory) as part, part.open("wb") as stream:
                np.savez_compressed(stream, **trajectory, **description(model))
        return record

    def ended(cell: dict) -> dict:
        if arguments.trajectory:
            raise TimeoutError(f"{arguments.trajectory}: the pick timed out, and there is no trajectory to write")
        return timed_out(model, arguments.parts)

    cells.write(arguments, measure, ended)


if __name__ == "__main__":
    script.run(main)
