"""What a user would write by hand: the same runs in a plain multiprocessing pool, without files, cache or provenance.

Run by bench.py on an engine's interpreter with a JSON list of cells, each {"experiment", "model", "settings"}. With --record it
also writes the controls of each pick, and prints the seconds that the bare mj_step calls of all cells take when replayed; with
--bare it prints only these, of scans of control faults too and of each pick's repetitions, which cost what the pick costs.
"""

import argparse
import functools
import json
import multiprocessing
import sys
import time
from pathlib import Path
from unittest import mock

import mujoco
import numpy as np

from contactlab import controls, drop
from contactlab.pick import reset_pick
from contactlab.pick_cell import TimedStep, run_cell, split_cell
from contactlab.runs import integrator, state_digest
from contactlab.scene import load_scene
from contactlab.task import LESSON_16, SO_101

load_scene = functools.cache(load_scene)  # a user would compile a scene once in each process


def run(cell: dict) -> str:
    """Run one cell; the digest of its final state."""
    settings = cell["settings"]
    if cell["experiment"] == "pick":
        return run_cell(load_scene(cell["model"]), settings, TimedStep(), False)[0]["result"]["digest"]
    model = mujoco.MjModel.from_xml_path(cell["model"])
    return drop.run(model, settings["dt_ms"], settings["integrator"], settings["duration_s"])["digest"]


def bare_drop(cell: dict) -> tuple[float, str]:
    """Seconds and final digest of a drop's mj_step calls alone."""
    settings, model = cell["settings"], mujoco.MjModel.from_xml_path(cell["model"])
    model.opt.timestep, model.opt.integrator = settings["dt_ms"] / 1000, integrator(settings["integrator"])
    data = mujoco.MjData(model)
    started = time.perf_counter()
    for _ in range(round(settings["duration_s"] * 1000 / settings["dt_ms"])):
        mujoco.mj_step(model, data)
    return time.perf_counter() - started, state_digest(data)


def bare_pick(cell: dict, folder: Path | None) -> tuple[float, str]:
    """Seconds and final digest of a pick's mj_step calls alone, its recorded controls replayed; the record goes to `folder`."""
    model = load_scene(cell["model"])
    _, trajectory = run_cell(model, cell["settings"] | {"perturbations": 0}, TimedStep(), True)
    data, position_m = mujoco.MjData(model), split_cell(cell["settings"])[0]
    reset_pick(model, data, position_m, LESSON_16, SO_101)
    if folder:
        np.savez(folder / f"{cell['name']}.npz", ctrl=trajectory["ctrl"], qpos=data.qpos)
    seconds = 0.0
    for row in trajectory["ctrl"]:
        data.ctrl[:] = row
        started = time.perf_counter()
        mujoco.mj_step(model, data)
        seconds += time.perf_counter() - started
    return seconds, state_digest(data)


def bare_scan(cell: dict) -> float:
    """Seconds of the mj_step calls of a scan of control faults, timed where they are called."""
    seconds, step = 0.0, mujoco.mj_step

    def timed(*arguments) -> None:
        nonlocal seconds
        started = time.perf_counter()
        step(*arguments)
        seconds += time.perf_counter() - started

    with mock.patch.object(mujoco, "mj_step", timed):
        controls.SCANS[cell["name"]](cell["settings"])
    return seconds


def bare_seconds(cell: dict) -> float:
    """Seconds of all mj_step calls of a cell."""
    if cell["experiment"] == "controls":
        return bare_scan(cell)
    if cell["experiment"] == "drop":
        return bare_drop(cell)[0]
    return bare_pick(cell, None)[0] * (1 + cell["settings"]["perturbations"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="JSON list of cells")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--record", type=Path, help="folder for the controls of the picks")
    parser.add_argument("--bare", action="store_true", help="only the seconds of the bare mj_step calls, one for each cell")
    arguments = parser.parse_args()
    cells = json.loads(arguments.cells.read_text(encoding="utf-8"))
    if arguments.bare:
        json.dump([bare_seconds(cell) for cell in cells], sys.stdout)
    elif arguments.record:
        bare = [bare_drop(cell) if cell["experiment"] == "drop" else bare_pick(cell, arguments.record) for cell in cells]
        json.dump({"seconds": sum(seconds for seconds, _ in bare), "digests": [digest for _, digest in bare]}, sys.stdout)
    else:
        with multiprocessing.Pool(arguments.processes) as pool:
            json.dump({"digests": pool.map(run, cells, chunksize=1)}, sys.stdout)


if __name__ == "__main__":
    main()
