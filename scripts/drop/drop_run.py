"""Run one drop cell: drop the cube of a scene with one timestep and integrator, and write what happened."""

import argparse
import dataclasses
import time
from contextlib import nullcontext

import mujoco

from contactlab import drop, marks
from contactlab.limit import limited
from contactlab.runs import marked_steps
from records import current_run, files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene")
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument("--trajectory", action="store_true", help="add every sampled height and contact normal")
    parser.add_argument("--marks", action="store_true", help="add a mark of the state after every step")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    cell = settings.from_words(arguments.settings)
    trajectory = drop.Trajectory() if arguments.trajectory else None
    model = drop.load(files.unaltered(arguments.model))
    if "scene" in cell:
        cell |= drop.dimensions(model)  # what no setting says of a scene of the user's own
    started = time.perf_counter()
    motion = {axis: cell[axis] for axis in ("speed_m_per_s", "spin_rad_s")}
    with marked_steps() if arguments.marks else nullcontext() as marked:
        try:
            with limited(current_run.cell_limit_s()):
                result = drop.run(model, cell["dt_ms"], cell["integrator"], cell["duration_s"], trajectory, **motion)
        except TimeoutError:  # no sample of a run that was ended is kept
            result, trajectory = drop.timed_out(model, cell["dt_ms"]), trajectory and drop.Trajectory()
    print(f"simulated {cell['duration_s']} s in {time.perf_counter() - started:.3f} s")
    record = {"settings": cell, "mujoco": mujoco.__version__, "result": result}
    if trajectory is not None:
        record["trajectory"] = dataclasses.asdict(trajectory)
    if arguments.marks:
        record["marks"] = marks.to_text(marked)
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
