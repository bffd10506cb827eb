"""The fastest CPU path known: mjbatch steps the recorded controls of all picks in one process, physics alone, no controller.

Run by bench.py with the interpreter that holds mjbatch (which brings its own MuJoCo version) after by_hand.py --record.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import mujoco
import numpy as np
from mjbatch import Batch

from contactlab.scene import load_scene


def differing_fields(models: list[mujoco.MjModel]) -> list[str]:
    """The model's arrays of numbers in which these models differ: what each simulation needs of its own."""
    arrays = {name: getattr(models[0], name) for name in dir(models[0]) if not name.startswith("_")}
    numbers = [name for name, value in arrays.items() if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
    return [name for name in numbers if any(not np.array_equal(arrays[name], getattr(model, name)) for model in models)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="JSON list of cells")
    parser.add_argument("--record", required=True, type=Path, help="folder with the controls of the picks")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    cells = [cell for cell in json.loads(arguments.cells.read_text(encoding="utf-8")) if cell["experiment"] == "pick"]
    records = [np.load(arguments.record / f"{cell['name']}.npz") for cell in cells]
    scenes = {path: load_scene(path) for path in {cell["model"]: None for cell in cells}}
    batch = Batch(scenes[cells[0]["model"]], num_sims=len(cells), num_threads=arguments.threads)
    for field in differing_fields(list(scenes.values())):
        own = batch.expand(field)
        for index, cell in enumerate(cells):
            own[index] = getattr(scenes[cell["model"]], field).reshape(own[index].shape)
    batch.bind("qpos")[:] = np.stack([record["qpos"] for record in records])
    controls, ctrl = [record["ctrl"] for record in records], batch.bind("ctrl")
    lengths = np.array([len(rows) for rows in controls])
    padded = np.stack([np.pad(rows, ((0, lengths.max() - len(rows)), (0, 0)), mode="edge") for rows in controls], axis=1)
    started = time.perf_counter()
    for step in range(lengths.max()):
        ctrl[:] = padded[step]
        batch.step(ids=lengths > step)
    seconds = time.perf_counter() - started
    json.dump({"seconds": seconds, "steps": int(lengths.sum()), "mujoco": mujoco.__version__}, sys.stdout)


if __name__ == "__main__":
    main()
