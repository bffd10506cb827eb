"""Find the softest solref that keeps the cube of a drop scene at one timestep, and write it with what makes others fail."""

import argparse

import mujoco

from contactlab import drop
from contactlab.limit import limited
from contactlab.softest import softest, timed_out
from records import current_run, files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene")
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    cell = settings.from_words(arguments.settings)
    motion = {axis: cell[axis] for axis in ("speed_m_per_s", "spin_rad_s")}
    model = drop.load(files.unaltered(arguments.model))
    try:
        with limited(current_run.cell_limit_s()):
            result = softest(model, cell["dt_ms"], cell["integrator"], cell["duration_s"], **motion)
    except TimeoutError:
        result = timed_out(cell["dt_ms"])
    files.write_json(arguments.out, {"settings": cell, "mujoco": mujoco.__version__, "result": result})


if __name__ == "__main__":
    script.run(main)
